import { describe, expect, it } from 'vitest';
import type { Setting } from '@/lib/explain/trace';
import { CDS, EDS, LDS } from '@/lib/xds/resource-type';
import { edsCluster, type MeshResource } from '@/tests/support/builders/topology-mesh';
import { requestOf } from '../requests/matched-requests';
import { explainIn } from './explained-mesh';

const extension = 'type.googleapis.com/envoy.extensions.';
const http = `${extension}filters.http.`;

interface Mesh {
  readonly cluster?: object;
  /** Fields of the action beside the cluster. */
  readonly action?: object;
  readonly filters?: readonly object[];
  readonly headers?: readonly string[];
  /** `policy` of the endpoints. */
  readonly policy?: object;
  /** Fields of a TCP proxy, which takes the place of the connection manager. */
  readonly proxy?: object;
  readonly listenerFilters?: readonly object[];
}

function explainMesh({
  cluster = {},
  action = {},
  filters = [],
  headers = [],
  policy = {},
  proxy,
  listenerFilters = [],
}: Mesh) {
  const typedConfig = {
    '@type': `${extension}filters.network.http_connection_manager.v3.HttpConnectionManager`,
    routeConfig: {
      name: 'routes',
      virtualHosts: [
        {
          ...{ name: 'all', domains: ['*'] },
          routes: [{ match: { prefix: '/' }, route: { cluster: 'cart', ...action } }],
        },
      ],
    },
    httpFilters: [...filters, { name: 'router', typedConfig: { '@type': `${http}router.v3.Router` } }],
  };
  const listener = {
    ...{ name: 'edge', address: { socketAddress: { address: '10.0.0.1', portValue: 80 } } },
    filterChains: [
      {
        filters: [
          proxy === undefined
            ? { name: 'hcm', typedConfig }
            : {
                name: 'tcp',
                typedConfig: {
                  '@type': `${extension}filters.network.tcp_proxy.v3.TcpProxy`,
                  cluster: 'cart',
                  ...proxy,
                },
              },
        ],
      },
    ],
    listenerFilters,
  };
  const own = edsCluster('cart');
  const lbEndpoints = ['1', '1', '2'].map((v, at) => ({
    endpoint: { address: { socketAddress: { address: `10.0.0.${at + 2}`, portValue: 80 } } },
    metadata: { filterMetadata: { 'envoy.lb': { v } } },
  }));
  const resources: MeshResource[] = [
    { typeUrl: LDS.typeUrl, name: 'edge', body: listener },
    { typeUrl: CDS.typeUrl, name: 'cart', body: { ...own.body, ...cluster } },
    {
      typeUrl: EDS.typeUrl,
      name: 'cart',
      body: { clusterName: 'cart', endpoints: [{ lbEndpoints }], policy },
    },
  ];
  return explainIn(resources, requestOf('GET shop.example/', ...headers), { start: { listener: 'edge' } });
}

const subsets = { lbSubsetConfig: { subsetSelectors: [{ keys: ['v'] }] } };
const criteria = (v: string) => ({ metadataMatch: { filterMetadata: { 'envoy.lb': { v } } } });
const headerToMetadata = (rule: object) => ({
  name: 'to-metadata',
  typedConfig: {
    '@type': `${http}header_to_metadata.v3.Config`,
    requestRules: [{ header: 'x-v', onHeaderPresent: { key: 'v', ...rule } }],
  },
});

const setMetadata = (value: object) => ({
  name: 'set-metadata',
  typedConfig: {
    '@type': `${http}set_metadata.v3.Config`,
    metadata: [{ metadataNamespace: 'envoy.lb', value }],
  },
});

it('a TCP proxy without a usable host closes the connection, and answers nothing', () => {
  const [branch] = explainMesh({ cluster: subsets, proxy: criteria('9') }).branches;
  expect(branch).toMatchObject({
    kind: 'failed',
    flag: 'UH',
    text: expect.stringMatching(/^the connection is closed: no healthy upstream/),
  });
  expect(branch).not.toHaveProperty('status');
});

describe('a cluster with subsets', () => {
  const outcomeOf = (mesh: Mesh) => {
    const [branch] = explainMesh(mesh).branches;
    const endpoints = branch?.endpoints?.map(({ address, percent }) => `${address} ${percent}`);
    return endpoints ?? `${branch?.status} ${branch?.flag}`;
  };

  it.each<[string, Mesh, string | string[]]>([
    ['that the route selects', { action: criteria('1') }, ['10.0.0.2:80 50', '10.0.0.3:80 50']],
    ['that has no such subset', { action: criteria('9') }, '503 UH'],
    ['that a TCP proxy selects', { proxy: criteria('2') }, ['10.0.0.4:80 100']],
    [
      'behind a filter of the listener that sets metadata',
      { action: criteria('1'), listenerFilters: [setMetadata({ v: '1' })] },
      ['10.0.0.2:80 undefined', '10.0.0.3:80 undefined', '10.0.0.4:80 undefined'],
    ],
    ['of a route without metadata', {}, '503 UH'],
    [
      'behind a filter that writes into another namespace',
      { action: criteria('2'), filters: [headerToMetadata({ metadataNamespace: 'other' })] },
      ['10.0.0.4:80 100'],
    ],
    [
      'behind a filter that copies no header: its own namespace is no criterion',
      { action: criteria('2'), filters: [headerToMetadata({})] },
      ['10.0.0.4:80 100'],
    ],
    [
      'behind a filter whose metadata takes precedence over that of the route',
      {
        action: criteria('1'),
        filters: [headerToMetadata({ metadataNamespace: 'envoy.lb' })],
        headers: ['x-v: 2'],
      },
      ['10.0.0.4:80 100'],
    ],
    [
      'behind a filter that sets the metadata of a route without any',
      { filters: [setMetadata({ v: '1' })] },
      ['10.0.0.2:80 50', '10.0.0.3:80 50'],
    ],
    [
      'behind a filter that adds a key that no selector has',
      { action: criteria('1'), filters: [setMetadata({ other: '1' })] },
      '503 UH',
    ],
    [
      'behind a filter that can set any metadata, so that no share is known',
      {
        action: criteria('2'),
        filters: [{ name: 'json', typedConfig: { '@type': `${http}json_to_metadata.v3.JsonToMetadata` } }],
      },
      ['10.0.0.2:80 undefined', '10.0.0.3:80 undefined', '10.0.0.4:80 undefined'],
    ],
  ])('%s', (_, mesh, expected) => {
    expect(outcomeOf({ ...mesh, cluster: subsets })).toEqual(expected);
  });

  it.each([
    ['NO_FALLBACK', ['forwarded', '503 UH']],
    ['ANY_ENDPOINT', ['forwarded']],
  ])('behind such a filter, with %s, may have no host', (fallbackPolicy, expected) => {
    const filter = { name: 'json', typedConfig: { '@type': `${http}json_to_metadata.v3.JsonToMetadata` } };
    const cluster = { lbSubsetConfig: { ...subsets.lbSubsetConfig, fallbackPolicy } };
    const { branches } = explainMesh({ cluster, action: criteria('2'), filters: [filter] });
    const texts = branches
      .filter(({ filter: of }) => of === undefined)
      .map(({ kind, status, flag }) => (kind === 'failed' ? `${status} ${flag}` : kind));
    expect(texts).toEqual(expected);
  });

  it('has a reason that names the metadata', () => {
    const reasons = explainMesh({ cluster: subsets, action: criteria('9') }).steps.map(
      ({ reason }) => reason,
    );
    expect(reasons.at(-1)).toContain('no host has the metadata v=9, and the fallback policy is NO_FALLBACK');
    const taken = explainMesh({ cluster: subsets, action: criteria('2') }).steps.at(-1);
    expect(taken?.reason).toContain('the subset v=2 (metadata_match): 1 of 3 hosts, 1 of them usable');
  });
});

describe('the settings of a cluster', () => {
  const settingsOf = (mesh: Mesh): Readonly<Record<string, string>> => {
    const steps = explainMesh(mesh).steps.filter(({ stage }) => stage === 'cluster');
    const settings: readonly Setting[] = steps.flatMap((step) => step.settings ?? []);
    return Object.fromEntries(settings.map(({ name, value }) => [name, value]));
  };
  const usual = 'max_connections 1024 (default), max_pending_requests 1024 (default)';

  it('state the limits of the priority of the route', () => {
    const circuitBreakers = { thresholds: [{ maxRequests: 7 }, { priority: 'HIGH', maxRetries: 1 }] };
    expect(settingsOf({ cluster: { circuitBreakers } })).toMatchObject({
      'Circuit breaker': `priority DEFAULT: ${usual}, max_requests 7, max_retries 3 (default)`,
    });
    expect(settingsOf({ cluster: { circuitBreakers }, action: { priority: 'HIGH' } })).toMatchObject({
      'Circuit breaker': `priority HIGH: ${usual}, max_requests 1024 (default), max_retries 1`,
    });
  });

  it.each([
    [{ priority: 'HIGH' }, { priority: 'HIGH', maxRequests: 0 }, '503 UO'],
    [{}, { maxPendingRequests: 0 }, '503 UO'],
    [{}, { priority: 'HIGH', maxRequests: 0 }, 'undefined undefined'],
  ])('with a limit of 0 reject each request of its priority: %o %o', (action, threshold, expected) => {
    const [branch] = explainMesh({
      action,
      cluster: { circuitBreakers: { thresholds: [threshold] } },
    }).branches;
    expect(`${branch?.status} ${branch?.flag}`).toBe(expected);
  });

  it('state TLS to the endpoint', () => {
    const tls = (context: object) => ({
      transportSocket: {
        name: 'tls',
        typedConfig: {
          '@type': `${extension}transport_sockets.tls.v3.UpstreamTlsContext`,
          ...context,
        },
      },
    });
    const validation = {
      trustedCa: { filename: '/ca.pem' },
      matchTypedSubjectAltNames: [
        { sanType: 'DNS', matcher: { exact: 'cart.example' } },
        { sanType: 'URI', matcher: { prefix: 'spiffe://shop/' } },
      ],
    };
    expect(settingsOf({})).toMatchObject({ TLS: 'none: plain text' });
    expect(settingsOf({ cluster: tls({ sni: 'cart.example' }) })).toMatchObject({
      TLS: 'SNI cart.example',
      'Server certificate': 'not verified',
    });
    const verified = tls({ commonTlsContext: { validationContext: validation } });
    expect(settingsOf({ cluster: verified })).toMatchObject({
      TLS: 'SNI none',
      'Server certificate': 'must have one of the names "cart.example", prefix "spiffe://shop/"',
    });
    const options = `${extension.slice('type.googleapis.com/'.length)}upstreams.http.v3.HttpProtocolOptions`;
    const autoSni = { [options]: { upstreamHttpProtocolOptions: { autoSni: true } } };
    expect(settingsOf({ cluster: { ...verified, typedExtensionProtocolOptions: autoSni } })).toMatchObject({
      TLS: 'SNI of the authority of the request (auto_sni)',
    });
  });
});

describe('a cluster whose endpoints drop requests', () => {
  const drop = (...numerators: number[]) => ({
    policy: {
      dropOverloads: numerators.map((numerator) => ({
        category: `c${numerator}`,
        dropPercentage: { numerator, denominator: 'HUNDRED' },
      })),
    },
  });
  const branchesOf = (mesh: Mesh) =>
    explainMesh(mesh).branches.map(({ kind, status, flag, percent }) => [kind, status, flag, percent]);

  it('is a branch with the share of all categories', () => {
    expect(branchesOf(drop(20, 50))).toEqual([
      ['forwarded', undefined, undefined, 40],
      ['failed', 503, 'DO', 60],
    ]);
    expect(branchesOf(drop(0))).toEqual([['forwarded', undefined, undefined, undefined]]);
    expect(branchesOf(drop(100))).toEqual([['failed', 503, 'DO', undefined]]);
  });

  it('multiplies the share of weighted clusters', () => {
    const clusters = ['cart', 'cart'].map((name) => ({ name, weight: 1 }));
    const action = { cluster: undefined, weightedClusters: { clusters } };
    const shares = branchesOf({ ...drop(20), action }).map(([kind, , , percent]) => [kind, percent]);
    expect(shares).toEqual([
      ['forwarded', 40],
      ['failed', 10],
      ['forwarded', 40],
      ['failed', 10],
    ]);
  });
});
