/**
 * GET fleet and GET cohorts: the clients as a window of a list, sorted, filtered and grouped by the server; and who of
 * them runs the same. Times are ISO 8601 in UTC; null is "not reported". Pages import types only.
 */
import { z } from 'zod';
import { described, limit, offset } from './query-fields';
import { clientSummary } from './schema';
import { clientStatus, time } from './words';

const count = z.number().int();

const filter = described(
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

/** What the wire reports about a whole process is no scope beside those that CSDS reports (gRFC A71). */
export const fleetCounts = z.object({
  clients: count,
  live: count,
  stale: count,
  gone: count,
  /** Reported by files alone: they are as their files tell, and are none of the three before. */
  ofFiles: count,
  inTrouble: count,
  nackedResources: count,
  nackedClients: count,
  worst: clientStatus.nullable(),
});

export const fleetClient = clientSummary.extend({
  /** Equal for clients that run the same; empty: it holds nothing. */
  content: z.string(),
  /** How many scopes of its process it stands for; null: it is one client. */
  scopesReported: count.nullable(),
});

export const fleetLine = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('group'),
    /** Of several values all; empty: the clients do not tell it. */
    value: z.string(),
    counts: fleetCounts,
    isOpen: z.boolean(),
  }),
  z.object({ kind: z.literal('client'), client: fleetClient }),
]);

export const fleetPage = z.object({
  /** From `offset` on. */
  items: z.array(fleetLine),
  offset: count,
  /** Lines on all pages: groups, and the clients of those that are open. */
  lines: count,
  /** How many groups; null: the clients are not grouped. */
  groups: count.nullable(),
  total: fleetCounts,
  matched: fleetCounts,
  /** In use, in their one order. */
  typeUrls: z.array(z.string()),
  /** What the nodes tell as metadata, the most frequent keys first; at most 100. */
  metadataKeys: z.array(z.object({ key: z.string(), clients: count })),
  /** The newest word of any client. */
  newestAt: time.nullable(),
  /** What of the filter could not be understood; it hides nothing. */
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
  /** As a filter names it: zone, agent, source, meta.version. */
  field: z.string(),
  value: z.string(),
  /** What they have besides, where only both together set them apart; null: the one is enough. */
  and: z.object({ field: z.string(), value: z.string() }).nullable(),
  inside: count,
  insideOf: count,
  outside: count,
  outsideOf: count,
  /** Fisher's exact test, one-sided. */
  chance: z.number(),
  /** As much would be found by accident among all values that were looked at. */
  isWeak: z.boolean(),
});

const namedClient = z.object({ id: z.string(), nodeId: z.string(), scope: z.string() });

export const cohort = z.object({
  /** What they run: `runs=` of a filter takes it. */
  content: z.string(),
  clients: count,
  /** The first ones by name. */
  someClients: z.array(namedClient),
  /** Of one of them, of the types that are compared. */
  resources: count,
  /** Of these, resources whose bodies no source reported: they are compared by name alone. */
  unreported: count,
  /** Types of which it runs something else than the largest cohort does. */
  differsIn: z.array(z.string()),
  /** What its clients share and those of the largest cohort do not, the least accidental first. */
  separators: z.array(separator),
});

export const cohorts = z.object({
  /** Largest first. */
  items: z.array(cohort),
  /** How many cohorts there are. */
  total: count,
  /** Clients that are compared. */
  clients: count,
  /** Of these in the largest cohort, and in all others. */
  alike: count,
  differ: count,
  /** What all outside the largest cohort share. */
  separators: z.array(separator),
  /** Left out: hold nothing of what is compared; no source reports them any longer. */
  without: count,
  gone: count,
  types: z.array(z.object({ typeUrl: z.string(), service: z.string(), clients: count, contents: count })),
  problems: z.array(z.string()),
});

export type FleetQuery = z.infer<typeof fleetQuery>;
export type CohortsQuery = z.infer<typeof cohortsQuery>;
export type FleetCountsRow = z.infer<typeof fleetCounts>;
export type FleetClient = z.infer<typeof fleetClient>;
export type FleetLineRow = z.infer<typeof fleetLine>;
export type FleetPage = z.infer<typeof fleetPage>;
export type SeparatorRow = z.infer<typeof separator>;
export type CohortRow = z.infer<typeof cohort>;
export type CohortsAnswer = z.infer<typeof cohorts>;
