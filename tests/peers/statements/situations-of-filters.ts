import { generateKeyPairSync } from 'node:crypto';
import type { Request, Situation, Tools } from './situation';
import {
  chain,
  cluster,
  fileSource,
  fixed,
  httpFilter,
  inline,
  listener,
  over,
  response,
  route,
  socket,
  toA,
} from './situation';

/** What users report of HTTP filters and of settings of routes that answer in place of a host, or do not. */
export function situationsOfFilters(tools: Tools): Situation[] {
  return [...withFilters(tools), ...withExtensions(tools), ...withMatches(tools)];
}

const filters = 'type.googleapis.com/envoy.extensions.filters.http.';
const denying = { '@type': `${filters}rbac.v3.RBAC`, rules: { action: 'ALLOW', policies: {} } };

/** Routes whose clusters may be missing. */
export const unchecked = (...routes: object[]) => ({
  route_config: { ...inline(...routes).route_config, validate_clusters: false },
});

/** A listener with these HTTP filters, of which all requests lead to the cluster `a`. */
function filtered(
  tools: Tools,
  name: string,
  httpFilters: object[],
  requests: readonly Request[] = [toA],
  routes: object[] = [route('/', 'a')],
): Situation {
  return managed(tools, name, inline(...routes), requests, httpFilters);
}

/** A listener with these fields of its connection manager. */
export function managed(
  tools: Tools,
  name: string,
  manager: object,
  requests: readonly Request[] = [toA],
  httpFilters: object[] = [],
): Situation {
  const { port } = tools;
  return {
    ...over(tools, name, fixed('a', [port('good')])),
    listeners: [
      { name: 'web', address: socket(port('web')), filter_chains: [chain('web', manager, {}, httpFilters)] },
    ],
    requests,
  };
}

function withFilters(tools: Tools): Situation[] {
  const { port } = tools;
  const fault = (more: object) =>
    httpFilter('fault.v3.HTTPFault', {
      abort: { http_status: 503, percentage: { numerator: 100, denominator: 'HUNDRED' } },
      ...more,
    });
  const rbac = httpFilter('rbac.v3.RBAC', { rules: { action: 'ALLOW', policies: {} } });
  const perRoute = (path: string, config: object) => ({
    ...route(path, 'a'),
    typed_per_filter_config: { 'rbac.v3.RBAC': config },
  });
  const key = generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey.export({ format: 'jwk' });
  const jwt = httpFilter('jwt_authn.v3.JwtAuthentication', {
    providers: { own: { issuer: 'own', local_jwks: { inline_string: JSON.stringify({ keys: [key] }) } } },
    rules: [{ match: { prefix: '/open' } }, { match: { prefix: '/' }, requires: { provider_name: 'own' } }],
  });
  const health = httpFilter('health_check.v3.HealthCheck', {
    pass_through_mode: false,
    headers: [{ name: ':path', string_match: { exact: '/alive' } }],
  });
  const basic = httpFilter('basic_auth.v3.BasicAuth', {
    // The password is "test".
    users: { inline_string: 'user1:{SHA}qUqP5cyxm6YcTAhz05Hph5gvu9M=' },
  });
  const toDead = { request_mirror_policies: [{ cluster: 'b' }] };
  return [
    filtered(tools, 'a fault filter for requests with a header that callers do not send', [
      fault({ headers: [{ name: 'x-fault', present_match: true }] }),
    ]),
    filtered(
      tools,
      'a fault filter whose share a header states',
      [
        httpFilter('fault.v3.HTTPFault', {
          abort: { header_abort: {}, percentage: { numerator: 100, denominator: 'HUNDRED' } },
        }),
      ],
      [
        { listener: 'web', path: '/', headers: { 'x-envoy-fault-abort-request': '503' }, isOfExplain: true },
        toA,
      ],
    ),
    filtered(tools, 'a filter that is disabled', [{ ...rbac, disabled: true }]),
    filtered(
      tools,
      'a filter that one route disables',
      [rbac],
      [
        { ...toA, path: '/open' },
        { listener: 'web', path: '/' },
      ],
      [
        perRoute('/open', {
          '@type': 'type.googleapis.com/envoy.config.route.v3.FilterConfig',
          ...{ config: { '@type': `${filters}rbac.v3.RBACPerRoute` }, disabled: true },
        }),
        route('/', 'a'),
      ],
    ),
    filtered(
      tools,
      'a filter that one route enables',
      [{ ...rbac, disabled: true }],
      [{ listener: 'web', path: '/closed' }, toA],
      [
        perRoute('/closed', { '@type': `${filters}rbac.v3.RBACPerRoute`, rbac: { rules: denying.rules } }),
        route('/', 'a'),
      ],
    ),
    filtered(tools, 'shadow rules of an RBAC filter', [
      httpFilter('rbac.v3.RBAC', { shadow_rules: { action: 'ALLOW', policies: {} } }),
    ]),
    filtered(
      tools,
      'a JWT is required of some paths, and callers have none',
      [jwt],
      [
        { ...toA, path: '/open' },
        { listener: 'web', path: '/' },
      ],
    ),
    {
      ...filtered(
        tools,
        'Envoy answers the health check of its callers, and its cluster has no host',
        [health],
        [{ listener: 'web', path: '/alive' }, toA],
      ),
      clusters: [cluster('a', fixed('a', []))],
    },
    filtered(
      tools,
      'a password is required, and callers state none',
      [basic],
      [{ listener: 'web', path: '/' }],
    ),
    {
      ...filtered(
        tools,
        'requests are mirrored to a cluster that accepts no connection',
        [],
        [toA],
        [route('/', 'a', toDead)],
      ),
      clusters: [cluster('a', fixed('a', [port('good')])), cluster('b', fixed('b', [port('closed')]))],
    },
    managed(
      tools,
      'requests are mirrored to a cluster that does not exist',
      unchecked(route('/', 'a', { request_mirror_policies: [{ cluster: 'gone' }] })),
    ),
  ];
}

/** HTTP filters of which another source delivers the config (ECDS). */
function withExtensions(tools: Tools): Situation[] {
  const { file } = tools;
  const discovered = (more: object = {}) => ({
    name: 'discovered',
    config_discovery: {
      config_source: { ...fileSource(file('extensions')), initial_fetch_timeout: '1s' },
      type_urls: ['type.googleapis.com/envoy.extensions.filters.http.rbac.v3.RBAC'],
      ...more,
    },
  });
  const by = (name: string, own: object, more: object, requests: readonly Request[]): Situation => ({
    ...filtered(tools, name, [discovered(more)], requests),
    files: { extensions: [response('extensions', { name: 'discovered', typed_config: own })] },
  });
  const failing: readonly Request[] = [{ listener: 'web', path: '/' }];
  const other = { '@type': `${filters}buffer.v3.Buffer`, max_request_bytes: 1 };
  const initial = { default_config: denying, apply_default_config_without_warming: true };
  return [
    by('the config of a filter that denies every request arrives', denying, {}, failing),
    by('the config of a filter that denies nothing arrives', { '@type': `${filters}rbac.v3.RBAC` }, {}, [
      toA,
    ]),
    by('the config of a filter was rejected from the start', other, {}, failing),
    by(
      'the config of a filter was rejected from the start, and the default one denies',
      other,
      initial,
      failing,
    ),
  ];
}

/** What a route, or a virtual host, matches and does. */
function withMatches(tools: Tools): Situation[] {
  const { port } = tools;
  const good = cluster('a', fixed('a', [port('good')]));
  const at = (path: string, more: Partial<Request> = {}): Request => ({ ...toA, path, ...more });
  const nowhere = (path: string, headers: Readonly<Record<string, string>> = {}): Request => ({
    ...{ listener: 'web', path, headers },
  });
  const to = (match: object, more: object = {}) => ({ match, route: { cluster: 'a', ...more } });
  const routes = (name: string, own: object[], requests: readonly Request[]): Situation => ({
    ...over(tools, name, fixed('a', [port('good')])),
    listeners: [listener('web', port('web'), inline(...own))],
    clusters: [good],
    requests,
  });
  const header = { name: 'x-version', string_match: { exact: '2' } };
  const off = { runtime_fraction: { default_value: { numerator: 0 }, runtime_key: 'xdscope.off' } };
  const overridden = { runtime_fraction: { default_value: { numerator: 100 }, runtime_key: 'xdscope.on' } };
  const lua = {
    inline_cluster_specifier_plugin: {
      extension: {
        name: 'lua',
        typed_config: {
          '@type': 'type.googleapis.com/envoy.extensions.router.cluster_specifiers.lua.v3.LuaConfig',
          source_code: { inline_string: 'function envoy_on_route(h) return "a" end' },
        },
      },
    },
  };
  return [
    routes(
      'a prefix that is written as a regular expression',
      [to({ prefix: '/v[0-9]/shop' })],
      [nowhere('/v1/shop')],
    ),
    routes(
      'a regular expression that matches a part of the path alone',
      [to({ safe_regex: { regex: '/v[0-9]' } })],
      [at('/v1'), nowhere('/v1/shop')],
    ),
    routes(
      'a prefix of whole segments',
      [to({ path_separated_prefix: '/shop' })],
      [at('/shop/cart'), nowhere('/shopping')],
    ),
    routes(
      'a header that callers do not send',
      [to({ prefix: '/', headers: [header] })],
      [nowhere('/'), at('/', { headers: { 'x-version': '2' } })],
    ),
    routes(
      'a header that must be absent',
      [to({ prefix: '/', headers: [{ name: 'x-version', present_match: false }] })],
      [at('/'), nowhere('/', { 'x-version': '2' })],
    ),
    routes(
      'a query parameter',
      [to({ prefix: '/', query_parameters: [{ name: 'v', string_match: { exact: '2' } }] })],
      [at('/?v=2'), nowhere('/?v=1')],
    ),
    routes('a route for no fraction of the requests', [to({ prefix: '/', ...off })], [nowhere('/')]),
    {
      ...routes(
        'a route whose fraction the runtime sets to 0',
        [to({ prefix: '/', ...overridden })],
        [nowhere('/')],
      ),
      bootstrap: {
        layered_runtime: { layers: [{ name: 'static', static_layer: { 'xdscope.on': 0 } }] },
      },
    },
    routes('a cluster that a Lua script names', [{ match: { prefix: '/' }, route: lua }], [toA]),
    routes(
      'a redirect to another path, which leads to a cluster',
      [{ match: { path: '/old' }, redirect: { path_redirect: '/new' } }, to({ prefix: '/new' })],
      [nowhereButRedirected('/old'), at('/new')],
    ),
  ];
}

const nowhereButRedirected = (path: string): Request => ({ listener: 'web', path, intended: 301 });
