import { z } from 'zod';
import { truthHopKinds } from '@/lib/view-model/truth/find-first-hop';
import { truthPlaces } from '@/lib/view-model/truth/truth-word';
import { clientStatuses, configStatuses } from '@/lib/xds/status';
import { listTruthRows, numberTruthRows, type TruthComparison } from '../truth/truth-page';

/** ISO 8601. */
const time = z.string();
const place = z.enum(truthPlaces);

const source = z.object({
  clientId: z.string(),
  sourceId: z.string(),
  nodeId: z.string(),
  freshness: z.enum(['live', 'stale', 'gone']),
  reason: z.string(),
});

const word = z.object({
  sourceId: z.string(),
  versionInfo: z.string(),
  /** Of the body, which the recording keeps as long as the permalink. */
  hash: z.string().nullable(),
  clientStatus: z.enum(clientStatuses),
  configStatus: z.enum(configStatuses),
  details: z.string(),
  changedAt: time,
});

/** All but the rows, which are many, and are written and read in steps. */
export const storedTruthHead = z.object({
  sources: z.object({
    sotw: source.nullable(),
    delta: source.nullable(),
    controlPlane: source.nullable(),
    client: source.nullable(),
  }),
  moment: z.object({ at: time, seq: z.number(), incomplete: z.string() }).optional(),
});

export const storedTruthRow = z.object({
  typeUrl: z.string(),
  service: z.string(),
  name: z.string(),
  words: z.object({
    sotw: word.nullable(),
    delta: word.nullable(),
    controlPlane: word.nullable(),
    client: word.nullable(),
  }),
  firstHop: z
    .object({ from: place, to: place, kind: z.enum(truthHopKinds), finding: z.string(), text: z.string() })
    .nullable(),
  compared: z.number(),
  changedAt: time,
});

export type StoredTruthRow = z.infer<typeof storedTruthRow>;
/** All compared resources of a client, as GET clients/{id}/truth answers without a filter. */
export type StoredTruth = z.infer<typeof storedTruthHead> & { readonly rows: readonly StoredTruthRow[] };

export async function toStoredTruth(comparison: TruthComparison): Promise<StoredTruth> {
  const { sources, moment } = comparison;
  return { sources, ...(moment && { moment }), rows: await listTruthRows(comparison) };
}

export function readStoredTruth({ sources, rows, moment }: StoredTruth): TruthComparison {
  return {
    sources,
    ...numberTruthRows(rows, {
      factsOf: ({ typeUrl, name, firstHop, compared }) => ({
        ...{ typeUrl, name, compared },
        differs: firstHop !== null,
      }),
      rowOf: (row) => row,
    }),
    ...(moment && { moment }),
  };
}

/** Of every payload that a row names. */
export function hashesOfTruth({ rows }: StoredTruth): string[] {
  return rows.flatMap(({ words }) => Object.values(words).flatMap((each) => each?.hash ?? []));
}
