import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Breaker, noFailing } from '@/lib/facts/failing-endpoints';
import { hostHealthTypeUrl } from '@/lib/model/host-health';
import { buildTopology } from '@/lib/views/graph/build-topology';
import { buildResolved } from '@/lib/views/resolved/build-resolved';
import { resolvedQuery } from '@/lib/views/resolved/query';
import { CDS, LDS } from '@/lib/xds/resource-type';
import { answerPlay } from '@/server/answers/failover/failover-builder';
import { resolverOver } from '@/tests/support/builders/resolve-mesh';
import {
  apiListener,
  edsCluster,
  endpoints,
  type MeshResource,
  routeConfig,
  topologyInput,
} from '@/tests/support/builders/topology-mesh';
import { runs } from '@/tests/support/runs';

/** The settings that decide where an Envoy sends requests and that are not modelled, with the field that names each. */
const settings = {
  lb_subset_config: {
    lbSubsetConfig: { subsetSelectors: [{ keys: ['version'] }], allowRedundantKeys: true },
  },
  zone_aware_lb_config: { commonLbConfig: { zoneAwareLbConfig: { minClusterSize: 1 } } },
  max_requests: { circuitBreakers: { thresholds: [{ maxRequests: 0 }] } },
  'example.Custom': {
    loadBalancingPolicy: {
      policies: [
        {
          typedExtensionConfig: {
            name: 'example.Custom',
            typedConfig: { '@type': 'type.googleapis.com/example.Custom' },
          },
        },
      ],
    },
  },
} as const;
type Setting = keyof typeof settings;
const names = Object.keys(settings) as Setting[];

const healths = ['HEALTHY', 'UNKNOWN', 'DEGRADED', 'UNHEALTHY', 'DRAINING'] as const;
const hosts = fc.array(fc.constantFrom(...healths), { minLength: 1, maxLength: 5 });

const manager = {
  '@type':
    'type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager',
  rds: { routeConfigName: 'routes' },
};
const edge: MeshResource = {
  typeUrl: LDS.typeUrl,
  name: 'edge',
  body: {
    name: 'edge',
    address: { socketAddress: { address: '0.0.0.0', portValue: 80 } },
    filterChains: [{ filters: [{ name: 'hcm', typedConfig: manager }] }],
  },
};

const named = {
  clusterName: 'cart',
  endpoints: [
    {
      lbEndpoints: [{ endpoint: { address: { socketAddress: { address: 'shop.example', portValue: 80 } } } }],
    },
  ],
};

function reportedHosts(...addresses: string[]): MeshResource {
  const hostStatuses = addresses.map((address) => {
    const [ip, port] = address.split(':');
    return { address: { socketAddress: { address: ip, portValue: Number(port) } }, healthStatus: {} };
  });
  return { typeUrl: hostHealthTypeUrl, name: 'cart', body: { name: 'cart', hostStatuses } };
}

/** What an Envoy measures of a cluster so that its shares are not known, or what it lost of it. */
const limits = fc.subarray(['max_requests', 'max_pending_requests', 'max_retries'], { minLength: 0 });

function statementsOf(
  chosen: readonly Setting[],
  health: readonly string[],
  more: object = {},
  others: readonly MeshResource[] = [],
  { breaker, hasEndpoints = true }: { readonly breaker?: Breaker; readonly hasEndpoints?: boolean } = {},
) {
  const own = Object.assign({}, ...chosen.map((name) => settings[name]));
  const cluster: MeshResource = {
    ...{ typeUrl: CDS.typeUrl, name: 'cart', stage: 'active' },
    body: { name: 'cart', type: 'EDS', edsClusterConfig: { edsConfig: { ads: {} } }, ...own, ...more },
  };
  const eds = endpoints('cart', [
    { zone: 'a', endpoints: health.map((each, at) => `10.0.0.${at + 1}:80 ${each}`) },
    { zone: 'b', endpoints: ['10.0.1.1:80'] },
  ]);
  const reported = hasEndpoints ? [eds] : [];
  const mesh = [edge, routeConfig('routes', { '/': 'cart' }), cluster, ...reported, ...others];
  const resolver = resolverOver(mesh, { start: { listener: 'edge' }, profile: 'envoy' });
  if (breaker !== undefined) resolver.setFailing({ ...noFailing, breakers: new Map([['cart', breaker]]) });
  const query = { cluster: 'cart', changes: [], seconds: 0, find: '' };
  const failover = answerPlay(resolver, 'core-1.85', query, { isEnvoy: true });
  const [config] = buildResolved(resolver, 'envoy-1.40', resolvedQuery.parse({})).clusters.items;
  const node = buildTopology(topologyInput(mesh)).nodes.find(({ id }) => id === 'cluster:cart');
  return { failover, config, node };
}

it.each([
  [
    'gRPC-Go 1.64 may keep the routes that it had',
    [apiListener('shop', { inline: { name: 'own', virtualHosts: [{ domains: ['other'], routes: [] }] } })],
    /^the clusters are not known: .*gRPC-Go 1\.64 keeps the routes that it had before, if any$/,
  ],
  [
    'the routes are not received yet',
    [apiListener('shop', { rds: 'routes' })],
    /^the clusters are not known: .*RDS "routes"/,
  ],
])('states why there are no clusters: %s', (_, resources, note) => {
  const resolver = resolverOver(resources, { profile: 'go-1.64' });
  const query = { cluster: undefined, changes: [], seconds: 0, find: '' };
  expect(answerPlay(resolver, 'go-1.64', query, {}).notes[0]).toMatch(note);
});

it('a gRPC client is connected as far as its connections are reported', () => {
  const [a, b] = ['10.0.0.1:1', '10.0.0.2:1'];
  const resolver = resolverOver(
    [
      apiListener('shop', { rds: 'routes' }),
      routeConfig('routes', { '': 'cart' }),
      edsCluster('cart'),
      endpoints('cart', [{ zone: 'a', endpoints: [a, `${b} UNKNOWN`, '10.0.0.3:1 DRAINING'] }]),
    ],
    { profile: 'go-1.85' },
  );
  const stateWith = (connected?: readonly string[]) => {
    const query = { cluster: 'cart', changes: [], seconds: 0, find: '' };
    const about = connected === undefined ? query : { ...query, connected: new Set(connected) };
    const { moments, priorities } = answerPlay(resolver, 'go-1.85', about, {});
    return [priorities[0]?.isConnected, moments[0]?.grpc.sentences.at(-1)];
  };
  const assumed = [undefined, 'P0 gets all requests if it connects: 2 of 2 endpoints are usable'];
  expect(stateWith()).toEqual(assumed);
  expect(stateWith([])).toEqual(assumed);
  expect(stateWith([a])).toEqual(assumed);
  expect(stateWith([a, b])).toEqual([true, 'P0 gets all requests: 2 of 2 endpoints are connected']);
});

describe('the shares of an Envoy', () => {
  it('are not stated if a setting that is not modelled decides them, which is named', () => {
    fc.assert(
      fc.property(fc.subarray(names, { minLength: 1 }), hosts, (chosen, health) => {
        const { failover, config, node } = statementsOf(chosen, health);
        const isNamed = (text: string | undefined): boolean => chosen.some((name) => text?.includes(name));
        expect([failover.moments, failover.priorities]).toEqual([[], []]);
        expect(failover.notes.filter(isNamed)).toHaveLength(1);
        // No request is allowed, or the custom policy supersedes the others.
        const deciding = (['max_requests', 'example.Custom'] as const).find((name) => chosen.includes(name));
        for (const name of deciding === undefined ? chosen : [deciding])
          expect(failover.notes.join()).toContain(name);
        expect(failover.notes.join()).not.toMatch(/\d%/);
        const ofConfig = [config?.error, config?.notModelled, ...(config?.lbPolicies ?? [])].join(' ');
        expect(isNamed(ofConfig)).toBe(true);
        const decides = chosen.some((name) => name.endsWith('_lb_config') || name === 'max_requests');
        if (decides) expect(config?.status).not.toBe('ok');
        const ofGraph = `${node?.detail} ${node?.below?.text}`;
        // A policy is named without its package.
        expect(isNamed(ofGraph) || ofGraph.includes('custom')).toBe(true);
      }),
      { numRuns: runs(100) },
    );
  });

  it('are not stated while a circuit breaker rejects requests, whatever else is known', () => {
    fc.assert(
      fc.property(limits, fc.subarray(names), hosts, (reached, chosen, health) => {
        const { failover, config } = statementsOf(chosen, health, {}, [], { breaker: { limits: reached } });
        expect([failover.moments, failover.priorities]).toEqual([[], []]);
        expect(failover.notes.join()).not.toMatch(/\d%/);
        const isNamed = ['circuit breaker', ...chosen].some((name) => failover.notes.join().includes(name));
        expect(isNamed).toBe(true);
        expect(config?.status).not.toBe('ok');
      }),
      { numRuns: runs(100) },
    );
  });

  it('are not stated of a cluster whose endpoints are not reported', () => {
    fc.assert(
      fc.property(fc.subarray(names), hosts, (chosen, health) => {
        const { failover, config } = statementsOf(chosen, health, {}, [], { hasEndpoints: false });
        expect([failover.moments, failover.priorities]).toEqual([[], []]);
        expect(config?.status).not.toBe('ok');
      }),
      { numRuns: runs(100) },
    );
  });

  it('are of no endpoint after the endpoints were removed', () => {
    const removed = { ...endpoints('cart', []), hash: null, clientStatus: 'DOES_NOT_EXIST' } as const;
    const { failover, config } = statementsOf([], [], {}, [removed], { hasEndpoints: false });
    expect(failover.moments.map(({ envoy }) => [envoy.failing, envoy.priorities])).toEqual([[1, []]]);
    expect(config?.status).toBe('error');
  });

  it('are not stated of DNS names whose addresses are not reported', () => {
    const { failover } = statementsOf([], ['HEALTHY'], { type: 'STRICT_DNS', loadAssignment: named });
    expect([failover.moments, failover.notes]).toEqual([
      [],
      [expect.stringContaining('addresses are not reported')],
    ]);
  });

  it('state that the results of health checks are not reported, unless the hosts are', () => {
    const healthChecks = [{ timeout: '1s', httpHealthCheck: { path: '/healthz' } }];
    const { envoyNotes } = statementsOf([], ['UNKNOWN'], { healthChecks }).failover;
    expect(envoyNotes).toContainEqual(expect.stringContaining('health_checks are not reported'));
    expect(statementsOf([], ['UNKNOWN']).failover.envoyNotes.join()).not.toContain('health_checks');
    const hosts = reportedHosts('10.0.0.1:80', '10.0.1.1:80');
    const { failover } = statementsOf([], ['UNKNOWN'], { healthChecks }, [hosts]);
    expect(failover.envoyNotes.join()).not.toContain('health_checks');
  });

  it('are stated if every input is known, and add up with the requests that fail', () => {
    fc.assert(
      fc.property(hosts, (health) => {
        const [now] = statementsOf([], health).failover.moments;
        const served = now?.envoy.priorities.reduce((all, { load }) => all + load, 0) ?? 0;
        expect(served + (now?.envoy.failing ?? 0)).toBeCloseTo(1, 5);
      }),
      { numRuns: runs(100) },
    );
  });
});
