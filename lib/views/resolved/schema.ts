/**
 * GET clients/{id}/resolved and GET permalinks/{id}/resolved: what a client derives from its resources (gRFC A74's
 * XdsConfig), or what it still waits for.
 *
 *   starts[]            listeners that a resolution can begin with; `start` is the one that this answer is about
 *   rejected[]          resources that a probe or a client of another kind accepted, and that a client of the profile
 *                       would reject, with the rule; the config excludes them
 *   status              resolved: all of it would be published; waiting: withheld, see `missing`; error: see `error`;
 *                       unknown: whether the client runs it is not known, see `doubts` and `missing`;
 *                       nothing: the client holds no listener
 *   listener, chains[]  an API listener is one chain; a server's listener has one per filter chain
 *     routeConfigs[]    one, or several with scoped routes
 *     virtualHosts[]    the selected one, or all of them if each request selects one (servers, Envoy without a target)
 *       routes[]        with `use`, and the clusters of each
 *   clusters            a page of all clusters in the closure, in the order in which the routes reach them
 *   ignored[]           parts without effect, with the reason
 */

import * as z from 'zod';
import { callerConditionKinds } from '../../model/caller-condition';
import { configSourceKinds } from '../../model/config-source';
import { referenceHows } from '../../model/references';
import { clusterUseHows, ignoredParts, missingWhys, resolvedClusterStatuses } from '../../resolve/xds-config';
import { profiles } from '../../xds/profile';
import { time } from '../fields/answer-fields';
import { moment } from '../fields/moment';
import { startsFields } from './starts-schema';

const key = { typeUrl: z.string(), name: z.string() };

const usedResource = z.object({
  ...key,
  versionInfo: z.string(),
  hash: z.string().optional(),
  /** The client uses the v2 API; absent: v3. */
  apiVersion: z.literal('v2').optional(),
  /** An ambient error: the last valid config stays in use. Empty if there is none. */
  note: z.string(),
  /**
   * The reason why it is not known whether the client runs it: the setting that decides, and the evidence that would
   * show it. Absent: the client runs it.
   */
  doubt: z.string().optional(),
});

const missingResource = z.object({
  ...key,
  service: z.string(),
  why: z.enum(missingWhys),
  text: z.string(),
  /** As in 'cluster "cart"'. */
  neededBy: z.string(),
  /** The last change of the resource's row; absent: there is no row. */
  since: time.optional(),
});

const ignoredItem = z.object({
  part: z.enum(ignoredParts),
  /** The resource that has it. */
  ...key,
  /** As in "virtualHosts[0].routes[2]". For localities and endpoints: "P0 eu / eu-1 10.0.0.1:80". */
  path: z.string(),
  reason: z.string(),
  /** The rule of section 2.2, as in "R6"; empty if there is none. */
  rule: z.string(),
});

/** A body that another client or a probe accepted, and that a client of the profile would reject. */
const rejectedResource = z.object({
  ...key,
  service: z.string(),
  hash: z.string(),
  /** As in "C6": the first rule for which it is rejected. */
  ruleId: z.string(),
  /** As in "lbPolicy". Empty for the whole resource. */
  fieldPath: z.string(),
  /** Has the path, and the expected and the actual value. */
  message: z.string(),
  /** The number of further findings for which it would be rejected. */
  others: z.number().int(),
  /** An earlier body that the profile accepts stays in use. */
  keepsEarlier: z.boolean(),
});

const resolvedRoute = z.object({
  /** The index in the virtual host. */
  index: z.number().int(),
  name: z.string(),
  match: z.string(),
  /** Set if the route forwards to no fixed cluster. */
  action: z.string(),
  /**
   * used: its witness reaches it. ignored: dropped, or no request reaches it. perhaps: no request is found that reaches it,
   * and it is not proven that there is none.
   */
  use: z.enum(['used', 'perhaps', 'ignored']),
  /** The reason why it is ignored, or what happens to its requests; may be empty. */
  reason: z.string(),
  /**
   * A request that its own matcher matches, as in "GET shop.example/cart". If it is not used, another route takes the
   * request. Absent: none is found.
   */
  witness: z.string().optional(),
  /** Set if earlier routes take all of its requests. */
  isNeverReached: z.literal(true).optional(),
  clusters: z.array(
    z.object({
      ...{ name: z.string(), weight: z.number(), use: z.enum(['used', 'ignored']) },
      /** Why the requests of the route to it fail. Absent: they find an endpoint, or it is not known. */
      fails: z.string().optional(),
    }),
  ),
});

const resolvedHost = z.object({
  /** The resource that has it, and the path in it. */
  ...key,
  path: z.string(),
  routeConfig: z.string(),
  host: z.string(),
  domains: z.array(z.string()),
  /** The domain that the authority matched; absent if each request has its own authority. */
  matchedDomain: z.string().optional(),
  /** 200 routes, from `routesFrom` on. */
  routes: z.array(resolvedRoute),
  routesTotal: z.number().int(),
  /** The number of routes that no request reaches, and of those of which it is not decided. */
  neverReached: z.number().int(),
  perhapsReached: z.number().int(),
  /** Set if a matcher tree chooses the route, in place of a list: the number of routes that it can lead to. */
  matcherRoutes: z.number().int().optional(),
});

const resolvedChain = z.object({
  name: z.string(),
  match: z.string(),
  routeConfigs: z.array(
    z.object({
      source: z.enum(['rds', 'inline', 'scoped']),
      name: z.string(),
      resource: usedResource.optional(),
      virtualHosts: z.number().int(),
      /** For scoped routes: the requests of the scope. */
      scope: z.string(),
      error: z.string(),
      notes: z.array(z.string()),
    }),
  ),
  /** 100 virtual hosts, from `hostsFrom` on. */
  virtualHosts: z.array(resolvedHost),
  virtualHostsTotal: z.number().int(),
  httpFilters: z.array(
    z.object({
      name: z.string(),
      typeName: z.string(),
      use: z.enum(['used', 'ignored']),
      reason: z.string(),
      /** For an RBAC filter that is used: which requests it denies. Empty: none. */
      denied: z.string(),
      /** The requests that it answers in place of a host, as in "answers requests beyond its limit with 429". */
      answers: z.string().optional(),
    }),
  ),
  /** What must hold so that an Envoy serves a connection, as in "the caller uses TLS"; empty if nothing must. */
  conditions: z.array(z.object({ kind: z.enum(callerConditionKinds), text: z.string() })),
  /** Network filters that can deny connections. */
  networkFilters: z.array(z.object({ name: z.string(), denied: z.string() })),
  tcpClusters: z.array(z.object({ name: z.string(), weight: z.number() })),
  /** The secrets (SDS) that its connections use. */
  secrets: z.array(z.string()),
  /**
   * Set if each of its connections or requests fails. `by`: the resource of which nothing is in effect. `isUnmatched`: no connection
   * gets to it.
   */
  failure: z
    .object({
      text: z.string(),
      by: z.object({ typeUrl: z.string(), name: z.string() }).optional(),
      isUnmatched: z.literal(true).optional(),
    })
    .optional(),
});

const resolvedEndpoint = z.object({
  address: z.string(),
  additionalAddresses: z.array(z.string()),
  hostname: z.string(),
  /** envoy.config.core.v3.HealthStatus. */
  health: z.string(),
  weight: z.number().optional(),
  use: z.enum(['used', 'ignored']),
  reason: z.string(),
});

const resolvedLocality = z.object({
  locality: z.string(),
  weight: z.number().optional(),
  use: z.enum(['used', 'ignored']),
  reason: z.string(),
  endpoints: z.array(resolvedEndpoint),
  endpointsTotal: z.number().int(),
});

const resolvedCluster = z.object({
  name: z.string(),
  /**
   * error: RPCs to it fail, and other clusters work. waiting: see `missing`. unknown: see `doubt` of its resources,
   * `missing`, or `notModelled`.
   */
  status: z.enum(resolvedClusterStatuses),
  error: z.string(),
  resource: usedResource.optional(),
  usedBy: z.array(z.object({ how: z.enum(clusterUseHows), by: z.string() })),
  usedByTotal: z.number().int(),
  kind: z.enum(['endpoints', 'dns', 'aggregate', 'other', 'unknown']),
  lbPolicies: z.array(z.string()),
  /**
   * The reason why there are no endpoints, or why they are not usable; at its end the error text of RPCs (gRFC A74).
   */
  resolutionNote: z.string(),
  /** What decides whether a request is served and is not known, as "lb_subset_config: ...". Absent: nothing. */
  notModelled: z.string().optional(),
  /** What an Envoy that chooses a subset of the hosts by the metadata of each request does with which requests. */
  subsets: z
    .array(
      z.object({
        /** As in "requests with version=1 (3 routes)". */
        requests: z.string(),
        /** ok: they find a host. error: they fail. */
        status: z.enum(['ok', 'error', 'unknown']),
        text: z.string(),
      }),
    )
    .optional(),
  /** The name of the EDS resource; empty for other clusters. */
  serviceName: z.string(),
  endpointsResource: usedResource.optional(),
  use: z.object({
    priorities: z.number().int(),
    localities: z.number().int(),
    endpoints: z.number().int(),
    usable: z.number().int(),
    /**
     * Endpoints to which the client cannot connect, or to which every request has failed: of the usable ones, or with
     * `panicThreshold` of all. Absent: none.
     */
    failing: z.number().int().optional(),
    /** Set if each request failed lately, by load reports: to the cluster, or to some of its localities or endpoints. */
    failingLoad: z.enum(['all', 'some']).optional(),
    /** Set if too few endpoints of a priority are healthy, and Envoy sends its requests to all: the threshold in per cent. */
    panicThreshold: z.number().optional(),
  }),
  /** How the requests of the client to it ended lately, as measured; absent: none had ended, or not measured. */
  measured: z
    .object({
      /** As in "18 of 20 completed requests of the last 5 minutes failed, by load reports". */
      text: z.string(),
      by: z.enum(['lrs', 'envoy-admin']),
      errors: z.number().int(),
      completed: z.number().int(),
      /** The time of the newest report. */
      at: time,
      /** The endpoints and localities to which every completed request failed. */
      addresses: z.array(z.string()),
      localities: z.array(z.string()),
    })
    .optional(),
  /** The priorities in the order of their use; at most `endpoints` (100) of a cluster are listed. */
  priorities: z.array(z.object({ priority: z.number().int(), localities: z.array(resolvedLocality) })),
  dropOverloads: z.array(z.object({ category: z.string(), percent: z.number().optional() })),
  /** The "host:port" of logical DNS; its addresses are not known. */
  dnsHosts: z.array(z.string()),
  /** The leaves of an aggregate cluster, in the order of their use. */
  leafClusters: z.array(z.string()),
  skipped: z.array(z.object({ name: z.string(), reason: z.string() })),
  /** As in "a > b > a". */
  cycles: z.array(z.string()),
  missing: z.array(missingResource),
  /** Rejected bodies of the cluster and of its endpoints. */
  rejected: z.array(rejectedResource),
});

export const resolved = z.object({
  clientId: z.string(),
  at: time,
  /** Equal as long as the client and the question are unchanged. */
  revision: z.string(),
  profile: z.enum(profiles),
  ...startsFields,
  start: z
    .object({
      listener: z.string(),
      /** The requested target; absent if a listener or nothing was requested. */
      target: z.string().optional(),
      /** The authority that selects the virtual host; absent if each request has its own. */
      authority: z.string().optional(),
      kind: z.enum(['api', 'server', 'unknown']),
      address: z.string(),
    })
    .optional(),
  status: z.enum(['resolved', 'waiting', 'unknown', 'error', 'nothing']),
  /** The reason why the whole config fails (gRFC A74); empty if it does not. */
  error: z.string(),
  /** Why no client is known to run the config, so that it only would resolve. Absent: one is. */
  noClient: z.string().optional(),
  /**
   * What the client reports of its channel to the target, whatever the config states: RPCs fail. Absent: not reported, or
   * the channel does not fail.
   */
  channelFailure: z.string().optional(),
  /** The first 200. */
  missing: z.array(missingResource),
  missingTotal: z.number().int(),
  notes: z.array(z.string()),
  /**
   * The reasons why it is not known whether the client runs the listener and its route configurations: the settings
   * that decide, and the evidence that would show it. Empty if it is known.
   */
  doubts: z.array(z.string()),
  listener: usedResource.optional(),
  /**
   * Rejected bodies of the listener and its route configurations, the first 200; those of clusters are with the
   * clusters.
   */
  rejected: z.array(rejectedResource),
  /** The number of all bodies that a client of the profile would reject: listener, routes, clusters and endpoints. */
  rejectedTotal: z.number().int(),
  chains: z.array(resolvedChain),
  /** Clusters whose names only requests determine (RLS, cluster_header). */
  dynamic: z.array(z.object({ plugin: z.string(), typeName: z.string(), text: z.string() })),
  clusters: z.object({
    total: z.number().int(),
    byStatus: z.object({
      ok: z.number().int(),
      error: z.number().int(),
      waiting: z.number().int(),
      unknown: z.number().int(),
    }),
    offset: z.number().int(),
    items: z.array(resolvedCluster),
  }),
  /** The first 500. */
  ignored: z.array(ignoredItem),
  ignoredTotal: z.number().int(),
  /** Absent: now. */
  moment: moment.optional(),
});

/** GET clients/{id}/witnesses: a request for each route of the effective config. */
export const witnesses = z.object({
  clientId: z.string(),
  at: time,
  profile: z.enum(profiles),
  /** The address of the listener; empty for an API listener. */
  address: z.string(),
  total: z.number().int(),
  /** The first 20,000. A route for which no request is found has none. */
  items: z.array(
    z.object({
      virtualHost: z.string(),
      /** The name of the route, or its place as in "route 3". */
      route: z.string(),
      reach: z.enum(['reached', 'never', 'perhaps']),
      /** The route that takes the request. */
      takenBy: z.string(),
      /** The cluster of that route; absent if it does not forward to one cluster. */
      cluster: z.string().optional(),
      request: z.object({
        method: z.string(),
        scheme: z.enum(['http', 'https']),
        authority: z.string(),
        path: z.string(),
        headers: z.array(z.tuple([z.string(), z.string()])),
      }),
    }),
  ),
  /** Absent: now. */
  moment: moment.optional(),
});

export const referenceKinds = ['dangling', 'orphan', 'dynamic'] as const;

/** GET clients/{id}/references?kind=: references to missing resources, or resources or clusters without a reference. */
export const references = z.object({
  kind: z.enum(referenceKinds),
  total: z.number().int(),
  offset: z.number().int(),
  items: z.array(
    z.object({
      ...key,
      service: z.string(),
      /** The first 20 resources that reference a dangling one; empty for the others. */
      usedBy: z.array(
        z.object({ ...key, how: z.enum(referenceHows), from: z.enum(configSourceKinds).optional() }),
      ),
      usedByTotal: z.number().int(),
      reason: z.string(),
    }),
  ),
  /** Absent: now. */
  moment: moment.optional(),
});

export type UsedResource = z.infer<typeof usedResource>;
export type RejectedResource = z.infer<typeof rejectedResource>;
export type Resolved = z.infer<typeof resolved>;
export type ResolvedCluster = z.infer<typeof resolvedCluster>;
export type ResolvedChain = z.infer<typeof resolvedChain>;
export type ResolvedHost = z.infer<typeof resolvedHost>;
export type ResolvedRoute = z.infer<typeof resolvedRoute>;
export type ResolvedLocality = z.infer<typeof resolvedLocality>;
export type IgnoredItem = z.infer<typeof ignoredItem>;
export type MissingItem = z.infer<typeof missingResource>;
export type Witnesses = z.infer<typeof witnesses>;
export type References = z.infer<typeof references>;
export type ReferenceListKind = (typeof referenceKinds)[number];
