import { type EffectState, heldBody } from '../facts/effect';
import { resourceKey } from '../observation/client-state';
import { compareResourceKeys } from '../observation/compare-resource-keys';
import type { ResourceKey } from '../observation/resource-state';
import type { ModelOf } from './model-of';
import { type Reference, referencesOf } from './references';

/** A reference between two resources, from the view of one. `held` states whether the client has the other resource. */
interface ResourceLink extends ResourceKey, Pick<Reference, 'how' | 'from'> {
  readonly held: boolean;
}

interface ResourceLinks {
  readonly uses: ResourceLink[];
  readonly usedBy: ResourceLink[];
}

export type LinkableRow = ResourceKey & EffectState;

interface ResourceLinksInput {
  /** All resources of one client, without repetitions. */
  readonly rows: readonly LinkableRow[];
  readonly modelOf: ModelOf;
  readonly of: ResourceKey;
}

/**
 * References of one resource in both directions. A referenced resource without a row is not held. The resource itself
 * need not be held: others can reference it. Iterates over the rows once.
 */
export function buildResourceLinks({ rows, modelOf, of }: ResourceLinksInput): ResourceLinks {
  const references = (row: LinkableRow): Reference[] => {
    const hash = heldBody(row);
    const model = hash === undefined ? undefined : modelOf(hash, row.typeUrl);
    return model === undefined ? [] : referencesOf(model);
  };
  const own = rows.find((row) => row.typeUrl === of.typeUrl && row.name === of.name);
  const usedBy = rows.flatMap((row) => {
    const found = references(row).find((reference) => refersTo(reference, of));
    return found === undefined ? [] : [linkOf(row, true, found)];
  });
  return {
    uses: own === undefined ? [] : resolve(references(own), rows),
    usedBy: usedBy.sort(compareResourceKeys),
  };
}

function resolve(references: readonly Reference[], rows: readonly LinkableRow[]): ResourceLink[] {
  const held = new Set(rows.map(resourceKey));
  return references.flatMap((reference) => {
    if (!isPatternReference(reference)) {
      return [linkOf(reference, held.has(resourceKey(reference)), reference)];
    }
    const matching = rows.filter((row) => refersTo(reference, row));
    return matching.map((row) => linkOf(row, true, reference));
  });
}

function linkOf({ typeUrl, name }: ResourceKey, held: boolean, { how, from }: Reference): ResourceLink {
  return { typeUrl, name, held, how, from };
}

function refersTo(reference: Reference, key: ResourceKey): boolean {
  if (reference.typeUrl !== key.typeUrl) return false;
  return isPatternReference(reference)
    ? key.name.startsWith(reference.name.slice(0, -1))
    : reference.name === key.name;
}

/** Only VHDS and SRDS references are patterns; a "*" at the end of any other name is part of the name. */
export function isPatternReference({ how }: Reference): boolean {
  return how === 'vhds' || how === 'srds';
}
