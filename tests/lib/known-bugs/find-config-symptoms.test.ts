import { describe, expect, it } from 'vitest';
import { findKnownResult } from '@/lib/interop/known-results';
import { findBugsOf, findKnownBugs } from '@/lib/known-bugs/find-known-bugs';
import { readConfigUse } from '@/lib/known-bugs/read-config-use';
import { trafficOfCluster } from '@/lib/lb/simulator/traffic-of-cluster';
import type { Recorded } from '@/lib/observation/observation';
import { chooseProfile } from '@/lib/resolve/client-profile';
import { EDS, RDS } from '@/lib/xds/resource-type';
import { resolverOver } from '../../support/builders/resolve-mesh';
import {
  apiListener,
  edsCluster,
  endpoints,
  type MeshResource,
  routeConfig,
  topologyInput,
} from '../../support/builders/topology-mesh';

const agents = {
  core: ['gRPC C-core linux Python', 'C-core 54.0.0 Python 1.85.1'],
  node: ['gRPC Node Pure JS', '1.14.1'],
  go: ['gRPC Go', '1.85.0'],
  oldGo: ['gRPC Go', '1.64.1'],
  java: ['gRPC Java', '1.79.0'],
  newJava: ['gRPC Java', '1.85.1'],
} as const;
type Agent = keyof typeof agents;

/** The ids of the bugs, with the names of their resources, of a client with these resources. */
async function bugsOf(agent: Agent, mesh: readonly MeshResource[], history: readonly Recorded[] = []) {
  const [userAgentName, userAgentVersion] = agents[agent];
  const { rows, modelOf } = topologyInput(mesh);
  const { profile } = chooseProfile({ node: { userAgentName, userAgentVersion } });
  const notices = await findKnownBugs(
    { userAgentName, userAgentVersion },
    {
      ...{ rows, history, findRoutes: async () => [], findReached: async () => [], findLastSeen: () => null },
      readUse: async () => readConfigUse(rows, modelOf, profile),
    },
  );
  return notices.map(({ id, resources }) => [id, ...resources.map(({ name }) => name)].join(' '));
}

const seed = { interval: '2s', successRateRequestVolume: 20 };
const enforced = { ...seed, enforcingSuccessRate: 100 };
const whole = { ...enforced, successRateMinimumHosts: 5, successRateStdevFactor: 1900 };
const byPercentage = { ...seed, enforcingFailurePercentage: 100 };
const off = { ...seed, enforcingSuccessRate: 0 };

const meshWith = (outlierDetection?: object): MeshResource[] => {
  const cluster = edsCluster('cart');
  return [
    apiListener('shop', { rds: 'routes' }),
    routeConfig('routes', { '': 'cart' }),
    { ...cluster, body: { ...cluster.body, outlierDetection } },
    endpoints('cart', [{ zone: 'a', endpoints: ['10.0.0.1:80', '10.0.0.2:80'] }]),
  ];
};
const byCore = ['no-ejection-without-enforcement cart'];
const byNode = ['no-ejection-with-defaults cart'];

describe('outlier detection that ejects no endpoint', () => {
  it.each([
    ['core', 'the seed', seed, byCore],
    ['core', 'enforcing_success_rate', enforced, []],
    ['core', 'all fields', whole, []],
    ['core', 'failures that are enforced', byPercentage, []],
    ['core', 'an enforcement of 0', off, []],
    ['core', 'none', undefined, []],
    ['node', 'the seed', seed, byNode],
    ['node', 'enforcing_success_rate alone', enforced, byNode],
    ['node', 'all fields', whole, []],
    ['node', 'none', undefined, []],
    ['go', 'the seed', seed, []],
    ['oldGo', 'the seed', seed, []],
    ['java', 'the seed', seed, []],
  ] as const)('%s with the fields of %s', async (agent, _, detection, expected) => {
    expect(await bugsOf(agent, meshWith(detection))).toEqual(expected);
  });

  it.each([
    [
      'core-1.85',
      seed,
      /^outlier_detection ejects no endpoint: C-core .* only if enforcing_success_rate is set/,
    ],
    ['core-1.85', enforced, undefined],
    [
      'node-1.14',
      enforced,
      /ejects no endpoint: Node .*success_rate_minimum_hosts, success_rate_stdev_factor are/,
    ],
    ['node-1.14', whole, undefined],
    ['go-1.85', seed, undefined],
  ] as const)('the simulator follows it: %s', (profile, detection, note) => {
    const resolver = resolverOver(meshWith(detection), { profile });
    const traffic = trafficOfCluster('cart', profile, (name) => resolver.findCluster(name));
    const notes = typeof traffic === 'string' ? [traffic] : traffic.grpcNotes;
    const found = notes.filter((each) => each.includes('outlier_detection'));
    expect(found).toEqual(note === undefined ? [] : [expect.stringMatching(note)]);
  });
});

describe('routes without a virtual host for the target', () => {
  const routes = (domain: string): MeshResource => ({
    ...{ typeUrl: RDS.typeUrl, name: 'routes' },
    body: {
      name: 'routes',
      virtualHosts: [
        { name: 'v', domains: [domain], routes: [{ match: { prefix: '' }, route: { cluster: 'cart' } }] },
      ],
    },
  });
  const mesh = (domain: string, listener = 'shop') => [
    apiListener(listener, { rds: 'routes' }),
    routes(domain),
  ];
  const reported = (...hashes: string[]) =>
    hashes.map((hash, index) => ({
      ...{ kind: 'client-config-changed', seq: index + 1, at: index, sourceId: 'csds', removed: [] },
      changed: [{ typeUrl: RDS.typeUrl, name: 'routes', hash, clientStatus: 'ACKED' }],
    })) as unknown as Recorded[];
  const expected = ['keeps-routes-without-match routes'];

  it('are kept by gRPC-Go 1.64, if there were others before', async () => {
    expect(await bugsOf('oldGo', mesh('shop:80'), reported('a', 'b'))).toEqual(expected);
    expect(await bugsOf('oldGo', mesh('shop:80'), reported('a', 'a'))).toEqual([]);
    expect(await bugsOf('oldGo', mesh('shop'), reported('a', 'b'))).toEqual([]);
    expect(await bugsOf('oldGo', mesh('shop:80', 'xdstp://a/b/shop'), reported('a', 'b'))).toEqual([]);
  });

  it.each(['go', 'core', 'node', 'java'] as const)('are not kept by %s', async (agent) => {
    expect(await bugsOf(agent, mesh('shop:80'), reported('a', 'b'))).toEqual([]);
  });

  it.each([
    ['go-1.64', ''],
    ['go-1.85', expect.stringContaining('no virtual host')],
  ] as const)('the effective config follows it: %s', (profile, error) => {
    expect(resolverOver(mesh('shop:80'), { profile }).listener.error).toEqual(error);
  });
});

describe('endpoints with additional addresses', () => {
  const dual: MeshResource = {
    ...{ typeUrl: EDS.typeUrl, name: 'cart' },
    body: {
      clusterName: 'cart',
      endpoints: [
        {
          locality: { zone: 'a' },
          loadBalancingWeight: 1,
          lbEndpoints: [
            {
              endpoint: {
                address: { socketAddress: { address: '10.0.0.1', portValue: 80 } },
                additionalAddresses: [{ address: { socketAddress: { address: '::1', portValue: 80 } } }],
              },
            },
          ],
        },
      ],
    },
  };

  it('need variables of the environment of gRPC-Java 1.79', async () => {
    expect(await bugsOf('java', [dual])).toEqual(['ignores-additional-addresses cart']);
    expect(await bugsOf('java', meshWith())).toEqual([]);
    for (const agent of ['newJava', 'go', 'core', 'node'] as const)
      expect(await bugsOf(agent, [dual]), agent).toEqual([]);
  });
});

/** Every difference between clients of the interop runs, by the sections of spec/interop.md, and by what it is recognized. */
const found: readonly (readonly [section: string, what: string, by: By])[] = [
  ['3.2', 'C-core 1.85.1 ejects nobody', { agent: 'core', bug: 'no-ejection-without-enforcement' }],
  ['3.2', 'grpc-js-xds 1.14.1 ejects nobody', { agent: 'node', bug: 'no-ejection-with-defaults' }],
  // Only a tap sees the requests. find-known-bugs.test.ts has the recordings with and without it.
  ['3.3', 'gRPC-Go 1.85.0 stays on the fallback with RDS', { agent: 'go', bug: 'frozen-after-fallback' }],
  ['3.4', 'gRPC-Go 1.64.1 keeps old routes', { agent: 'oldGo', bug: 'keeps-routes-without-match' }],
  ['3.4', 'gRPC-Java 1.79.0 needs variables', { agent: 'java', bug: 'ignores-additional-addresses' }],
  // It is a NACK, which is an issue of its own: in Python an application cannot add a policy.
  [
    '3.4',
    'C-core rejects custom_lb',
    { client: ['c-core', '1.85.1'], case: 'custom_lb', verdict: 'rejects' },
  ],
  // The test program lacks the policy, which is no bug of the client.
  [
    '3.4',
    'the js client lacks custom_lb',
    { client: ['grpc-js', '1.14.1'], case: 'custom_lb', verdict: 'unable' },
  ],
];
type By =
  | { readonly agent: Agent; readonly bug: string }
  | { readonly client: readonly [string, string]; readonly case: string; readonly verdict: string };

it.each(found)('%s: %s', (_section, _what, by) => {
  if ('bug' in by) {
    const [userAgentName, userAgentVersion] = agents[by.agent];
    expect(findBugsOf({ userAgentName, userAgentVersion }).map(({ id }) => id)).toContain(by.bug);
  } else {
    const [name, version] = by.client;
    expect(findKnownResult(by.case, { name, version })?.verdict).toBe(by.verdict);
  }
});
