import * as z from 'zod';
import { moment } from '@/lib/views/fields/moment';
import { type PropagationRow, propagationSources } from '@/lib/views/propagation/schema';
import {
  listPropagationRows,
  numberPropagationRows,
  type PropagationComparison,
} from '../../live/propagation/propagation-page';

/** Everything except the rows, which are written and read in steps because of their number. */
export const storedPropagationHead = z.object({
  sources: propagationSources,
  moment: moment.optional(),
});

/** All compared resources of a client, like the answer of GET clients/{id}/propagation without a filter. */
export type StoredPropagation = z.infer<typeof storedPropagationHead> & {
  readonly rows: readonly PropagationRow[];
};

export async function toStoredPropagation(comparison: PropagationComparison): Promise<StoredPropagation> {
  const { sources, moment } = comparison;
  return { sources, ...(moment && { moment }), rows: await listPropagationRows(comparison) };
}

export function readStoredPropagation({ sources, rows, moment }: StoredPropagation): PropagationComparison {
  return {
    sources,
    ...numberPropagationRows(rows, {
      factsOf: ({ typeUrl, name, firstMismatch, compared }) => ({
        ...{ typeUrl, name, compared, mismatch: firstMismatch },
      }),
      rowOf: (row) => row,
    }),
    ...(moment && { moment }),
  };
}

export function hashesOfPropagation({ rows }: StoredPropagation): string[] {
  return rows.flatMap(({ states }) => Object.values(states).flatMap((each) => each?.hash ?? []));
}
