/**
 * POST failover/simulate: who gets the requests of a cluster by gRPC's rules and by Envoy's, and who would, if.
 *
 * Numbers in lists are in the order of `priorities` and of what is listed below them.
 */
import { z } from 'zod';
import { clientKinds } from '../lb/client-kind';
import { maxChanges } from '../lb/simulator/change';
import { endpointConditions } from '../lb/simulator/endpoint-condition';
import { endpointPolicies } from '../lb/simulator/traffic-cluster';
import { moment } from './moment';

const second = z.number().int().min(0).max(3_600);

/** What is left out means all. */
const target = z.strictObject({
  /** Place among `priorities`, from 0. */
  priority: z.number().int().min(0).max(10_000).optional(),
  /** In words, as in `priorities`: "eu / eu-1". */
  locality: z.string().max(4_096).optional(),
  address: z.string().max(4_096).optional(),
});

export const failoverChange = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('condition'), at: second, target, to: z.enum(endpointConditions) }),
  /** Of localities. */
  z.strictObject({
    kind: z.literal('weight'),
    at: second,
    target,
    weight: z.number().int().min(0).max(4_294_967_295),
  }),
  /** The overprovisioning factor, per cent. */
  z.strictObject({ kind: z.literal('factor'), at: second, percent: z.number().int().min(1).max(10_000) }),
]);

export const failoverQuestion = z.strictObject({
  /** A client, of now or `at` a moment; or a permalink. */
  client: z.string().min(1).max(4_096).optional(),
  permalink: z.string().min(1).max(100).optional(),
  at: z.string().max(100).optional(),
  target: z.string().min(1).max(4_096).optional(),
  listener: z.string().max(4_096).optional(),
  /** By default the first that the routes reach. */
  cluster: z.string().min(1).max(4_096).optional(),
  /** By default what the client is. */
  clientKind: z.enum(clientKinds).optional(),
  changes: z.array(failoverChange).max(maxChanges).default([]),
  /** How far it is played. */
  seconds: second.default(60),
  /** Of a large cluster, localities and endpoints whose names contain this are listed before others. */
  find: z.string().max(4_096).default(''),
});

const share = z.number();

const side = {
  /** A sentence each, without full stop. */
  sentences: z.array(z.string()),
  /** 0..1 of the requests that are not dropped. */
  localities: z.array(z.array(share)),
  endpoints: z.array(z.array(z.array(share))),
};

export const failoverMoment = z.object({
  second: z.number().int(),
  /** What was changed, in words. */
  changes: z.array(z.string()),
  /** Of those, the ones that concern nobody. */
  missed: z.array(z.string()),
  overprovisioningFactor: z.number(),
  weights: z.array(z.array(z.number().nullable())),
  /** Of the listed endpoints. */
  conditions: z.array(z.array(z.array(z.enum(endpointConditions)))),
  grpc: z.object({
    /** waiting: requests are held; failing: UNAVAILABLE. */
    outcome: z.enum(['served', 'waiting', 'failing']),
    /** Place of the priority whose picker is used; -1: none. */
    chosen: z.number().int(),
    priorities: z.array(
      z.object({
        load: share,
        /** null: it has no child. */
        state: z.enum(['IDLE', 'CONNECTING', 'READY', 'TRANSIENT_FAILURE']).nullable(),
        ready: z.number().int(),
        /** Endpoints that it has connections to, or wants. */
        wanted: z.number().int(),
        /** Seconds that the failover timer still runs; null: it does not. */
        failoverIn: z.number().nullable(),
        /** Seconds until it is given up; null: it is in use. */
        deactivateIn: z.number().nullable(),
      }),
    ),
    ...side,
  }),
  envoy: z.object({
    /** Nobody is available and panic does not help: 503. */
    isUnserved: z.boolean(),
    /** Per cent, at most 100. */
    totalAvailability: z.number().int(),
    priorities: z.array(
      z.object({
        load: share,
        /** Whole per cent of requests. */
        healthyLoad: z.number().int(),
        degradedLoad: z.number().int(),
        /** Per cent, overprovisioning included. */
        healthyAvailability: z.number().int(),
        degradedAvailability: z.number().int(),
        isPanic: z.boolean(),
        healthy: z.number().int(),
        degraded: z.number().int(),
        total: z.number().int(),
      }),
    ),
    ...side,
  }),
});

export const failoverSimulation = z.object({
  clientId: z.string(),
  at: z.iso.datetime(),
  revision: z.string(),
  clientKind: z.enum(clientKinds),
  /** null: there is none to simulate; see notes. */
  cluster: z.string().nullable(),
  /** gRPC's. */
  policy: z.enum(endpointPolicies),
  panicThreshold: z.number().int(),
  weightedPriorityHealth: z.boolean(),
  isLocalityWeighted: z.boolean(),
  dropPercent: z.number(),
  /** How long a slow endpoint takes to connect. */
  slowConnectSeconds: z.number().int(),
  priorities: z.array(
    z.object({
      name: z.string(),
      /** The leaf cluster that it is of. */
      cluster: z.string(),
      localities: z.array(
        z.object({
          name: z.string(),
          weight: z.number().nullable(),
          /**
           * At most 40 are listed, and 200 of the cluster: who is changed or found first, then who is not healthy by EDS.
           */
          endpoints: z.array(z.object({ address: z.string(), health: z.string(), weight: z.number() })),
          endpointsTotal: z.number().int(),
        }),
      ),
      /** All of them; at most 60 are listed of the cluster, as many of each priority. */
      localitiesTotal: z.number().int(),
      endpointsTotal: z.number().int(),
    }),
  ),
  /** Second 0, and every second in which something happens; at most 200, and of large clusters 20. */
  moments: z.array(failoverMoment),
  notes: z.array(z.string()),
  /** Of Envoy's side alone. */
  envoyNotes: z.array(z.string()),
  moment: moment.optional(),
});

export type FailoverQuestion = z.infer<typeof failoverQuestion>;
export type FailoverSimulation = z.infer<typeof failoverSimulation>;
export type FailoverMoment = z.infer<typeof failoverMoment>;
export type FailoverChange = z.infer<typeof failoverChange>;
