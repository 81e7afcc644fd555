import type { QueryKey } from '@tanstack/react-query';
import {
  createParser,
  type inferParserType,
  parseAsArrayOf,
  parseAsBoolean,
  parseAsString,
  parseAsStringLiteral,
  type SingleParserBuilder,
} from 'nuqs/server';
import { answerKey, type ClientAnswer, type ClientQuery, omitEmpty } from '@/app/_ask/client-question';
import {
  type RowsQuery,
  resourceCountsOptions,
  resourcePagesOptions,
  rowsPerPage,
} from '@/app/_ask/resource-pages';
import { bodyFormats } from '@/app/_components/inspector/body-format';
import { prefetchLimit } from '@/app/_components/shell/prefetch-limit';
import { resourceSortColumns } from '@/lib/api/resource-sort-columns';
import { firstPages, formatTablePages, parseTablePages, type TablePages } from '@/lib/api/table-pages';
import { clientKinds } from '@/lib/lb/client-kind';
import { loadGroupings } from '@/lib/load/load-question';
import { loadSpans } from '@/lib/load/load-spans';
import type { ClientQuestionName } from '@/lib/questions/client-questions';
import { errorModels, resolveProfiles } from '@/lib/resolve/resolve-profile';
import { resolvedClusterStatuses } from '@/lib/resolve/xds-config';
import { formatTypeKey, parseTypeKey } from '@/lib/view-model/client-resources/resource-ref';
import { clientStatuses } from '@/lib/xds/status';

/** What is said beside the resolved config, one at a time. */
export const resolvedLists = ['ignored', 'dangling', 'orphan', 'tears'] as const;

/** 0, 1, 2...: what somebody wrote by hand and the server would reject is the default. */
const parseAsNaturalNumber = createParser({
  parse: (text) => (/^\d{1,7}$/.test(text) ? Number(text) : null),
  serialize: String,
});

/** Of a simulation, which goes on for an hour at the most. */
const parseAsSecond = createParser({
  parse: (text) => (/^\d{1,4}$/.test(text) ? Math.min(3_600, Number(text)) : null),
  serialize: String,
});

const parseAsSort = parseAsStringLiteral([
  ...resourceSortColumns,
  ...resourceSortColumns.map((column) => `-${column}` as const),
]);

const parseAsTablePages = createParser<TablePages>({
  parse: (text) => parseTablePages(text) ?? null,
  serialize: formatTablePages,
  eq: (a, b) => formatTablePages(a) === formatTablePages(b),
});

/**
 * The query parameters of the client pages. "Nothing" is an empty value, never an absent one: an absent one means the
 * default, and on a stored page the default is what was stored.
 */
const params = {
  /** The resource of the inspector, as formatResourceRef() writes it. */
  resource: of(parseAsString, ''),
  format: of(parseAsStringLiteral(bodyFormats), 'yaml'),
  /** Role of the body that is shown. */
  body: of(parseAsString, ''),
  /** Path of the field that is marked in it. */
  field: of(parseAsString, ''),
  /** A moment in the past: ISO time, or right after an event as in "seq:4711"; empty: now. */
  at: of(parseAsString, ''),
  /** A and B: between them changes are reported. Empty: nothing is compared; the moment in sight. */
  since: of(parseAsString, ''),
  until: of(parseAsString, ''),
  // Graph
  node: of(parseAsString, ''),
  find: of(parseAsString, ''),
  expand: of<string[]>(parseAsArrayOf(parseAsString), []),
  table: of(parseAsBoolean, false),
  /** Listener by whose resolved config the nodes are marked; empty: none. */
  mark: of(parseAsString, ''),
  // Resolved
  /** What a gRPC client dials; then `listener` is empty. Both empty: the first listener. */
  target: of(parseAsString, ''),
  listener: of(parseAsString, ''),
  /** Empty: what the client's user agent reports. */
  profile: of(parseAsStringLiteral(['', ...resolveProfiles]), ''),
  /** No client of today follows gRFC A88 by itself. */
  errors: of(parseAsStringLiteral(errorModels), 'pre-a88'),
  /** The cluster whose detail is open, and what of the clusters is listed. */
  cluster: of(parseAsString, ''),
  clusters: of(parseAsString, ''),
  cstatus: of(parseAsStringLiteral(['', ...resolvedClusterStatuses]), ''),
  offset: of(parseAsNaturalNumber, 0),
  /** Where the listed virtual hosts of each chain begin, and the routes of each of them. */
  hosts: of(parseAsTablePages, firstPages),
  routes: of(parseAsTablePages, firstPages),
  /** Which of the lists below them. */
  list: of(parseAsStringLiteral(resolvedLists), 'ignored'),
  /** Where the listed references of that list begin. */
  refs: of(parseAsNaturalNumber, 0),
  // Failover: of `target`, `listener` and `cluster`
  /** Client profile; empty: the client's own. */
  kind: of(parseAsStringLiteral(['', ...clientKinds]), ''),
  /** What is done in the simulation, as formatChangesText() says it; and the second that is in sight. */
  changes: of(parseAsString, ''),
  second: of(parseAsSecond, 0),
  /** Id of the LB policy whose config is in sight. */
  policy: of(parseAsString, ''),
  // Load: of `cluster`, up to the moment in sight
  load: of(parseAsStringLiteral(['time', 'split'] as const), 'time'),
  by: of(parseAsStringLiteral(loadGroupings), 'cluster'),
  span: of(parseAsStringLiteral(loadSpans), '15m'),
  rules: of(parseAsStringLiteral(['grpc', 'envoy'] as const), 'grpc'),
  /** ISO time: where the load is paused; empty: it goes on with what comes. */
  to: of(parseAsString, ''),
  // Findings
  /** Where they begin. */
  from: of(parseAsNaturalNumber, 0),
  /** Only findings of this rule. */
  rule: of(parseAsString, ''),
  /** All that is found, or only what the profile rejects. */
  only: of(parseAsStringLiteral(['all', 'NACK'] as const), 'all'),
  // Propagation
  /** All resources, or those that differ on their way. */
  propagation: of(parseAsStringLiteral(['all', 'differs'] as const), 'all'),
  // Resources
  type: of<string[]>(parseAsArrayOf(parseAsString), []),
  status: of(parseAsArrayOf(parseAsStringLiteral(clientStatuses)), []),
  q: of(parseAsString, ''),
  /** "size", or "-size" for the biggest first; empty for the fixed order of types. */
  sort: of(parseAsString, ''),
};

function of<T>(parser: SingleParserBuilder<T>, fallback: NonNullable<T>) {
  return {
    withStored: (stored: string | undefined) =>
      parser.withDefault((stored === undefined ? null : parser.parse(stored)) ?? fallback),
  };
}

/** `stored` are the query parameters that a permalink keeps: they are the defaults of its page. */
export function clientViewParsers(stored: Readonly<Record<string, string>>) {
  return Object.fromEntries(
    Object.entries(params).map(([name, param]) => [name, param.withStored(stored[name])]),
  ) as ClientViewParsers;
}

type ClientViewParsers = {
  readonly [Name in keyof typeof params]: ReturnType<(typeof params)[Name]['withStored']>;
};
export type ClientViewQuery = inferParserType<ClientViewParsers>;

/** So many clusters at a time; their endpoints come with the detail of one. */
export const clustersPerPage = 100;

/** Where the effective config begins, and the client profile whose rules apply. */
export function resolveStartOf({
  target,
  listener,
  profile,
  errors,
}: Pick<ClientViewQuery, 'target' | 'listener' | 'profile' | 'errors'>) {
  // A query with both is rejected.
  return omitEmpty({ target, listener: target === '' ? listener : '', profile, errors });
}

/** The question of the Resolved tab, for the server and for the browser. */
export function resolvedParamsOf(
  query: Pick<
    ClientViewQuery,
    'target' | 'listener' | 'profile' | 'errors' | 'clusters' | 'cstatus' | 'offset' | 'hosts' | 'routes'
  >,
): ClientQuery<'resolved'> {
  const { clusters: find, cstatus: status, offset, hosts, routes } = query;
  return {
    ...resolveStartOf(query),
    ...omitEmpty({ find, status }),
    offset,
    limit: clustersPerPage,
    endpoints: 0,
    // The first pages are the default.
    ...(Object.keys(hosts).length > 0 && { hostsFrom: formatTablePages(hosts) }),
    ...(Object.keys(routes).length > 0 && { routesFrom: formatTablePages(routes) }),
  };
}

/** The cluster of the Failover tab. */
export function clusterParamsOf({
  target,
  listener,
  cluster,
  kind,
}: Pick<ClientViewQuery, 'target' | 'listener' | 'cluster' | 'kind'>) {
  return omitEmpty({ target, listener: target === '' ? listener : '', cluster, 'client-kind': kind });
}

/** Only the start listeners. */
export function startsParamsOf(
  query: Parameters<typeof resolveStartOf>[0],
  starts: string,
): ClientQuery<'resolved'> {
  return { ...resolveStartOf(query), starts, limit: 0, endpoints: 0 };
}

/** So many resources with findings at a time. */
export const findingsPerPage = 100;

/** The question of the Findings tab, for the server and for the browser. */
export function findingsParamsOf(
  query: Pick<ClientViewQuery, 'profile' | 'rule' | 'only' | 'from'>,
): ClientQuery<'findings'> {
  const { profile, rule, only, from: offset } = query;
  return { ...omitEmpty({ profile, rule }), only, offset, limit: findingsPerPage };
}

/** The question of the Resources tab, for the server and for the browser. */
export function rowsQueryOf(query: Pick<ClientViewQuery, 'type' | 'status' | 'q' | 'sort'>): RowsQuery {
  const { type, status, q, sort } = query;
  return {
    // A type that was written by hand and is not valid is left out.
    type: type.flatMap((key) => formatKnownType(key) ?? []),
    status,
    ...omitEmpty({ q: q.trim(), sort: parseAsSort.parse(sort) ?? '' }),
  };
}

function formatKnownType(key: string): string | undefined {
  const typeUrl = parseTypeKey(key);
  return typeUrl && formatTypeKey(typeUrl);
}

/** The question of the Graph tab, for the server and for the browser. */
export function graphParamsOf(
  query: Pick<ClientViewQuery, 'expand' | 'mark' | 'profile' | 'errors'>,
): ClientQuery<'graph'> {
  const { expand, mark, profile, errors } = query;
  return mark === '' ? { expand } : { expand, resolve: mark, ...omitEmpty({ profile, errors }) };
}

/** Asks the server of the page. undefined: there is no such client. */
export type AskServer = <Name extends ClientQuestionName>(
  name: Name,
  subject: { readonly clientId: string },
  query: ClientQuery<Name>,
) => Promise<ClientAnswer<Name> | undefined>;

/** Entries of the query cache of the browser. */
type CacheEntries = [QueryKey, unknown][];

export interface ClientView {
  readonly label: string;
  /** `shared`: a permalink stores what the tab shows beside the resources only if it was made from this tab. */
  readonly inPermalink: 'always' | 'shared';
  /** The answers that the page is delivered with, for a client now; absent or empty: the browser fetches them. */
  readonly prefetch?: (
    ask: AskServer,
    client: { readonly id: string; readonly resources: number },
    query: ClientViewQuery,
  ) => Promise<CacheEntries>;
}

/** The tabs of a client in their order. Each is shown by clients/{id}, at a moment, and by permalinks. */
export const clientViews = {
  graph: { label: 'Graph', inPermalink: 'always', prefetch: prefetchAnswer('graph', graphParamsOf) },
  resolved: {
    label: 'Resolved',
    inPermalink: 'always',
    // The page does not wait for a large client. A target that is not valid is an error of the browser's own request.
    prefetch: async (ask, client, query) =>
      client.resources > prefetchLimit || query.target !== ''
        ? []
        : prefetchAnswer('resolved', resolvedParamsOf)(ask, client, query),
  },
  failover: { label: 'Failover', inPermalink: 'always' },
  resources: {
    label: 'Resources',
    inPermalink: 'always',
    async prefetch(ask, { id: clientId }, view) {
      const query = rowsQueryOf(view);
      const page = await ask('resources', { clientId }, { ...query, limit: rowsPerPage });
      if (page === undefined) return [];
      return [
        [resourcePagesOptions({ clientId }, query).queryKey, { pages: [page], pageParams: [null] }],
        [resourceCountsOptions({ clientId }, query).queryKey, { ...page, items: [] }],
      ];
    },
  },
  load: { label: 'Load', inPermalink: 'shared' },
  propagation: { label: 'Propagation', inPermalink: 'shared' },
  findings: {
    label: 'Findings',
    inPermalink: 'always',
    prefetch: prefetchAnswer('findings', findingsParamsOf),
  },
  history: { label: 'History', inPermalink: 'shared' },
} as const satisfies Readonly<Record<string, ClientView>>;

export type ClientViewName = keyof typeof clientViews;

export function isClientView(text: string | undefined): text is ClientViewName {
  return text !== undefined && Object.hasOwn(clientViews, text);
}

function prefetchAnswer<Name extends ClientQuestionName>(
  name: Name,
  queryOf: (view: ClientViewQuery) => ClientQuery<Name>,
): NonNullable<ClientView['prefetch']> {
  return async (ask, { id: clientId }, view) => {
    const query = queryOf(view);
    return [[answerKey({ clientId }, name, query), await ask(name, { clientId }, query)]];
  };
}
