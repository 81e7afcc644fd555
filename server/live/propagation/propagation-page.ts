import type { ResourceKey } from '@/lib/observation/resource-state';
import { isBehind, type PropagationMismatch } from '@/lib/sync/find-first-mismatch';
import type { Moment } from '@/lib/views/fields/moment';
import type { PropagationPage, PropagationQuery, PropagationRow } from '@/lib/views/propagation/schema';
import { parseTypeKey } from '@/lib/views/resources/resource-ref';
import type { EpochMs } from '@/lib/xds/units';
import { inSlices } from '../../workers/threads/in-slices';

interface PropagationFacts extends ResourceKey {
  /** The first mismatch; absent: there is none. */
  readonly mismatch?: Omit<PropagationMismatch, 'from'> | undefined;
  readonly compared: number;
}

/** The compared resources of a client, those that differ first. A row is built when it is listed. */
export interface PropagationComparison {
  readonly sources: PropagationPage['sources'];
  /** The number of resources, which are numbered from 0. */
  readonly size: number;
  readonly factsAt: (index: number) => PropagationFacts;
  readonly rowAt: (index: number) => PropagationRow;
  readonly moment?: Moment;
}

interface PropagationReaders<Item> {
  readonly factsOf: (item: Item) => PropagationFacts;
  readonly rowOf: (item: Item) => PropagationRow;
}

export function numberPropagationRows<Item extends object>(
  items: readonly Item[],
  { factsOf, rowOf }: PropagationReaders<Item>,
): Pick<PropagationComparison, 'size' | 'factsAt' | 'rowAt'> {
  const itemAt = (index: number): Item => {
    const item = items[index];
    if (item === undefined) throw new Error(`expected a row below ${items.length}, got ${index}`);
    return item;
  };
  return {
    size: items.length,
    factsAt: (index) => factsOf(itemAt(index)),
    rowAt: (index) => rowOf(itemAt(index)),
  };
}

/** `at` is the time of the comparison. */
export function pagePropagation(
  comparison: PropagationComparison,
  query: PropagationQuery,
  at: EpochMs,
): PropagationPage {
  const { sources, size, factsAt, rowAt, moment } = comparison;
  const { only, type, name, q, offset, limit } = query;
  const typeUrl = type === undefined ? undefined : parseTypeKey(type);
  const found: number[] = [];
  let [differ, behind, otherNode, alone] = [0, 0, 0, 0];
  for (let index = 0; index < size; index++) {
    const facts = factsAt(index);
    const isLate = facts.mismatch !== undefined && isBehind(facts.mismatch, at);
    const isOfOtherNode = facts.mismatch?.isOfOtherNode === true;
    const differs = facts.mismatch !== undefined && !isLate && !isOfOtherNode;
    if (differs) differ += 1;
    if (isLate) behind += 1;
    if (isOfOtherNode) otherNode += 1;
    if (facts.compared < 2) alone += 1;
    const passes =
      (only === 'all' || differs) &&
      (typeUrl === undefined || facts.typeUrl === typeUrl) &&
      (name === undefined || facts.name === name) &&
      facts.name.includes(q);
    if (passes) found.push(index);
  }
  return {
    sources,
    counts: {
      resources: size,
      agree: size - differ - behind - otherNode - alone,
      differ,
      behind,
      otherNode,
      alone,
    },
    items: found.slice(offset, offset + limit).map((index) => markBehind(rowAt(index), at)),
    offset,
    total: found.length,
    ...(moment && { moment }),
  };
}

function markBehind(row: PropagationRow, at: EpochMs): PropagationRow {
  const { firstMismatch } = row;
  if (firstMismatch === undefined || !isBehind(firstMismatch, at)) return row;
  return { ...row, firstMismatch: { ...firstMismatch, isBehind: true } };
}

export async function listPropagationRows({ size, rowAt }: PropagationComparison): Promise<PropagationRow[]> {
  const rows: PropagationRow[] = [];
  await inSlices(Array(size).keys(), (index) => {
    rows.push(rowAt(index));
  });
  return rows;
}
