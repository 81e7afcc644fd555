import { describe, expect, it } from 'vitest';
import { conditionCode } from '@/lib/lb/simulator/endpoint-condition';
import { playFailover } from '@/lib/lb/simulator/play-failover';
import { openSimulation } from '@/lib/lb/simulator/step-failover';
import { trafficOfCluster } from '@/lib/lb/simulator/traffic-of-cluster';
import { newestOf } from '@/lib/xds/profile';
import { CDS, EDS } from '@/lib/xds/resource-type';
import cases from '@/tests/fixtures/captures/load-balancing/envoy.json';
import { resolverOver } from '@/tests/support/builders/resolve-mesh';
import {
  aggregateCluster,
  apiListener,
  edsCluster,
  type MeshResource,
  routeConfig,
} from '@/tests/support/builders/topology-mesh';

type Case = (typeof cases)[number];

/** Cases whose shares are not those of a steady state, with the reason. */
const notSteady: Readonly<Record<string, string>> = {
  deadall_od:
    'endpoints are ejected after failures, and the ejection takes effect 1 s later: the first requests fail',
  weights_lr31: 'LEAST_REQUEST with weights is approximate, and the page states that',
};

/** Envoy 1.36 has no wrr_locality: it rejects the cluster. */
const isRejected = ({ error }: { readonly error: string }): boolean => error === '503 ';

function simulate({ name, cluster, endpoints, dead }: Case) {
  const mesh: MeshResource[] = [
    apiListener('shop', { rds: 'routes' }),
    routeConfig('routes', { '': name }),
    { typeUrl: CDS.typeUrl, name, body: cluster },
    { typeUrl: EDS.typeUrl, name, body: endpoints },
  ];
  const resolver = resolverOver(mesh, { profile: 'envoy' });
  const traffic = trafficOfCluster(name, newestOf('core'), (each) => resolver.findCluster(each));
  if (typeof traffic === 'string') throw new Error(traffic);
  const simulation = openSimulation(traffic.cluster);
  const changes = dead.map(
    (address) => ({ kind: 'condition', at: 0, target: { address }, to: 'dead' }) as const,
  );
  const [moment] = playFailover(simulation, changes, 0);
  if (moment === undefined) throw new Error('expected a moment, got none');
  const served = 1 - traffic.dropPercent / 100;
  // The table is in the order of priorities, as the captures are.
  return {
    endpoints: [...moment.envoy.loads.endpoints].map((load) => 100 * load * served),
    failed: 100 * (1 - served + served * moment.envoy.failing),
    deadOnes: [...moment.state.conditions].filter((code) => code === conditionCode.dead).length,
    notes: traffic.envoyNotes.join('; '),
    sentences: moment.envoySentences.join('; '),
  };
}

describe.each(['1.40.0', '1.36.2'] as const)(
  'shares measured with Envoy %s, 3,000 requests each',
  (version) => {
    const steady = cases.filter(({ name, answers }) => !(name in notSteady) && !isRejected(answers[version]));

    it.each(steady.map((each) => [each.name, each] as const))('%s', (_, each) => {
      const { requests, endpoints, failed } = each.answers[version];
      const simulated = simulate(each);
      expect(simulated.deadOnes).toBe(each.dead.length);
      expect(simulated.endpoints).toHaveLength(endpoints.length);
      simulated.endpoints.forEach((percent, at) => {
        expect(Math.abs(percent - (100 * (endpoints[at] ?? 0)) / requests)).toBeLessThan(3);
      });
      expect(Math.abs(simulated.failed - (100 * failed) / requests)).toBeLessThan(3);
    });
  },
);

it('40 cases were captured, of which two have no steady share and two are rejected by 1.36', () => {
  expect(cases).toHaveLength(40);
  expect(Object.keys(notSteady).every((name) => cases.some((each) => each.name === name))).toBe(true);
  expect(cases.filter(({ answers }) => isRejected(answers['1.36.2'])).map(({ name }) => name)).toEqual([
    'loc31_wrr',
    'panic_wrr',
  ]);
  expect(cases.filter(({ answers }) => isRejected(answers['1.40.0']))).toEqual([]);
});

describe('what is approximate is stated', () => {
  const simulated = (name: string) => {
    const found = cases.find((each) => each.name === name);
    if (found === undefined) throw new Error(`expected a case ${name}, got none`);
    return simulate(found);
  };

  it('LEAST_REQUEST with weights', () => {
    expect(simulated('weights_lr31').notes).toContain(
      'LEAST_REQUEST with weights: the shares of endpoints are approximate',
    );
    expect(simulated('loc31_lbp_lr').notes).not.toContain('approximate');
  });

  it('ejection by outlier detection: all requests to lower priorities in the end, failures until then', () => {
    expect(simulated('deadall_od').endpoints).toEqual([0, 0, 100]);
    expect(simulated('deadall_od').notes).toContain(
      'until then, and for up to a second more, its requests fail',
    );
  });

  it('endpoints that reject connections and stay in rotation', () => {
    expect(simulated('dead1_nohc').sentences).toContain(
      '1 endpoint of P0 that rejects connections stays in rotation, because the cluster has no health_checks, and no outlier_detection that ejects endpoints after failed connections: 33% of all requests are answered with 503, unless a route retries them',
    );
    expect(simulated('dead1_od_defaults').sentences).toContain(
      'because outlier_detection ejects at most 10% of the endpoints of the cluster (max_ejection_percent)',
    );
  });

  it('DRAINING endpoints are not counted', () => {
    expect(simulated('drain_2h2d').sentences).toContain(
      'P0 is taken as 100% healthy, without 2 DRAINING endpoints',
    );
  });

  it('fail_traffic_on_panic', () => {
    expect(simulated('failpanic_lbp').sentences).toContain('Envoy answers all requests with 503');
  });
});

it('endpoints that Envoy creates on demand have no shares', () => {
  const mesh: MeshResource[] = [
    apiListener('shop', { rds: 'routes' }),
    routeConfig('routes', { '': 'passthrough' }),
    { typeUrl: CDS.typeUrl, name: 'passthrough', body: { name: 'passthrough', type: 'ORIGINAL_DST' } },
  ];
  const resolver = resolverOver(mesh, { profile: 'envoy' });
  expect(trafficOfCluster('passthrough', newestOf('core'), (each) => resolver.findCluster(each))).toBe(
    'cluster "passthrough" (original destination): the client creates endpoints on demand, so that the shares of endpoints are not known',
  );
});

it('the names of a STRICT_DNS cluster have their priorities, localities and weights', () => {
  const nameOf = (address: string, loadBalancingWeight = 1) => ({
    endpoint: { address: { socketAddress: { address, portValue: 80 } } },
    loadBalancingWeight,
  });
  const body = {
    name: 'cart',
    type: 'STRICT_DNS',
    commonLbConfig: { localityWeightedLbConfig: {} },
    loadAssignment: {
      clusterName: 'cart',
      endpoints: [
        {
          locality: { zone: 'a' },
          loadBalancingWeight: 3,
          lbEndpoints: [nameOf('a.local', 3), nameOf('b.local')],
        },
        { locality: { zone: 'b' }, loadBalancingWeight: 1, lbEndpoints: [nameOf('c.local')] },
        { locality: { zone: 'c' }, priority: 1, loadBalancingWeight: 1, lbEndpoints: [nameOf('d.local')] },
      ],
    },
  };
  const resolver = resolverOver(
    [
      apiListener('shop', { rds: 'routes' }),
      routeConfig('routes', { '': 'cart' }),
      { typeUrl: CDS.typeUrl, name: 'cart', body },
    ],
    { profile: 'envoy' },
  );
  const traffic = trafficOfCluster('cart', newestOf('core'), (name) => resolver.findCluster(name));
  if (typeof traffic === 'string') throw new Error(traffic);
  const [moment] = playFailover(openSimulation(traffic.cluster), [], 0);
  expect([...(moment?.envoy.loads.endpoints ?? [])]).toEqual([0.5625, 0.1875, 0.25, 0]);
});

describe('an aggregate whose leaf clusters have other settings', () => {
  const healths: Readonly<Record<string, string>> = { H: 'HEALTHY', U: 'UNHEALTHY' };
  const leaf = (
    name: string,
    hosts: string,
    { policy, ...cluster }: { policy?: object; [field: string]: unknown },
  ) => {
    const { body, ...row } = edsCluster(name);
    const lbEndpoints = [...hosts].map((letter, at) => ({
      endpoint: {
        address: { socketAddress: { address: name === 'a' ? '10.0.0.1' : '10.0.0.2', portValue: at + 1 } },
      },
      healthStatus: healths[letter],
    }));
    const assignment = { clusterName: name, endpoints: [{ loadBalancingWeight: 1, lbEndpoints }], policy };
    return [
      { ...row, body: { ...body, ...cluster } },
      { typeUrl: EDS.typeUrl, name, body: assignment },
    ];
  };
  const shares = (a: Parameters<typeof leaf>, b: Parameters<typeof leaf>, of: object = {}) => {
    const aggregate = aggregateCluster('all', ['a', 'b']);
    const mesh = [
      apiListener('shop', { rds: 'routes' }),
      routeConfig('routes', { '': 'all' }),
      { ...aggregate, body: { ...aggregate.body, ...of } },
      ...leaf(...a),
      ...leaf(...b),
    ];
    const resolver = resolverOver(mesh, { profile: 'envoy' });
    const traffic = trafficOfCluster('all', newestOf('core'), (name) => resolver.findCluster(name));
    if (typeof traffic === 'string') throw new Error(traffic);
    const [moment] = playFailover(openSimulation(traffic.cluster), [], 0);
    return {
      loads: [...(moment?.envoy.loads.endpoints ?? [])].map((load) => Math.round(1000 * load) / 10),
      sentences: moment?.envoySentences,
    };
  };
  const noPanic = { commonLbConfig: { healthyPanicThreshold: {} } };

  // Measured by the chapter load-balancing of tests/peers with Envoy 1.40.0.
  it('a leaf is in panic by its own health, also if the aggregate is not', () => {
    expect(shares(['a', 'HUUU', {}], ['b', 'HHHH', {}])).toEqual({
      loads: [8.8, 8.8, 8.8, 8.8, 16.3, 16.3, 16.3, 16.3],
      sentences: [
        'a P0 is 25% healthy; times 1.4 is 35%; the other 65% go to b P0',
        'a P0 is below the panic threshold of 50%: its requests go to all its endpoints, healthy or not',
        'b P0 is taken as 100% healthy: it gets 65%',
        '26% of the requests go to endpoints that are not healthy: whether these serve them is not known',
      ],
    });
  });

  it('a leaf has its own panic threshold', () => {
    expect(shares(['a', 'HUUU', noPanic], ['b', 'HUUU', {}]).loads).toEqual([
      50, 0, 0, 0, 12.5, 12.5, 12.5, 12.5,
    ]);
  });

  it('the threshold of the aggregate divides requests among its priorities', () => {
    const none = shares(['a', 'UU', {}], ['b', 'UUUU', {}], noPanic);
    expect(none.loads).toEqual([50, 50, 0, 0, 0, 0]);
    expect(none.sentences?.join('; ')).toContain('a P0 is below the panic threshold of 50%');
  });

  it('a leaf has its own overprovisioning factor', () => {
    const policy = { overprovisioningFactor: 200 };
    expect(shares(['a', 'HU', { policy }], ['b', 'HH', {}]).loads).toEqual([100, 0, 0, 0]);
  });

  it('a leaf whose policy gRPC rejects is used by Envoy', () => {
    expect(shares(['a', 'HU', { lbPolicy: 'RANDOM' }], ['b', 'HH', {}]).loads).toEqual([70, 0, 15, 15]);
  });
});
