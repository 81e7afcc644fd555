/** GET clients/{id}/failovers: which priority of a cluster carried traffic when, by the endpoints that EDS delivered. */
import { z } from 'zod';
import { clientKinds } from '../lb/client-kind';
import { trafficTurns } from '../lb/find-failovers';
import { time } from './words';

export const failovers = z.object({
  clientId: z.string(),
  clientKind: z.enum(clientKinds),
  from: time,
  to: time,
  /** null: the config has none. */
  cluster: z.string().nullable(),
  /** Where the periods begin: with the client's first observation in the log, or, of a long past, later. null: nothing is reported. */
  beginsAt: time.nullable(),
  /** The log has the client before that, too. */
  hasOlder: z.boolean(),
  /** The log holds more of this client than is read for one question: the newest part is missing. */
  isCut: z.boolean(),
  total: z.number().int(),
  /** The newest, oldest first; at most 500. */
  items: z.array(
    z.object({
      /**
       * For gRPC: failover, to a lower priority; return, to a higher one; lost: nobody is left. spill: gRPC stays, and
       * Envoy's shares are other ones. other: priorities or localities came, went, or have other names.
       */
      turn: z.enum(trafficTurns),
      fromAt: time,
      /** null: it lasts. */
      toAt: time.nullable(),
      priorities: z.array(z.string()),
      /** The one that has gRPC's requests; null: they fail. */
      grpc: z.string().nullable(),
      /** Whole per cent of Envoy's requests, in the order of `priorities`. */
      envoy: z.array(z.number().int()),
      /** Localities, and the place of the priority that each is in. null: as in the item before. */
      places: z
        .array(z.object({ cluster: z.string(), locality: z.string(), priority: z.number().int() }))
        .nullable(),
      grpcSentences: z.array(z.string()),
      envoySentences: z.array(z.string()),
      /**
       * Where requests that ended went, by the client's load reports of that time; the largest first. Not there: none
       * was reported, or it is not one of the newest 20 periods.
       */
      measured: z
        .array(
          z.object({
            /** The leaf, of an aggregate cluster; not there: the cluster itself. */
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
