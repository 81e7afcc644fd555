/**
 * POST failover/simulate: which endpoints get the requests of a cluster by the rules of gRPC and of Envoy, before and
 * after changes. Numbers in lists are in the order of `priorities` and of what is listed below them.
 */
import * as z from 'zod';
import { endpointFailures } from '../../facts/failing-endpoints';
import { maxChanges } from '../../lb/simulator/change';
import { failoverChange, second } from '../../lb/simulator/change-schema';
import { endpointConditions } from '../../lb/simulator/endpoint-condition';
import { endpointPolicies } from '../../lb/simulator/traffic-cluster';
import { time } from '../fields/answer-fields';
import { moment } from '../fields/moment';
import { profile, profileChoice } from '../findings/schema';

export const failoverQuestion = z.strictObject({
  /** A client, now or `at` a moment; or a permalink. */
  client: z.string().min(1).max(4_096).optional(),
  permalink: z.string().min(1).max(100).optional(),
  at: z.string().max(100).optional(),
  target: z.string().min(1).max(4_096).optional(),
  listener: z.string().max(4_096).optional(),
  /** Default: the first cluster that the routes reach. */
  cluster: z.string().min(1).max(4_096).optional(),
  /** The requests of this id (`requests.items`); absent: all to the cluster. */
  requests: z.string().max(100_000).optional(),
  /** Default: the profile of the client. */
  profile: profileChoice.optional(),
  changes: z.array(failoverChange).max(maxChanges).default([]),
  seconds: second.default(60),
  /** Localities and endpoints whose names contain this text are listed before others. */
  find: z.string().max(4_096).default(''),
});

const share = z.number();

const side = {
  /** Sentences without a full stop. */
  sentences: z.array(z.string()),
  /** Shares from 0 to 1 of the requests that are not dropped. */
  localities: z.array(z.array(share)),
  endpoints: z.array(z.array(z.array(share))),
};

const allEndpoints = z.object({
  /** Absent: the endpoints differ, or there are none. */
  condition: z.enum(endpointConditions).optional(),
  healthy: z.number().int(),
});

const failoverMoment = z.object({
  second: z.number().int(),
  changes: z.array(z.string()),
  /** Changes that match no endpoint. */
  missed: z.array(z.string()),
  /** The weights of the listed localities; null: the locality has none, which a list cannot leave out. */
  weights: z.array(z.array(z.number().nullable())),
  conditions: z.array(z.array(z.array(z.enum(endpointConditions)))),
  /** The state of all endpoints of each priority and of each locality, listed or not. */
  all: z.array(allEndpoints.extend({ localities: z.array(allEndpoints) })),
  grpc: z.object({
    /** waiting: requests are held; failing: they fail with UNAVAILABLE. */
    outcome: z.enum(['served', 'waiting', 'failing']),
    /** The index of the priority whose picker is used; -1: none. */
    chosen: z.number().int(),
    priorities: z.array(
      z.object({
        load: share,
        /** Absent: it has no child. */
        state: z.enum(['IDLE', 'CONNECTING', 'READY', 'TRANSIENT_FAILURE']).optional(),
        ready: z.number().int(),
        /** Endpoints that it is connected to or connects to. */
        wanted: z.number().int(),
        /** Seconds until the failover timer expires; absent: it is not running. */
        failoverIn: z.number().optional(),
        /** Seconds until the child is deactivated; absent: it is in use. */
        deactivateIn: z.number().optional(),
      }),
    ),
    ...side,
  }),
  envoy: z.object({
    /** The share of requests that are answered with 503: no endpoint is available, or the chosen one rejects connections. */
    failing: share,
    /** The share of requests that go to endpoints that are not healthy: whether these serve them is not known. */
    toUnhealthy: share,
    /** The availability in percent, at most 100. */
    totalAvailability: z.number().int(),
    priorities: z.array(
      z.object({
        load: share,
        /** The load in percent of the requests. */
        healthyLoad: z.number().int(),
        degradedLoad: z.number().int(),
        /** The availability in percent, overprovisioning included. */
        healthyAvailability: z.number().int(),
        degradedAvailability: z.number().int(),
        /** Requests go to all its endpoints. */
        isPanic: z.boolean(),
        /** The factor in percent. */
        overprovisioningFactor: z.number(),
        healthy: z.number().int(),
        degraded: z.number().int(),
        /** The number of endpoints, without the excluded ones. */
        total: z.number().int(),
        /** Endpoints that EDS reports as DRAINING, which Envoy does not count. */
        excluded: z.number().int(),
      }),
    ),
    ...side,
  }),
});

export const failoverSimulation = z.object({
  clientId: z.string(),
  at: time,
  revision: z.string(),
  /** The profile of gRPC; for an Envoy, that of C-core. */
  profile,
  /** Absent: there is none to simulate; see notes. Without moments, its shares are not known. */
  cluster: z.string().optional(),
  /**
   * The kinds of requests among which an Envoy that chooses a subset of the hosts distinguishes, if there are several: shares are
   * known of one.
   */
  requests: z
    .object({
      /** Absent: no kind is chosen. */
      chosen: z.string().optional(),
      /** `text` as in "requests with version=1 (3 routes)". ok: they find a host. error: they fail. */
      items: z.array(
        z.object({
          ...{ id: z.string(), text: z.string(), reason: z.string() },
          status: z.enum(['ok', 'error', 'unknown']),
        }),
      ),
    })
    .optional(),
  /**
   * The threshold of the cluster itself: an aggregate divides requests among the priorities of all leaf clusters by
   * it.
   */
  panicThreshold: z.number().int(),
  dropPercent: z.number(),
  /** The retry_on of routes by which an Envoy sends failed requests to the cluster again: its shares are then of attempts. */
  retriedOn: z.array(z.string()),
  /** The time that a slow endpoint takes to connect. */
  slowConnectSeconds: z.number().int(),
  priorities: z.array(
    z.object({
      name: z.string(),
      /** The leaf cluster of the priority. */
      cluster: z.string(),
      /** The policy of gRPC that chooses an endpoint. */
      policy: z.enum(endpointPolicies),
      /** The threshold of the leaf cluster, by which Envoy chooses an endpoint. */
      panicThreshold: z.number().int(),
      weightedPriorityHealth: z.boolean(),
      isLocalityWeighted: z.boolean(),
      isConnected: z
        .literal(true)
        .optional()
        .describe(
          'The client reports that it is connected to the endpoints that gRPC uses. Absent: that is assumed.',
        ),
      hasHosts: z
        .literal(true)
        .optional()
        .describe(
          'An Envoy reports the health of the hosts now. Absent: it is taken from EDS, or as last reported.',
        ),
      localities: z.array(
        z.object({
          name: z.string(),
          weight: z.number().optional(),
          /** Set if every request to it failed lately, by load reports. */
          isFailing: z.literal(true).optional(),
          /**
           * The endpoints, at most 40 per locality and 200 per cluster: changed or found ones first, then those that
           * EDS reports as not healthy.
           */
          endpoints: z.array(
            z.object({
              ...{ address: z.string(), health: z.string(), weight: z.number() },
              seenAs: z
                .string()
                .optional()
                .describe('Why Envoy excludes it; empty if it does not. Absent: the health is that of EDS.'),
              failure: z
                .enum(endpointFailures)
                .optional()
                .describe('The client cannot connect to it, or every request to it failed, as measured.'),
            }),
          ),
          endpointsTotal: z.number().int(),
        }),
      ),
      /** The number of all localities; at most 60 per cluster are listed, as many of each priority. */
      localitiesTotal: z.number().int(),
      endpointsTotal: z.number().int(),
    }),
  ),
  /** Second 0 and every second with an event; at most 200, for large clusters 20. */
  moments: z.array(failoverMoment),
  notes: z.array(z.string()),
  envoyNotes: z.array(z.string()),
  moment: moment.optional(),
});

export type FailoverQuestion = z.infer<typeof failoverQuestion>;
export type FailoverSimulation = z.infer<typeof failoverSimulation>;
export type FailoverMoment = z.infer<typeof failoverMoment>;
