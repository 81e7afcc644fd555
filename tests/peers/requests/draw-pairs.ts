import fc from 'fast-check';
import type { ExplainRequest } from '@/lib/requests/request';
import { type DrawnFilters, filterHeaders, filterKinds, filtersWith } from './draw-filters';
import { absentCluster, emptyCluster, maybe, route, texts } from './draw-routes';
import { type DrawnRoute, matchRoute } from './match-route';

/** A field of a route configuration or connection manager in proto3 JSON. */
type Json = Readonly<Record<string, unknown>>;

/** One connection manager with inline routes, and the requests that are sent to it. */
export interface Drawn {
  readonly manager: Json;
  readonly virtualHosts: readonly Json[];
  readonly table: Json;
  readonly filters: DrawnFilters['filters'];
  readonly requests: readonly ExplainRequest[];
}

const oneOf = fc.constantFrom;
const segments = [
  'shop',
  'Shop',
  'cart',
  'v1',
  '12',
  'a',
  'b',
  'a.b',
  'x-y',
  '~u',
  '%41',
  '%2F',
  '..',
  '.',
  '',
];
const domains = [
  ...[
    'shop.example',
    'SHOP.example',
    'a.shop.example',
    'shop.example:8080',
    '*.example',
    '*.shop.example',
    '*example',
  ],
  ...['shop.*', 'shop.example:*', 'a.*', '*', '*-x.example', 'b*d'],
];
const authorities = [
  ...[
    'shop.example',
    'Shop.Example',
    'a.shop.example',
    'b.a.shop.example',
    'shop.example:8080',
    'shop.example:8080',
    'shop.example:80',
  ],
  ...[
    ...['shop.example.', 'shop.example.', 'a.shop.example.'],
    'shop.org',
    'x-x.example',
    '-x.example',
    '.example',
    'example',
    'other',
    'bcd',
    'a.b.c',
    'b*d',
  ],
];

const virtualHosts: fc.Arbitrary<readonly Json[]> = fc
  .array(
    fc.record({
      domains: fc.oneof(fc.constant<string[]>(['*']), fc.subarray(domains, { minLength: 1, maxLength: 4 })),
      routes: fc.array(route, { minLength: 1, maxLength: 12 }),
      requireTls: oneOf(false, false, false, false, false, false, false, true),
    }),
    { minLength: 1, maxLength: 5 },
  )
  .map((hosts) => {
    // A domain occurs only once in a route configuration, in any case.
    const known = new Set<string>();
    return hosts.flatMap(({ domains: own, routes, requireTls }, nth) => {
      const left = own.filter((each) => !known.has(each.toLowerCase()));
      for (const each of left) known.add(each.toLowerCase());
      const unique = [...new Map(left.map((each) => [each.toLowerCase(), each])).values()];
      if (unique.length === 0) return [];
      return [
        {
          name: `h${nth}`,
          domains: unique,
          ...(requireTls && { requireTls: 'ALL' }),
          routes: routes.map(({ match, action: own }, at) => ({ name: `h${nth}r${at}`, match, ...own })),
        },
      ];
    });
  });

const manager: fc.Arbitrary<Json> = fc
  .record({
    normalizePath: fc.boolean(),
    mergeSlashes: oneOf(true, true, false),
    port: oneOf({}, { stripAnyHostPort: true }, { stripAnyHostPort: true }, { stripMatchingHostPort: true }),
    stripTrailingHostDot: oneOf(false, true),
    xffNumTrustedHops: oneOf(0, 0, 1),
    slashes: oneOf(
      ...[undefined, 'KEEP_UNCHANGED', 'REJECT_REQUEST', 'REJECT_REQUEST'],
      ...['UNESCAPE_AND_REDIRECT', 'UNESCAPE_AND_REDIRECT', 'UNESCAPE_AND_FORWARD', 'UNESCAPE_AND_FORWARD'],
    ),
  })
  .map(({ port, slashes, ...rest }) => ({
    ...rest,
    ...port,
    ...(slashes !== undefined && { pathWithEscapedSlashesAction: slashes }),
  }));

const table: fc.Arbitrary<Json> = fc.oneof(
  { weight: 4, arbitrary: fc.constant({}) },
  { weight: 1, arbitrary: fc.constant({ ignorePortInHostMatching: true }) },
  { weight: 1, arbitrary: fc.constant({ vhostHeader: 'x-color' }) },
);

const wellKnownPaths = [
  '//shop//cart',
  '/shop/cart',
  '/shop',
  '/shop/',
  '/shop/12',
  '/a/b',
  '/shop/v1/cart',
  '/x/cart',
  '/',
];

const pathOfRequest: fc.Arbitrary<string> = fc
  .record({
    path: fc.oneof(
      { weight: 3, arbitrary: oneOf(...wellKnownPaths) },
      {
        weight: 2,
        arbitrary: fc
          .array(oneOf(...segments), { minLength: 1, maxLength: 4 })
          .map((parts) => `/${parts.join('/')}`),
      },
    ),
    query: fc.option(
      fc
        .array(fc.tuple(oneOf('q', 'debug', 'id'), oneOf(...texts, '%31', undefined)), {
          minLength: 1,
          maxLength: 3,
        })
        .map(
          (pairs) =>
            `?${pairs.map(([name, value]) => (value === undefined ? name : `${name}=${value}`)).join('&')}`,
        ),
      { nil: '' },
    ),
  })
  .map(({ path, query }) => path + query);

export const drawnRequest: fc.Arbitrary<ExplainRequest> = fc
  .record({
    method: oneOf('GET', 'GET', 'GET', 'POST', 'OPTIONS'),
    authority: fc.oneof(
      { weight: 2, arbitrary: fc.constant('shop.example') },
      { weight: 3, arbitrary: oneOf(...authorities) },
    ),
    path: pathOfRequest,
    colors: fc.array(oneOf(...texts, 'c1'), { maxLength: 2 }),
    version: maybe(oneOf(...texts)),
    cluster: maybe(oneOf('c0', 'c2', absentCluster, emptyCluster, '')),
    cookie: maybe(oneOf('session=blue', 'lang=en; session=1', 'session=; lang=blue', 'session="blue"')),
    type: maybe(oneOf('application/grpc', 'application/grpc+proto', 'application/grpc-web', 'text/plain')),
    forwarded: oneOf(undefined, undefined, undefined, 'https'),
    more: filterHeaders,
  })
  .map(({ method, authority, path, colors, version, cluster, cookie, type, forwarded, more }) => ({
    ...{ method, scheme: 'http', authority, path },
    connection: { sourceAddress: '127.0.0.1', isTls: false },
    headers: [
      ...colors.map((value): [string, string] => ['x-color', value]),
      ...Object.entries({
        'X-Version': version,
        'x-cluster': cluster,
        cookie,
        'content-type': type,
        'x-forwarded-proto': forwarded,
      }).flatMap(([name, value]): [string, string][] => (value === undefined ? [] : [[name, value]])),
      ...more,
    ],
  }));

/** Each kind of filter is drawn for as many configs as the others, and may be drawn for more. */
export function drawConfigs(seed: number, configs: number, requestsOfEach: number): Drawn[] {
  const each = Array.from({ length: configs }, (_, at) =>
    fc.record({
      ...{ manager, virtualHosts, table, nth: fc.infiniteStream(fc.nat(23)) },
      filters: filtersWith(filterKinds[at % filterKinds.length] ?? ''),
      requests: fc.array(drawnRequest, { minLength: requestsOfEach, maxLength: requestsOfEach }),
    }),
  );
  const [drawn = []] = fc.sample(fc.tuple(...each), { seed, numRuns: 1 });
  return drawn.map(({ filters: { filters, overrides }, nth, ...rest }) => ({
    ...rest,
    requests: rest.requests.map((request, at) => (at % 5 < 2 ? request : reachRoute(request, rest, at))),
    ...addOverrides(rest, overrides, () => nth.next().value ?? 0),
    filters,
  }));
}

/** Most requests match a route of a virtual host, so that its action is seen. */
function reachRoute(
  request: ExplainRequest,
  { virtualHosts: hosts }: { readonly virtualHosts: readonly Json[] },
  nth: number,
): ExplainRequest {
  const host = hosts[nth % hosts.length] as {
    readonly domains: readonly string[];
    readonly routes: readonly DrawnRoute[];
  };
  const [domain = ''] = host.domains;
  const authority =
    domain === '*' ? request.authority : domain.replace('*', domain.endsWith(':*') ? '8080' : 'any');
  return matchRoute(request, host.routes, nth, authority);
}

/** Gives some of the weighted clusters, routes, virtual hosts and route configurations a config of their own for a filter. */
function addOverrides(
  { virtualHosts: hosts, table: own }: { readonly virtualHosts: readonly Json[]; readonly table: Json },
  overrides: DrawnFilters['overrides'],
  draw: () => number,
): { readonly virtualHosts: readonly Json[]; readonly table: Json } {
  const add = <T extends Json>(owner: T): T => {
    const chosen = Object.entries(overrides).flatMap(([name, configs]) => {
      const config = configs[draw()];
      return config === undefined ? [] : [[name, config]];
    });
    return chosen.length === 0 ? owner : { ...owner, typedPerFilterConfig: Object.fromEntries(chosen) };
  };
  const addToClusters = (each: Json): Json => {
    const weighted = (each.route as { weightedClusters?: { clusters: Json[] } } | undefined)
      ?.weightedClusters;
    if (weighted === undefined) return each;
    return {
      ...each,
      route: { ...(each.route as Json), weightedClusters: { clusters: weighted.clusters.map(add) } },
    };
  };
  return {
    table: add(own),
    virtualHosts: hosts.map((host) => ({
      ...add(host),
      routes: (host.routes as readonly Json[]).map((each) => add(addToClusters(each))),
    })),
  };
}
