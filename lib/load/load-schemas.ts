import * as z from 'zod';
import { count, locality, vantage } from '../observation/field-schemas';

const scope = z.object({
  sourceId: z.string(),
  vantage,
  clientId: z.string(),
  clusterName: z.string(),
  clusterServiceName: z.string(),
  /** The index among the client's streams at the same time, from 0. A gauge is of one stream. */
  stream: count,
  /**
   * True if reports contain a valid interval. The others (the first one of grpc-go covers 292 years) are separate
   * series: they count in totals, but not in rates.
   */
  isTimed: z.boolean(),
});

const place = { locality, priority: count };

const part = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('cluster') }),
  z.object({ kind: z.literal('drop'), category: z.string() }),
  z.object({ kind: z.literal('locality'), ...place }),
  z.object({ kind: z.literal('endpoint'), ...place, address: z.string() }),
  /** `address`: empty for the whole locality. */
  z.object({ kind: z.literal('metric'), ...place, address: z.string(), name: z.string() }),
]);

export const numberedSeries = z.array(z.object({ id: count, series: z.object({ scope, part }) }));

/** Identifies a group. Values are summed over absent fields. */
export const groupKey = z.object({
  clusterName: z.string().optional(),
  /** EDS service name; empty: the name of the cluster. */
  clusterServiceName: z.string().optional(),
  clientId: z.string().optional(),
  /** The locality of the client’s node; null is the group of the clients that report none, and absent a sum over all. */
  sourceLocality: locality.nullable().optional(),
  locality: locality.optional(),
  priority: count.optional(),
  address: z.string().optional(),
  /** Empty: the report has no category, as for circuit breakers. */
  category: z.string().optional(),
  metric: z.string().optional(),
});

export const splitLine = z.object({
  name: z.string(),
  /** The expected share, from 0 to 1; absent: not known. */
  expected: z.number().optional(),
  /** Requests. */
  measured: count,
  /** The share of all measured requests; absent: there are none. */
  share: z.number().optional(),
  /** The range of shares that chance explains; absent: the expected or the measured share is not known. */
  chance: z.object({ from: z.number(), to: z.number() }).optional(),
  verdict: z.enum(['within', 'more', 'less', 'unknown']),
});
