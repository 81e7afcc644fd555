/**
 * GET clients/{id}/resolved and GET permalinks/{id}/resolved: what a client makes of its resources (gRFC A74's
 * XdsConfig), or what it still waits for.
 *
 *   starts[]            listeners that a resolution can begin with; `start` is the one that this answer is about
 *   rejected[]           where somebody else accepted what is here (a probe, a client of another kind): what a client of
 *                       the profile would reject, and the rule; the config is made without it
 *   status              resolved: all of it would be published; waiting: withheld, see `missing`; error: see `error`;
 *                       nothing: the client holds no listener
 *   listener, chains[]  an API listener is one chain; a server's listener has one per filter chain
 *     routeConfigs[]    one each, but for scoped routes
 *     virtualHosts[]    the selected one; all of them where each request chooses (servers, Envoy without a target)
 *       routes[]        with `use`, and the clusters of each
 *   clusters            a page of all clusters in the closure, in the order in which the routes reach them
 *   ignored[]           what is there and has no effect, and why
 */
import { z } from 'zod';
import { configSourceKinds } from '../model/config-source';
import { referenceHows } from '../model/references';
import { errorModels, resolveProfiles } from '../resolve/resolve-profile';
import { tearKinds } from '../resolve/tear-kind';
import { clusterUseHows, ignoredParts, missingWhys, resolvedClusterStatuses } from '../resolve/xds-config';
import { clientStatuses } from '../xds/status';
import { moment } from './moment';
import { time } from './words';

const key = { typeUrl: z.string(), name: z.string() };

export const usedResource = z.object({
  ...key,
  versionInfo: z.string(),
  hash: z.string().nullable(),
  /** It came in the v2 API; not there: v3. */
  apiVersion: z.literal('v2').optional(),
  /** An ambient error: the last good config stays in use. Empty when all is well. */
  note: z.string(),
});

export const missingResource = z.object({
  ...key,
  service: z.string(),
  why: z.enum(missingWhys),
  /** In words. */
  text: z.string(),
  /** As in 'cluster "cart"'. */
  neededBy: z.string(),
  /** Last change of the resource's row; null when there is none. */
  since: time.nullable(),
});

export const ignoredItem = z.object({
  part: z.enum(ignoredParts),
  /** The resource that it is in. */
  ...key,
  /** As in the resource's JSON: "virtualHosts[0].routes[2]". Localities and endpoints: "P0 eu / eu-1 10.0.0.1:80". */
  path: z.string(),
  reason: z.string(),
  /** Rule of section 2.2, as in "R6"; empty when there is none. */
  rule: z.string(),
});

/** A body that somebody else accepted, and a client of the profile would not. */
export const rejectedResource = z.object({
  ...key,
  service: z.string(),
  hash: z.string(),
  /** As in "C6"; the first of the rules that it is rejected for. */
  ruleId: z.string(),
  /** As in the resource's JSON: "lbPolicy". Empty for the whole. */
  fieldPath: z.string(),
  /** Path, expected and got. */
  message: z.string(),
  /** How many more findings it would be rejected for. */
  others: z.number().int(),
  /** An earlier body that the profile takes stays in use. */
  keepsEarlier: z.boolean(),
});

export const resolvedRoute = z.object({
  /** In the virtual host, from 0. */
  index: z.number().int(),
  name: z.string(),
  /** In words. */
  match: z.string(),
  /** In words, where it forwards to no fixed cluster. */
  action: z.string(),
  /** ignored: dropped, or no request reaches it. */
  use: z.enum(['used', 'ignored']),
  /** Why it is ignored, or what becomes of its requests; empty when there is nothing to say. */
  reason: z.string(),
  clusters: z.array(z.object({ name: z.string(), weight: z.number(), use: z.enum(['used', 'ignored']) })),
});

export const resolvedHost = z.object({
  /** The resource that it is in, and where. */
  ...key,
  path: z.string(),
  routeConfig: z.string(),
  host: z.string(),
  domains: z.array(z.string()),
  /** The domain that the authority matched; null where each request chooses. */
  matchedDomain: z.string().nullable(),
  /** 200 from its page in `routesFrom` on. */
  routes: z.array(resolvedRoute),
  routesTotal: z.number().int(),
});

export const resolvedChain = z.object({
  name: z.string(),
  match: z.string(),
  routeConfigs: z.array(
    z.object({
      source: z.enum(['rds', 'inline', 'scoped']),
      name: z.string(),
      resource: usedResource.nullable(),
      virtualHosts: z.number().int(),
      /** For scoped routes: which requests. */
      scope: z.string(),
      error: z.string(),
      notes: z.array(z.string()),
    }),
  ),
  /** 100 from its page in `hostsFrom` on. */
  virtualHosts: z.array(resolvedHost),
  virtualHostsTotal: z.number().int(),
  httpFilters: z.array(
    z.object({
      name: z.string(),
      typeName: z.string(),
      use: z.enum(['used', 'ignored']),
      reason: z.string(),
    }),
  ),
  tcpClusters: z.array(z.object({ name: z.string(), weight: z.number() })),
});

export const resolvedEndpoint = z.object({
  address: z.string(),
  additionalAddresses: z.array(z.string()),
  hostname: z.string(),
  /** envoy.config.core.v3.HealthStatus. */
  health: z.string(),
  weight: z.number().nullable(),
  use: z.enum(['used', 'ignored']),
  reason: z.string(),
});

export const resolvedLocality = z.object({
  /** In words. */
  locality: z.string(),
  weight: z.number().nullable(),
  use: z.enum(['used', 'ignored']),
  reason: z.string(),
  endpoints: z.array(resolvedEndpoint),
  endpointsTotal: z.number().int(),
});

export const resolvedCluster = z.object({
  name: z.string(),
  /** error: RPCs to it fail, the other clusters work. waiting: see `missing`. */
  status: z.enum(resolvedClusterStatuses),
  error: z.string(),
  resource: usedResource.nullable(),
  usedBy: z.array(z.object({ how: z.enum(clusterUseHows), by: z.string() })),
  usedByTotal: z.number().int(),
  kind: z.enum(['endpoints', 'dns', 'aggregate', 'other', 'unknown']),
  lbPolicies: z.array(z.string()),
  /** Why there are no endpoints, or what is wrong with them; ends in the error text of RPCs (gRFC A74). */
  resolutionNote: z.string(),
  /** EDS: the resource's name; else empty. */
  serviceName: z.string(),
  endpointsResource: usedResource.nullable(),
  use: z.object({
    priorities: z.number().int(),
    localities: z.number().int(),
    endpoints: z.number().int(),
    usable: z.number().int(),
  }),
  /** In the order in which they are tried; at most `endpoints` (100) of a cluster are listed. */
  priorities: z.array(z.object({ priority: z.number().int(), localities: z.array(resolvedLocality) })),
  dropOverloads: z.array(z.object({ category: z.string(), percent: z.number().nullable() })),
  /** Logical DNS: "host:port". What they resolve to is not known. */
  dnsHosts: z.array(z.string()),
  /** Aggregates: flattened, in the order in which they are tried. */
  leafClusters: z.array(z.string()),
  skipped: z.array(z.object({ name: z.string(), reason: z.string() })),
  /** As in "a > b > a". */
  cycles: z.array(z.string()),
  missing: z.array(missingResource),
  /** The cluster's own body, or its endpoints'. */
  rejected: z.array(rejectedResource),
});

export const resolved = z.object({
  clientId: z.string(),
  /** The moment that it is true for. */
  at: time,
  /** The same as long as the client and the question stay the same. */
  revision: z.string(),
  profile: z.enum(resolveProfiles),
  errors: z.enum(errorModels),
  /** The first 200 of `startsTotal`. */
  starts: z.array(
    z.object({
      listener: z.string(),
      kind: z.enum(['api', 'server', 'unknown']),
      address: z.string(),
      clientStatus: z.enum(clientStatuses),
    }),
  ),
  startsTotal: z.number().int(),
  start: z
    .object({
      listener: z.string(),
      /** As asked; null when a listener was asked for, or nothing. */
      target: z.string().nullable(),
      /** What the virtual host is chosen by; null where each request brings its own. */
      authority: z.string().nullable(),
      kind: z.enum(['api', 'server', 'unknown']),
      address: z.string(),
    })
    .nullable(),
  status: z.enum(['resolved', 'waiting', 'error', 'nothing']),
  /** Why the whole config fails (gRFC A74); empty when it does not. */
  error: z.string(),
  /** The first 200. */
  missing: z.array(missingResource),
  missingTotal: z.number().int(),
  notes: z.array(z.string()),
  listener: usedResource.nullable(),
  /** The listener's body, or its route configurations'; those of clusters are with the clusters. The first 200. */
  rejected: z.array(rejectedResource),
  /** Listener, routes, clusters and endpoints: how many the profile's client would reject. */
  rejectedTotal: z.number().int(),
  chains: z.array(resolvedChain),
  /** Clusters that are named only when requests come (RLS, cluster_header). */
  dynamic: z.array(z.object({ plugin: z.string(), typeName: z.string(), text: z.string() })),
  clusters: z.object({
    total: z.number().int(),
    byStatus: z.object({ ok: z.number().int(), error: z.number().int(), waiting: z.number().int() }),
    offset: z.number().int(),
    items: z.array(resolvedCluster),
  }),
  /** The first 500. */
  ignored: z.array(ignoredItem),
  ignoredTotal: z.number().int(),
  /** Not there: now. */
  moment: moment.optional(),
});

const felt = z.object({
  /** fails: requests failed; waits: they, or the new config, were held back; nothing: the old config served on. */
  outcome: z.enum(['fails', 'waits', 'nothing']),
  durationMs: z.number(),
  /** In words. */
  text: z.string(),
});

/** GET clients/{id}/tears: intervals in which what was in use did not fit together. */
export const tears = z.object({
  clientId: z.string(),
  profile: z.enum(resolveProfiles),
  errors: z.enum(errorModels),
  from: time,
  to: time,
  start: z.object({ listener: z.string(), authority: z.string().nullable() }).nullable(),
  /**
   * Where the periods begin: with the client's first observation in the log, or, of a long past, with what it was some
   * 16,000 observations before `to`, or just before `from`. null: the log reports nothing of it.
   */
  beginsAt: time.nullable(),
  /** The log has the client before that, too: ask again with `to` = `beginsAt`. What was torn by then is torn from there on. */
  hasOlder: z.boolean(),
  /** The telling ends before `to`: ask again with `from` = `reportedTo`. */
  isCut: z.boolean(),
  /** How far it was reported. */
  reportedTo: time,
  total: z.number().int(),
  /** The newest ones, or those nearest to a moment that was asked for, oldest first; at most 500. */
  items: z.array(
    z.object({
      kind: z.enum(tearKinds),
      fromAt: time,
      /** null: it lasts. */
      toAt: time.nullable(),
      durationMs: z.number(),
      /** What is missing, then who names it. */
      resources: z.array(z.object({ ...key, service: z.string() })),
      /** What came and the profile's client would reject, and why; empty where nothing came. */
      rejection: z.string(),
      /** A client for which each resource takes effect when it comes. */
      preA74: felt,
      /** gRFC A74: a client that publishes whole configs only. */
      a74: felt,
    }),
  ),
});

export const referenceKinds = ['dangling', 'orphan'] as const;

/** GET clients/{id}/references?kind=: what is named and not there; what is there and not used. */
export const references = z.object({
  kind: z.enum(referenceKinds),
  total: z.number().int(),
  offset: z.number().int(),
  items: z.array(
    z.object({
      ...key,
      service: z.string(),
      /** Dangling: who names it, the first 20; empty for an orphan. */
      usedBy: z.array(
        z.object({ ...key, how: z.enum(referenceHows), from: z.enum(configSourceKinds).nullable() }),
      ),
      usedByTotal: z.number().int(),
      /** In words. */
      reason: z.string(),
    }),
  ),
  /** Not there: now. */
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
export type Tears = z.infer<typeof tears>;
export type References = z.infer<typeof references>;
export type ReferenceListKind = (typeof referenceKinds)[number];
