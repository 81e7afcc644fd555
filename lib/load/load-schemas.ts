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
   * Whether reports contain a valid interval. The others (the first one of grpc-go covers 292 years) are separate series:
   * they count in totals, but not in rates.
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
