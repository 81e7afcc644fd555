import type { Situation, Tools } from './situation';
import {
  chain,
  cluster,
  fixed,
  fromFile,
  host,
  httpFilter,
  inline,
  listener,
  over,
  response,
  route,
  socket,
  toA,
} from './situation';

/** Situations in which a request, or something other than a route, chooses the cluster or the host. */
export function situationsOfClusters(tools: Tools): Situation[] {
  const { port, file } = tools;
  const good = cluster('a', fixed('a', [port('good')]));
  const byRds = (name: string, ...versions: object[][]): Situation => ({
    ...over(tools, name, fixed('a', [port('good')])),
    listeners: [listener('web', port('web'), fromFile('routes', file('routes')))],
    files: { routes: versions.map((each) => response('routes', ...each)) },
  });
  const routes = (...own: object[]) => ({ name: 'routes', virtual_hosts: [host(...own)] });
  const byHeader = { match: { prefix: '/' }, route: { cluster_header: 'x-cluster' } };
  const withoutWeight = {
    match: { prefix: '/' },
    route: {
      weighted_clusters: {
        clusters: [
          { name: 'a', weight: 0 },
          { name: 'a', weight: 0 },
        ],
      },
    },
  };
  const originalDestination = {
    ...{ type: 'ORIGINAL_DST', lb_policy: 'CLUSTER_PROVIDED' },
    original_dst_lb_config: { use_http_header: true },
  };
  const header = (name: string) => ({ 'x-envoy-original-dst-host': `127.0.0.1:${port(name)}` });
  const redis = {
    name: 'redis',
    typed_config: {
      '@type': 'type.googleapis.com/envoy.extensions.filters.network.redis_proxy.v3.RedisProxy',
      ...{ stat_prefix: 'redis', settings: { op_timeout: '1s' } },
      prefix_routes: { catch_all_route: { cluster: 'a' } },
    },
  };
  const storing = (name: string, backend: string): Situation => ({
    ...over(tools, name, fixed('a', [port(backend)])),
    listeners: [
      { name: 'web', address: socket(port('web')), filter_chains: [{ name: 'web', filters: [redis] }] },
    ],
    requests: [{ ...toA, path: 'GET key', isRedis: true }],
  });
  const forward = httpFilter('dynamic_forward_proxy.v3.FilterConfig', {
    dns_cache_config: { name: 'cache', dns_lookup_family: 'V4_ONLY' },
  });
  return [
    byRds('routes that the source no longer has', [routes(route('/', 'a'))], []),
    byRds('weighted clusters whose weights add up to 0', [routes(withoutWeight)]),
    {
      name: 'a header that names a cluster, or none',
      listeners: [listener('web', port('web'), inline(byHeader))],
      clusters: [good],
      requests: [
        { ...toA, headers: { 'x-cluster': 'a' } },
        { listener: 'web', path: '/', headers: { 'x-cluster': 'gone' } },
      ],
    },
    {
      ...over(tools, 'an original destination that a header states', originalDestination),
      requests: [
        { ...toA, headers: header('good'), namesHost: true },
        { ...toA, headers: header('closed'), namesHost: true },
      ],
    },
    storing('Redis: the host answers', 'store'),
    storing('Redis: the host accepts no connection', 'closed'),
    {
      name: 'a dynamic forward proxy',
      listeners: [
        {
          name: 'web',
          address: socket(port('web')),
          filter_chains: [
            chain(
              'web',
              inline({ match: { prefix: '/alive' }, direct_response: { status: 200 } }, route('/', 'a')),
              {},
              [forward],
            ),
          ],
        },
      ],
      clusters: [
        cluster('a', {
          lb_policy: 'CLUSTER_PROVIDED',
          cluster_type: {
            name: 'envoy.clusters.dynamic_forward_proxy',
            typed_config: {
              '@type': 'type.googleapis.com/envoy.extensions.clusters.dynamic_forward_proxy.v3.ClusterConfig',
              dns_cache_config: { name: 'cache', dns_lookup_family: 'V4_ONLY' },
            },
          },
        }),
      ],
      requests: [
        { listener: 'web', path: '/alive' },
        { ...toA, headers: { host: `localhost:${port('good')}` }, namesHost: true },
        { ...toA, headers: { host: 'no-such-name.invalid' }, namesHost: true },
      ],
    },
  ];
}
