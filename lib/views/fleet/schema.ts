/**
 * GET fleet and GET cohorts: a window of the list of clients, sorted, filtered and grouped by the server, and groups of
 * clients with equal content.
 */

import * as z from 'zod';
import { state } from '../../observation/field-schemas';
import { clientSummary } from '../client/schema';
import { time } from '../fields/answer-fields';
import { described, limit, offset } from '../fields/query-fields';

const count = z.number().int();

export const filter = described(
  z.string().max(4096).default(''),
  'A filter: words and key=value, key!=value, key~part, as in cart zone=eu-1 meta.version=v2 status=NACKED.',
);

export const fleetQuery = z.strictObject({
  q: filter,
  sort: described(
    z
      .string()
      .regex(/^-?[^\s-][^\s]{0,80}$/, 'expected a column, or - and a column')
      .default('client'),
    'A column: client, status, trouble, nacks, config, resources, version, size, cluster, locality, agent, changed, seen, or a type, as in cds. A leading - sorts in descending order.',
  ),
  group: described(
    z.string().max(256).optional(),
    'cluster, region, zone, subzone, locality, agent, source, scope, fresh, worst or meta.KEY.',
  ),
  open: described(
    z.array(z.string().max(4096)).max(1_000).default([]),
    'The value of a group whose clients are listed as well. Repeatable.',
  ),
  offset: offset('Lines'),
  limit: limit('lines', { max: 500, otherwise: 100 }),
});

/** A process that a tap reports as a whole is not counted beside its scopes (gRFC A71). */
export const fleetCounts = z.object({
  clients: count,
  live: count,
  stale: count,
  gone: count,
  /** Clients that only files report; they are counted in none of the three fields before. */
  ofFiles: count,
  /** Clients with an issue, without those that terminated. */
  inTrouble: count,
  /** Clients with a resource that warms or a response without an answer, without those that terminated. */
  waiting: count,
  nackedResources: count,
  nackedClients: count,
  worst: state.optional(),
});

const issueOfClient = z.object({ id: z.string(), title: z.string() });

const fleetClient = clientSummary.extend({
  /** Equal for clients with equal content; empty: the client holds nothing. */
  content: z.string(),
  /** Its open issues, unless they are muted; absent: none is known. */
  issues: z.array(issueOfClient).optional(),
  /** The number of scopes of its process that it stands for; absent: it is one client. */
  scopesReported: count.optional(),
  /** The number of XdsClients of its process (gRFC A71), of which it is one; absent: it is the only one that is known. */
  scopesOfProcess: count.optional(),
});

const fleetLine = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('group'),
    /** Several values are joined; empty: not reported. */
    value: z.string(),
    counts: fleetCounts,
    isOpen: z.boolean(),
  }),
  z.object({ kind: z.literal('client'), client: fleetClient }),
]);

export const fleetPage = z.object({
  /** The lines from `offset` on. */
  items: z.array(fleetLine),
  offset: count,
  /** Lines on all pages: groups, and the clients of open groups. */
  lines: count,
  /** The number of groups; absent: the clients are not grouped. */
  groups: count.optional(),
  total: fleetCounts,
  matched: fleetCounts,
  /** The types in use, in their fixed order. */
  typeUrls: z.array(z.string()),
  /** The keys of node metadata, the most frequent first; at most 100. */
  metadataKeys: z.array(z.object({ key: z.string(), clients: count })),
  newestAt: time.optional(),
  /** Parts of the filter that are not valid; they are ignored. */
  problems: z.array(z.string()),
});

export const cohortsQuery = z.strictObject({
  type: described(
    z.string().min(1).max(512).optional(),
    'Only this type, as in CDS, or a type URL. Default: all types together.',
  ),
  q: filter,
  limit: limit('cohorts', { min: 1, max: 100, otherwise: 20 }),
});

export const separator = z.object({
  /** The name in filters: zone, agent, source, meta.version. */
  field: z.string(),
  value: z.string(),
  /** A second property, if only both together separate the clients; absent: one is sufficient. */
  and: z.object({ field: z.string(), value: z.string() }).optional(),
  inside: count,
  insideOf: count,
  outside: count,
  outsideOf: count,
  /** Fisher's exact test, one-sided. */
  chance: z.number(),
  /** A difference of this size is expected by chance among all compared values. */
  isWeak: z.boolean(),
});

const namedClient = z.object({ id: z.string(), nodeId: z.string(), scope: z.string() });

const cohort = z.object({
  /** The value for `runs=` in a filter. */
  content: z.string(),
  clients: count,
  /** The first clients by name. */
  someClients: z.array(namedClient),
  /** The resources of one client, of the compared types. */
  resources: count,
  /** Resources whose bodies no source reported: they are compared by name only. */
  unreported: count,
  differsIn: z.array(z.string()),
  /** Properties that separate its clients from those of the largest cohort, the least likely by chance first. */
  separators: z.array(separator),
});

export const cohorts = z.object({
  /** Largest first. */
  items: z.array(cohort),
  total: count,
  clients: count,
  /** The numbers of clients in the largest cohort and outside of it. */
  alike: count,
  differ: count,
  /** Properties of all clients outside the largest cohort. */
  separators: z.array(separator),
  /** Clients that are not compared: those without content, and those that no source reports any longer. */
  without: count,
  gone: count,
  /** xdscope's own probes and imported clients are not compared. */
  probes: count,
  files: count,
  types: z.array(z.object({ typeUrl: z.string(), service: z.string(), clients: count, contents: count })),
  problems: z.array(z.string()),
});

export type FleetQuery = z.infer<typeof fleetQuery>;
export type CohortsQuery = z.infer<typeof cohortsQuery>;
export type FleetCountsRow = z.infer<typeof fleetCounts>;
export type IssueOfClient = z.infer<typeof issueOfClient>;
/** The open issues of clients, by the id of the client; one without issues is absent. */
export type IssuesByClient = ReadonlyMap<string, readonly IssueOfClient[]>;
export type FleetClient = z.infer<typeof fleetClient>;
export type FleetLineRow = z.infer<typeof fleetLine>;
export type FleetPage = z.infer<typeof fleetPage>;
export type SeparatorRow = z.infer<typeof separator>;
export type CohortRow = z.infer<typeof cohort>;
export type CohortsAnswer = z.infer<typeof cohorts>;
