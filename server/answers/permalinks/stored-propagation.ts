import * as z from 'zod';
import { propagationMismatchKinds } from '@/lib/sync/find-first-mismatch';
import { propagationPlaces } from '@/lib/sync/propagation-state';
import { configStatuses, states } from '@/lib/xds/status';
import {
  listPropagationRows,
  numberPropagationRows,
  type PropagationComparison,
} from '../../propagation/propagation-page';

const epochMs = z.number();
const place = z.enum(propagationPlaces);

const source = z.object({
  clientId: z.string(),
  sourceId: z.string(),
  nodeId: z.string(),
  freshness: z.enum(['live', 'stale', 'gone']),
  reason: z.string(),
});

const state = z.object({
  sourceId: z.string(),
  versionInfo: z.string(),
  /** The hash of the body, which the recorder keeps as long as the permalink. */
  hash: z.string().nullable(),
  state: z.enum(states),
  configStatus: z.enum(configStatuses),
  details: z.string(),
  changedAt: epochMs,
});

/** Everything except the rows, which are written and read in steps because of their number. */
export const storedPropagationHead = z.object({
  sources: z.object({
    sotw: source.nullable(),
    delta: source.nullable(),
    controlPlane: source.nullable(),
    client: source.nullable(),
  }),
  moment: z.object({ at: epochMs, seq: z.number(), incomplete: z.string() }).optional(),
});

export const storedPropagationRow = z.object({
  typeUrl: z.string(),
  service: z.string(),
  name: z.string(),
  states: z.object({
    sotw: state.nullable(),
    delta: state.nullable(),
    controlPlane: state.nullable(),
    client: state.nullable(),
  }),
  firstMismatch: z
    .object({
      from: place,
      to: place,
      kind: z.enum(propagationMismatchKinds),
      finding: z.string(),
      text: z.string(),
    })
    .nullable(),
  compared: z.number(),
  changedAt: epochMs,
});

export type StoredPropagationRow = z.infer<typeof storedPropagationRow>;
/** All compared resources of a client, like the answer of GET clients/{id}/propagation without a filter. */
export type StoredPropagation = z.infer<typeof storedPropagationHead> & {
  readonly rows: readonly StoredPropagationRow[];
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
        ...{ typeUrl, name, compared },
        differs: firstMismatch !== null,
      }),
      rowOf: (row) => row,
    }),
    ...(moment && { moment }),
  };
}

export function hashesOfPropagation({ rows }: StoredPropagation): string[] {
  return rows.flatMap(({ states }) => Object.values(states).flatMap((each) => each?.hash ?? []));
}
