import { expect, it } from 'vitest';
import { hostHealthTypeUrl } from '@/lib/model/host-health';
import { buildResolved } from '@/lib/views/resolved/build-resolved';
import { resolvedQuery } from '@/lib/views/resolved/query';
import { cart, edge, extension, start } from '@/tests/support/builders/envoy-edge';
import { resolverOver } from '@/tests/support/builders/resolve-mesh';
import {
  edsCluster,
  endpoints,
  type MeshResource,
  routeConfig,
} from '@/tests/support/builders/topology-mesh';

const filter = (type: string, more: object = {}) => ({
  name: 'service',
  typedConfig: {
    '@type': `${extension}http.${type}`,
    ...{ grpcService: { envoyGrpc: { clusterName: 'auth' } }, ...more },
  },
});
const authz = 'ext_authz.v3.ExtAuthz';
const withoutHost = [edsCluster('auth'), endpoints('auth', [])];
const withHost = [edsCluster('auth'), endpoints('auth', [{ zone: 'a', endpoints: ['10.0.0.9:80'] }])];

function chainOf(
  service: object,
  auth: readonly MeshResource[],
  table = routeConfig('routes', { '/': 'cart' }),
) {
  const resolver = resolverOver([edge([service]), table, ...cart, ...auth], { start, profile: 'envoy' });
  const [chain] = buildResolved(resolver, 'envoy-1.40', resolvedQuery.parse({})).chains;
  return { denied: chain?.httpFilters[0]?.denied, failure: chain?.failure };
}

it.each([authz, 'ext_proc.v3.ExternalProcessor'])(
  'the requests of a chain fail whose service has no host: %s',
  (type) => {
    const { denied, failure } = chainOf(filter(type), withoutHost);
    expect(denied).toMatch(
      /^denies all requests: its service cannot be called: .*failure_mode_allow is not set$/,
    );
    expect(failure).toMatchObject({ text: `filter "service" ${denied}`, by: { name: 'auth' } });
  },
);

it('a cluster does not exist that neither the config dump of an Envoy nor /clusters has', () => {
  const dumped = (all: readonly MeshResource[]) => all.map((each) => ({ ...each, stage: 'active' as const }));
  const hosts: MeshResource = {
    typeUrl: hostHealthTypeUrl,
    name: 'cart',
    isStatic: true,
    body: { name: 'cart' },
  };
  const listener = { ...edge([filter(authz)]), stage: 'active' as const };
  const deniedIn = (all: readonly MeshResource[]) => {
    const resolver = resolverOver([listener, routeConfig('routes', { '/': 'cart' }), ...all], {
      ...{ start, profile: 'envoy' },
    });
    return buildResolved(resolver, 'envoy-1.40', resolvedQuery.parse({})).chains[0]?.failure?.text;
  };
  expect(deniedIn([...dumped(cart), hosts])).toMatch(
    /its service cannot be called: cluster "auth" does not exist/,
  );
  expect(deniedIn(dumped(cart))).toBeUndefined();
  expect(deniedIn(cart)).toBeUndefined();
});

it('the filter denies nothing if failures are allowed, and what the service denies if it can be called', () => {
  expect(chainOf(filter(authz, { failureModeAllow: true }), withoutHost)).toEqual({
    denied: '',
    failure: undefined,
  });
  expect(chainOf(filter(authz), withHost)).toEqual({
    denied: 'denies requests that its external service does not allow',
    failure: undefined,
  });
});

it('not every request fails if the filter is left out for a route', () => {
  const off = { '@type': 'type.googleapis.com/envoy.config.route.v3.FilterConfig', disabled: true };
  const routes = [
    { match: { prefix: '/open' }, route: { cluster: 'cart' }, typedPerFilterConfig: { service: off } },
    { match: { prefix: '/' }, route: { cluster: 'cart' } },
  ];
  const table = {
    ...routeConfig('routes', {}),
    body: { name: 'routes', virtualHosts: [{ name: 'all', domains: ['*'], routes }] },
  };
  const { denied, failure } = chainOf(filter(authz), withoutHost, table);
  expect(denied).toMatch(/^denies all requests/);
  expect(failure).toBeUndefined();
});
