/** GET clients/{id}/failovers: which priority of a cluster received traffic when, by the endpoints that EDS delivered. */
import * as z from 'zod';
import { trafficTurns } from '../../lb/find-failovers';
import { time } from '../fields/answer-fields';
import { profile } from '../findings/schema';

export const failovers = z.object({
  clientId: z.string(),
  /** The profile of gRPC that the periods follow; for an Envoy, that of C-core. */
  profile,
  from: time,
  to: time,
  /** Absent: the config has no cluster. */
  cluster: z.string().optional(),
  /**
   * The beginning of the periods: the client's first observation in the log, or a later one for a long past. Absent: there
   * is none.
   */
  beginsAt: time.optional(),
  /** The log has earlier observations of the client. */
  hasOlder: z.boolean(),
  /** The log has more observations than are read for one question: the newest part is missing. */
  isCut: z.boolean(),
  total: z.number().int(),
  /** The newest ones, oldest first; at most 500. */
  items: z.array(
    z.object({
      /**
       * For gRPC: failover, to a lower priority; return, to a higher one; lost: no priority is left. spill: gRPC keeps
       * its priority, and the shares of Envoy change. other: priorities or localities are added, removed or renamed.
       */
      turn: z.enum(trafficTurns),
      fromAt: time,
      /** Absent: it lasts. */
      toAt: time.optional(),
      priorities: z.array(z.string()),
      /** The priority of gRPC's requests; absent: they fail. */
      grpc: z.string().optional(),
      /** Percent of Envoy's requests, in the order of `priorities`. Empty: not known, see `envoySentences`. */
      envoy: z.array(z.number().int()),
      /** The localities, each with the index of its priority. Absent: equal to the item before. */
      places: z
        .array(z.object({ cluster: z.string(), locality: z.string(), priority: z.number().int() }))
        .optional(),
      grpcSentences: z.array(z.string()),
      envoySentences: z.array(z.string()),
      /**
       * The distribution of completed requests, by the client's load reports of that time; the largest share first.
       * Absent: there are no reports, or it is not one of the newest 20 periods.
       */
      measured: z
        .array(
          z.object({
            /** The leaf of an aggregate cluster; absent: the cluster itself. */
            cluster: z.string().optional(),
            locality: z.string(),
            requests: z.number().int(),
            share: z.number(),
          }),
        )
        .optional(),
    }),
  ),
});

export type FailoverHistory = z.infer<typeof failovers>;
export type FailoverPeriod = FailoverHistory['items'][number];
