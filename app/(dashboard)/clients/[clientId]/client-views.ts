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
import { endpointSortColumns } from '@/lib/api/endpoint-sort-columns';
import { resourceSortColumns } from '@/lib/api/resource-sort-columns';
import { firstPages, formatTablePages, parseTablePages, type TablePages } from '@/lib/api/table-pages';
import { type NamePart, nameParts } from '@/lib/format/names/name-part';
import { loadGroupings } from '@/lib/load/load-question';
import type { ClientQuestionName } from '@/lib/questions/client-questions';
import { resolvedClusterStatuses } from '@/lib/resolve/xds-config';
import { type ClientViewName, clientViewLabels } from '@/lib/view-model/client/client-view-labels';
import { formatTypeKey, parseTypeKey } from '@/lib/view-model/client-resources/resource-ref';
import { clients, profiles } from '@/lib/xds/profile';
import { states } from '@/lib/xds/status';

export const resolvedLists = ['ignored', 'dangling', 'orphan', 'tears'] as const;

/** Values that the server would reject are replaced by the default. */
const parseAsNaturalNumber = createParser({
  parse: (text) => (/^\d{1,7}$/.test(text) ? Number(text) : null),
  serialize: String,
});

/** A second of a simulation, which lasts an hour at most. */
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
 * The query parameters of the client pages. An absent parameter has its default, which on a stored page is the stored
 * value; an empty one selects nothing.
 */
const params = {
  /** The resource of the inspector, as formatResourceRef() writes it. */
  resource: of(parseAsString, ''),
  format: of(parseAsStringLiteral(bodyFormats), 'yaml'),
  body: of(parseAsString, ''),
  field: of(parseAsString, ''),
  /** An ISO time, or the moment right after an event, as in "seq:4711"; empty: now. */
  at: of(parseAsString, ''),
  /** A and B of the comparison. Empty: no comparison, and the shown moment. */
  since: of(parseAsString, ''),
  until: of(parseAsString, ''),
  // Graph
  node: of(parseAsString, ''),
  find: of(parseAsString, ''),
  /** The index of the match that is drawn first, if not all are drawn. */
  match: of(parseAsNaturalNumber, 0),
  /** Search texts whose matches are not drawn. */
  hide: of<string[]>(parseAsArrayOf(parseAsString), []),
  /** Pan and zoom, as formatTransform() writes them; empty: fitted. */
  view: of(parseAsString, ''),
  expand: of<string[]>(parseAsArrayOf(parseAsString), []),
  table: of(parseAsBoolean, false),
  legend: of(parseAsBoolean, true),
  /** Listener by whose resolved config the nodes are marked; empty: none. */
  mark: of(parseAsString, ''),
  // Resolved
  /** The target that a gRPC client dials; `listener` is ignored then. Both empty: the first listener. */
  target: of(parseAsString, ''),
  listener: of(parseAsString, ''),
  /** Empty: the profile of the client. */
  profile: of(parseAsStringLiteral(['', ...clients, ...profiles]), ''),
  /** No released client follows gRFC A88 by default. */
  cluster: of(parseAsString, ''),
  clusters: of(parseAsString, ''),
  cstatus: of(parseAsStringLiteral(['', ...resolvedClusterStatuses]), ''),
  offset: of(parseAsNaturalNumber, 0),
  /** The first listed virtual host of each chain, and the first listed route of each virtual host. */
  hosts: of(parseAsTablePages, firstPages),
  routes: of(parseAsTablePages, firstPages),
  list: of(parseAsStringLiteral(resolvedLists), 'ignored'),
  /** The first listed reference. */
  refs: of(parseAsNaturalNumber, 0),
  // Failover: of `target`, `listener`, `profile` and `cluster`
  /** The changes of the simulation, by formatChangesText(). */
  changes: of(parseAsString, ''),
  second: of(parseAsSecond, 0),
  /** Shows the rules of the other kind of client (gRPC, Envoy) beside those of the client. */
  both: of(parseAsBoolean, false),
  /** Id of the LB policy whose config is shown. */
  policy: of(parseAsString, ''),
  // Load: of `cluster`, up to the shown moment
  load: of(parseAsStringLiteral(['time', 'split'] as const), 'time'),
  by: of(parseAsStringLiteral(loadGroupings), 'cluster'),
  rules: of(parseAsStringLiteral(['grpc', 'envoy'] as const), 'grpc'),
  // Findings
  /** The first listed resource of the open group. `from` is the time range. */
  skip: of(parseAsNaturalNumber, 0),
  /** The open group of findings; empty: the first one. */
  rule: of(parseAsString, ''),
  // Propagation
  propagation: of(parseAsStringLiteral(['all', 'differs'] as const), 'all'),
  // Connections
  endpoints: of(parseAsStringLiteral(['all', 'disagreements'] as const), 'all'),
  // Resources
  type: of<string[]>(parseAsArrayOf(parseAsString), []),
  status: of(parseAsArrayOf(parseAsStringLiteral(states)), []),
  q: of(parseAsString, ''),
  /** "size", or "-size" for the largest first; empty: the fixed order of types. On the tab Load, a LoadSort. */
  sort: of(parseAsString, ''),
  /** The parts of names that have columns. */
  columns: of<NamePart[]>(parseAsArrayOf(parseAsStringLiteral(nameParts)), []),
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

export const clustersPerPage = 100;

/** The query parameters that start a resolution. */
export function resolveStartOf({
  target,
  listener,
  profile,
}: Pick<ClientViewQuery, 'target' | 'listener' | 'profile'>) {
  // A query with both is rejected.
  return omitEmpty({ target, listener: target === '' ? listener : '', profile });
}

export function resolvedParamsOf(
  query: Pick<
    ClientViewQuery,
    'target' | 'listener' | 'profile' | 'clusters' | 'cstatus' | 'offset' | 'hosts' | 'routes'
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

export function clusterParamsOf({
  cluster,
  ...start
}: Pick<ClientViewQuery, 'target' | 'listener' | 'profile' | 'cluster'>) {
  return { ...resolveStartOf(start), ...omitEmpty({ cluster }) };
}

export function startsParamsOf(
  query: Parameters<typeof resolveStartOf>[0],
  starts: string,
): ClientQuery<'resolved'> {
  return { ...resolveStartOf(query), starts, limit: 0, endpoints: 0 };
}

export const findingsPerPage = 25;

/** The counts by rule; the resources of a group are requested when it is opened. */
export function findingsParamsOf({ profile }: Pick<ClientViewQuery, 'profile'>): ClientQuery<'findings'> {
  return { ...omitEmpty({ profile }), limit: 0 };
}

export const propagationPerPage = 100;

export function propagationParamsOf({
  propagation: only,
  q,
  skip: offset,
}: Pick<ClientViewQuery, 'propagation' | 'q' | 'skip'>): ClientQuery<'propagation'> {
  return { only, ...omitEmpty({ q }), offset, limit: propagationPerPage };
}

export function lbTreeParamsOf(
  query: Pick<ClientViewQuery, 'target' | 'listener' | 'profile' | 'cluster' | 'policy'>,
): ClientQuery<'lb-tree'> {
  return { ...clusterParamsOf(query), ...omitEmpty({ node: query.policy }) };
}

export const endpointsPerPage = 100;

export function connectionsParamsOf({
  endpoints: only,
  q,
  sort,
  skip: offset,
}: Pick<ClientViewQuery, 'endpoints' | 'q' | 'sort' | 'skip'>): ClientQuery<'connections'> {
  const column = endpointSortColumns.find((each) => each === sort || `-${each}` === sort);
  const sorted = column === undefined ? '' : sort.startsWith('-') ? (`-${column}` as const) : column;
  return { only, ...omitEmpty({ q: q.trim(), sort: sorted }), offset, limit: endpointsPerPage };
}

export function rowsQueryOf(query: Pick<ClientViewQuery, 'type' | 'status' | 'q' | 'sort'>): RowsQuery {
  const { type, status, q, sort } = query;
  return {
    // Unknown types are left out.
    type: type.flatMap((key) => formatKnownType(key) ?? []),
    status,
    ...omitEmpty({ q: q.trim(), sort: parseAsSort.parse(sort) ?? '' }),
  };
}

function formatKnownType(key: string): string | undefined {
  const typeUrl = parseTypeKey(key);
  return typeUrl && formatTypeKey(typeUrl);
}

export function graphParamsOf(
  query: Pick<ClientViewQuery, 'expand' | 'hide' | 'mark' | 'profile'>,
): ClientQuery<'graph'> {
  const { expand, hide, mark, profile } = query;
  const drawn = { expand, ...(hide.length > 0 && { hide }) };
  return mark === '' ? drawn : { ...drawn, resolve: mark, ...omitEmpty({ profile }) };
}

/** Answers a question on the server; undefined: there is no such client. */
export type AskServer = <Name extends ClientQuestionName>(
  name: Name,
  subject: { readonly clientId: string },
  query: ClientQuery<Name>,
) => Promise<ClientAnswer<Name> | undefined>;

type CacheEntries = [QueryKey, unknown][];

export interface ClientView {
  readonly label: string;
  /** The tooltip: what the tab shows, with the document that defines it. */
  readonly description: string;
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
  graph: {
    label: clientViewLabels.graph,
    description:
      'Listeners, routes, clusters, priorities, localities and endpoints of the client, with the state of each.',
    inPermalink: 'always',
    prefetch: prefetchAnswer('graph', graphParamsOf),
  },
  resolved: {
    label: clientViewLabels.resolved,
    description:
      'The config that the client composes of its resources for one listener: the XdsConfig of gRFC A74.',
    inPermalink: 'always',
    // A target that is not valid is an error of the browser's own request.
    prefetch: async (ask, client, query) =>
      query.target !== '' ? [] : prefetchAnswer('resolved', resolvedParamsOf)(ask, client, query),
  },
  failover: {
    label: clientViewLabels.failover,
    description:
      'Which priorities receive requests when endpoints fail: gRFC A56, or "Priority levels" in the Envoy docs.',
    inPermalink: 'always',
    // A cluster or a policy that the client does not have is an error of the browser's own request.
    prefetch: async (ask, client, query) =>
      [query.target, query.listener, query.cluster, query.policy].some((chosen) => chosen !== '')
        ? []
        : prefetchAnswer('lb-tree', lbTreeParamsOf)(ask, client, query),
  },
  resources: {
    label: clientViewLabels.resources,
    description: 'Each resource that the client requested or has, with its version, answer and payload.',
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
  connections: {
    label: clientViewLabels.connections,
    description:
      'The endpoints of the config beside the client’s connections to them (channelz, gRFC A14), and where they disagree.',
    inPermalink: 'always',
    prefetch: prefetchAnswer('connections', connectionsParamsOf),
  },
  load: {
    label: clientViewLabels.load,
    description:
      'Requests by cluster and locality as the client reports them (LRS), beside what its config implies.',
    inPermalink: 'shared',
  },
  propagation: {
    label: clientViewLabels.propagation,
    description:
      'Each resource at the probe, the control plane and the client (CSDS, gRFC A40), with the first mismatch.',
    inPermalink: 'shared',
    prefetch: prefetchAnswer('propagation', propagationParamsOf),
  },
  findings: {
    label: clientViewLabels.findings,
    description:
      'Rules of xDS, gRPC and Envoy that the resources violate, and what each client does then (gRFC A88).',
    inPermalink: 'always',
    prefetch: prefetchAnswer('findings', findingsParamsOf),
  },
  history: {
    label: clientViewLabels.history,
    description:
      'Requests, responses, ACKs and NACKs of the client (xDS transport protocol), in their order.',
    inPermalink: 'shared',
  },
} as const satisfies Readonly<Record<ClientViewName, ClientView>>;

export type { ClientViewName };

export function isClientView(text: string | undefined): text is ClientViewName {
  return text !== undefined && Object.hasOwn(clientViews, text);
}

/** The page of a large client is delivered before the answer, which takes seconds and is then shown as pending. */
function prefetchAnswer<Name extends ClientQuestionName>(
  name: Name,
  queryOf: (view: ClientViewQuery) => ClientQuery<Name>,
): NonNullable<ClientView['prefetch']> {
  return async (ask, { id: clientId, resources }, view) => {
    if (resources > prefetchLimit) return [];
    const query = queryOf(view);
    return [[answerKey({ clientId }, name, query), await ask(name, { clientId }, query)]];
  };
}
