import { heldBody } from '../facts/effect';
import type { ModelOf } from '../model/model-of';
import { referencesByKey } from '../model/references';
import { isPatternReference, type LinkableRow } from '../model/resource-links';
import { resourceKey } from '../observation/client-state';
import type { ResourceKey } from '../observation/resource-state';
import { LDS } from '../xds/resource-type';

interface LeadingListenersInput {
  /** All resources of one client, without repetitions. */
  readonly rows: readonly LinkableRow[];
  readonly modelOf: ModelOf;
  readonly of: readonly ResourceKey[];
}

export interface LeadingListeners {
  /** The names of the listeners that lead to one of the resources, or are one of them. */
  readonly listeners: readonly string[];
  /** The resources to which no listener leads. */
  readonly unreached: readonly ResourceKey[];
}

/** Follows references backwards from the resources. */
export function findLeadingListeners({ rows, modelOf, of }: LeadingListenersInput): LeadingListeners {
  const byKey = new Map(rows.map((row) => [resourceKey(row), row]));
  const users = new Map<string, string[]>();
  for (const row of rows) {
    const hash = heldBody(row);
    const model = hash === undefined ? undefined : modelOf(hash, row.typeUrl);
    if (model === undefined) continue;
    for (const [key, reference] of referencesByKey(model)) {
      const prefix = isPatternReference(reference) ? reference.name.slice(0, -1) : undefined;
      const used =
        prefix === undefined
          ? [key]
          : rows
              .filter((each) => each.typeUrl === reference.typeUrl && each.name.startsWith(prefix))
              .map(resourceKey);
      for (const each of used) {
        const known = users.get(each);
        if (known === undefined) users.set(each, [resourceKey(row)]);
        else known.push(resourceKey(row));
      }
    }
  }
  const listeners = new Set<string>();
  const unreached: ResourceKey[] = [];
  for (const key of of) {
    // Iteration over a Set includes elements that are added during the iteration.
    const reached = new Set([resourceKey(key)]);
    let isLed = false;
    for (const each of reached) {
      const row = byKey.get(each);
      if (row?.typeUrl === LDS.typeUrl) {
        listeners.add(row.name);
        isLed = true;
      }
      for (const user of users.get(each) ?? []) reached.add(user);
    }
    if (!isLed) unreached.push(key);
  }
  return { listeners: [...listeners], unreached };
}
