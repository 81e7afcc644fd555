import { LRUCache } from 'lru-cache';
import { findRejectedField } from '@/lib/nacks/find-rejected-field';
import type { NackGroup } from '@/lib/nacks/nack-group';
import type { NackStatement } from '@/lib/nacks/nack-statement';
import { parseNackText } from '@/lib/nacks/parse-nack-text';
import { statementsOfResource } from '@/lib/nacks/statements-of-resource';
import { findRejectedBody } from '../../live/nacks/find-rejected-body';
import { type NackDetailParts, profileOf, readJson } from './nack-detail';

const fieldsKept = 2_000;
/**
 * Limits the bodies that are decoded for the list, one by one and for one page. A group beyond the limits has the field that
 * its text names until a later request; its own page reads the body in any case.
 */
const maxBodyBytes = 256 * 1024;
const maxPageBytes = 1024 * 1024;
/** Bodies that are decoded at once. */
const batch = 4;

/** The path of an error of Envoy may begin anywhere, and is not shown if the payload does not have it. */
function unknownPathOf({ hint }: NackStatement): string | undefined {
  return hint === undefined ? undefined : '';
}

/**
 * The rejected fields of the groups of a page. Only bodies that a source reports of the rejecting clients are read; the
 * details of a group also search the log and the findings.
 */
export class RejectedFields {
  readonly #parts: Pick<NackDetailParts, 'live' | 'recorder' | 'codec' | 'findSettings'>;
  readonly #known = new LRUCache<string, { readonly path: string | undefined }>({ max: fieldsKept });

  constructor(parts: Pick<NackDetailParts, 'live' | 'recorder' | 'codec' | 'findSettings'>) {
    this.#parts = parts;
  }

  /**
   * Returns the path of the field by the id of the group: empty if the payload does not have the field, undefined if
   * it is not known.
   */
  async find(
    groups: readonly NackGroup[],
    signal?: AbortSignal,
  ): Promise<ReadonlyMap<string, string | undefined>> {
    const found = new Map<string, string | undefined>();
    const budget = { leftBytes: maxPageBytes };
    for (let start = 0; start < groups.length; start += batch) {
      const some = groups.slice(start, start + batch);
      const paths = await Promise.all(some.map((group) => this.#findOne(group, budget, signal)));
      some.forEach(({ id }, index) => {
        found.set(id, paths[index]);
      });
    }
    return found;
  }

  /** MUTATES `budget`. */
  async #findOne(
    group: NackGroup,
    budget: { leftBytes: number },
    signal: AbortSignal | undefined,
  ): Promise<string | undefined> {
    const key = `${group.id} ${group.lastAt}`;
    const known = this.#known.get(key);
    if (known !== undefined) return known.path;
    if (budget.leftBytes <= 0) return undefined;
    const { live, recorder } = this.#parts;
    const clients = [...group.clients.keys()].flatMap((id) => live.world.get(id) ?? []);
    const rejected = await findRejectedBody(group, {
      world: new Map(clients.map((client) => [client.clientId, client])),
      recorder: { readBody: (...body) => recorder.readBody(...body), readHistory: async () => [] },
      nodeIdOf: (clientId) => clientId,
      signal,
    });
    const [statement] = statementsOfResource(parseNackText(group.text), group);
    if (rejected === undefined || statement === undefined) return undefined;
    const sizeBytes = rejected.body.bytes.length;
    if (sizeBytes > maxBodyBytes || sizeBytes > budget.leftBytes) return undefined;
    budget.leftBytes -= sizeBytes;
    const json = await readJson(rejected, { ...this.#parts, signal });
    const profile = profileOf(rejected.rejection, this.#parts);
    const path =
      json === undefined
        ? undefined
        : (findRejectedField(statement, json, [], profile)?.path ?? unknownPathOf(statement));
    this.#known.set(key, { path });
    return path;
  }
}
