import type * as z from 'zod';
import type {
  PropagationPage,
  PropagationQuery,
  PropagationRow as PropagationRowJson,
  PropagationStateRow as PropagationStateJson,
  propagationRowOf,
} from '@/lib/api/propagation';
import { formatIsoTime } from '@/lib/format/iso-time';
import type { ResourceKey } from '@/lib/observation/resource-state';
import type { PropagationPlace } from '@/lib/sync/propagation-state';
import { parseTypeKey } from '@/lib/view-model/client-resources/resource-ref';
import { type ClientMoment, formatMoment } from '@/lib/view-model/client-summary';
import { inSlices } from '../threads/in-slices';

export type PropagationRow = z.infer<ReturnType<typeof propagationRowOf<z.ZodNumber>>>;
export type PropagationStateRow = NonNullable<PropagationRow['states'][PropagationPlace]>;

interface PropagationFacts extends ResourceKey {
  readonly differs: boolean;
  readonly compared: number;
}

/** The compared resources of a client, those that differ first. A row is built when it is listed. */
export interface PropagationComparison {
  readonly sources: PropagationPage['sources'];
  /** The number of resources, which are numbered from 0. */
  readonly size: number;
  readonly factsAt: (index: number) => PropagationFacts;
  readonly rowAt: (index: number) => PropagationRow;
  readonly moment?: ClientMoment;
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

export function pagePropagation(comparison: PropagationComparison, query: PropagationQuery): PropagationPage {
  const { sources, size, factsAt, rowAt, moment } = comparison;
  const { only, type, name, q, offset, limit } = query;
  const typeUrl = type === undefined ? undefined : parseTypeKey(type);
  const found: number[] = [];
  let [differ, alone] = [0, 0];
  for (let index = 0; index < size; index++) {
    const facts = factsAt(index);
    if (facts.differs) differ += 1;
    if (facts.compared < 2) alone += 1;
    const passes =
      (only === 'all' || facts.differs) &&
      (typeUrl === undefined || facts.typeUrl === typeUrl) &&
      (name === undefined || facts.name === name) &&
      facts.name.includes(q);
    if (passes) found.push(index);
  }
  return {
    sources,
    counts: { resources: size, agree: size - differ - alone, differ, alone },
    items: found.slice(offset, offset + limit).map((index) => formatRow(rowAt(index))),
    offset,
    total: found.length,
    ...formatMoment({ moment }),
  };
}

function formatRow({
  states: { sotw, delta, controlPlane, client },
  ...row
}: PropagationRow): PropagationRowJson {
  const format = (state: PropagationStateRow | null): PropagationStateJson | null =>
    state && { ...state, changedAt: formatIsoTime(state.changedAt) };
  return {
    ...row,
    states: {
      sotw: format(sotw),
      delta: format(delta),
      controlPlane: format(controlPlane),
      client: format(client),
    },
    changedAt: formatIsoTime(row.changedAt),
  };
}

export async function listPropagationRows({ size, rowAt }: PropagationComparison): Promise<PropagationRow[]> {
  const rows: PropagationRow[] = [];
  await inSlices(Array(size).keys(), (index) => {
    rows.push(rowAt(index));
  });
  return rows;
}
