import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { planReport } from '@/server/codec/dump-parser/plan-report';
import { nodeOf, readReport } from '@/server/codec/dump-parser/read-report';
import { createRedactionMarker } from '@/server/codec/redaction-marker';
import { projectRoot } from '@/server/project-root';

const marker = createRedactionMarker(Buffer.from('tests'));

function read(bytes: Uint8Array) {
  const plan = planReport(bytes);
  const problems = [...plan.problems];
  const clients = plan.reports.map((report) => {
    const batches = [...readReport(report, marker)];
    problems.push(...batches.flatMap((batch) => batch.problems));
    const keys = batches.flatMap(({ rows }) =>
      rows.map(({ typeUrl, name }) => `${typeUrl.split('.').at(-1)} ${name}`),
    );
    const hosts = batches.flatMap(({ sockets }) => sockets.flatMap((each) => each.hosts));
    return {
      name: nodeOf(report, marker).id || report.label,
      keys: keys.filter((key) => !key.startsWith('Bootstrap')),
      hosts: hosts.map(({ cluster, address, state }) => `${cluster} ${address} ${state}`),
    };
  });
  return { clients, problems };
}

const reports = path.join(projectRoot, 'tests/fixtures/reports');
const fixture = (name: string) => readFileSync(path.join(reports, name));
const json = (value: unknown) => Buffer.from(JSON.stringify(value));
const keysOfType = (keys: readonly string[], type: string) =>
  keys.filter((key) => key.startsWith(`${type} `));

describe('a map by service of a config dump and its hosts (report 05)', () => {
  it.each(['two-proxies.json', 'two-proxies-no-eds.json'])('%s is one client for each service', (name) => {
    const { clients, problems } = read(fixture(`05-proxy-read-with-hosts/${name}`));
    expect(problems).toEqual([]);
    expect(clients.map((client) => client.name)).toEqual(['checkout-1', 'web-1']);
    const [checkout, web] = clients;
    expect(web?.hosts).toEqual(['cart.shop 10.20.2.1:20000 HEALTHY', 'stock.shop 10.20.2.2:20000 EJECTED']);
    expect(checkout?.hosts.join()).not.toContain('stock.shop');
    const isWithEds = name === 'two-proxies.json';
    expect(keysOfType(web?.keys ?? [], 'ClusterLoadAssignment')).toHaveLength(isWithEds ? 2 : 0);
  });

  it('has the hosts of one proxy beside its endpoints, and an ejected one is ejected', () => {
    const { clients } = read(fixture('05-proxy-read-with-hosts/one-proxy.json'));
    expect(clients).toHaveLength(1);
    expect(clients[0]?.hosts).toEqual([
      'cart.shop 10.20.1.1:20000 HEALTHY',
      'pay.shop 10.20.1.2:20000 EJECTED',
    ]);
    expect(clients[0]?.keys).toEqual(
      expect.arrayContaining(['ClusterLoadAssignment pay.shop', 'ClusterStatus pay.shop']),
    );
  });
});

const prefix = 'type.googleapis.com/envoy.admin.v3.';
const route = { '@type': 'type.googleapis.com/envoy.config.route.v3.RouteConfiguration', name: 'public' };

describe('a map by namespace and pod (report 17)', () => {
  it.each([
    ['all.json', ['web-1', 'api-1'], 'Listener'],
    ['all.yaml', ['web-1'], 'Listener'],
    ['routes-of-two-proxies.json', ['edge-1', 'edge-2'], 'RouteConfiguration'],
    ['cluster.json', ['edge-1'], 'Cluster'],
  ])('%s is one client for each pod', (name, expected, type) => {
    const { clients, problems } = read(fixture(`17-egctl-all-proxies/${name}`));
    expect(problems).toEqual([]);
    expect(clients.map((client) => client.name)).toEqual(expected);
    for (const { keys } of clients) expect(keysOfType(keys, type)).not.toEqual([]);
  });

  it('includes a pod that has nothing of the type', () => {
    const { routes, none } = {
      routes: { '@type': `${prefix}RoutesConfigDump`, dynamic_route_configs: [{ route_config: route }] },
      none: { '@type': `${prefix}RoutesConfigDump` },
    };
    const { clients, problems } = read(json({ 'edge-system': { 'edge-1': routes, 'edge-2': none } }));
    expect(problems).toEqual([]);
    expect(clients).toMatchObject([
      { name: 'edge-1', keys: ['RouteConfiguration public'] },
      { name: 'edge-2', keys: [] },
    ]);
  });
});

const clustersOf = (...names: string[]) => ({
  '@type': `${prefix}ClustersConfigDump`,
  static_clusters: names.map((name) => ({
    cluster: { '@type': 'type.googleapis.com/envoy.config.cluster.v3.Cluster', name },
  })),
});
const hostsOf = (name: string) => ({ cluster_statuses: [{ name, host_statuses: [] }] });

describe('the enclosing object names the client', () => {
  it.each<[string, unknown, Record<string, string[]>]>([
    [
      'by all enclosing names where the last one is not unique',
      { shop: { 'web-1': clustersOf('a') }, stage: { 'web-1': clustersOf('b') } },
      { 'shop/web-1': ['Cluster a'], 'stage/web-1': ['Cluster b'] },
    ],
    [
      'whatever its parts are called',
      {
        'web-1': { 'config_dump?include_eds': { configs: [clustersOf('a')] }, '/clusters': hostsOf('a') },
        'web-2': { 'clusters.json': hostsOf('b'), configDump: { configs: [clustersOf('b')] } },
      },
      { 'web-1': ['ClusterStatus a', 'Cluster a'], 'web-2': ['ClusterStatus b', 'Cluster b'] },
    ],
    [
      'of sections one by one',
      { 'web-1': { clusters: clustersOf('a'), routes: { '@type': `${prefix}RoutesConfigDump` } } },
      { 'web-1': ['Cluster a'] },
    ],
  ])('%s', (_, document, expected) => {
    const { clients, problems } = read(json(document));
    expect(problems).toEqual([]);
    expect(Object.fromEntries(clients.map(({ name, keys }) => [name, keys]))).toEqual(expected);
  });

  it('and answers that follow each other are of the Envoy of the dump before them', () => {
    const answers = ['a', 'b'].flatMap((name) => [{ configs: [clustersOf(name)] }, hostsOf(name)]);
    const asList = read(json(answers));
    const inRow = read(Buffer.concat(answers.map(json)));
    expect(asList.clients.map(({ keys }) => keys)).toEqual([
      ['ClusterStatus a', 'Cluster a'],
      ['ClusterStatus b', 'Cluster b'],
    ]);
    expect(inRow).toEqual(asList);
  });
});

const hostLines = `cart::observability_name::cart
cart::default_priority::max_connections::1024
cart::added_via_api::true
cart::eds_service_name::cart.shop
cart::10.0.0.1:80::cx_connect_fail::3
cart::10.0.0.1:80::rq_error::2
cart::10.0.0.1:80::rq_success::5
cart::10.0.0.1:80::rq_total::7
cart::10.0.0.1:80::health_flags::/failed_outlier_check/failed_eds_health
cart::10.0.0.1:80::weight::1
cart::10.0.0.1:80::region::eu
cart::10.0.0.1:80::zone::eu-1
cart::10.0.0.1:80::priority::1
cart::10.0.0.1:80::success_rate::-1
outbound|80||cart::[fd00::1]:80::health_flags::healthy
inner::envoy://connect_originate/10.0.0.2:80::health_flags::/pending_dynamic_removal
`;

describe("the text form of Envoy's admin interface", () => {
  it('has the hosts of /clusters with their flags and counters', () => {
    const { reports: planned, format } = planReport(Buffer.from(hostLines));
    expect(format).toBe('lines');
    const hosts = planned.flatMap((report) =>
      [...readReport(report, marker)].flatMap(({ sockets }) => sockets.flatMap((each) => each.hosts)),
    );
    expect(hosts).toMatchObject([
      {
        ...{ cluster: 'cart', address: '10.0.0.1:80', state: 'EJECTED', isMeasured: true },
        locality: { region: 'eu', zone: 'eu-1', subZone: '' },
        figures: { callsStarted: 7, callsFailed: 2, ofHost: { failedConnections: 3, successRate: null } },
      },
      { cluster: 'outbound|80||cart', address: '[fd00::1]:80', state: 'HEALTHY', figures: null },
      { cluster: 'inner', state: 'HEALTHY', reason: 'removed from EDS and kept while healthy' },
    ]);
  });

  it.each([
    ['text', Buffer.from('http::0.0.0.0:8080\n::[::]:9090\n')],
    ['JSON', json({ listener_statuses: [{ name: 'http', local_address: {} }] })],
    ['JSON without a listener', json({ listener_statuses: [] })],
  ])('an answer of /listeners alone is rejected with its kind and what it lacks: %s', (_, bytes) => {
    const { reports: found, problems } = planReport(bytes);
    expect(found).toEqual([]);
    expect(problems.map(({ reason }) => reason)).toEqual([
      "expected a document with xDS resources in it, got an answer of Envoy's /listeners, which has only the names and addresses of listeners: add /config_dump?include_eds of the same Envoy, in the same folder or document",
    ]);
  });

  it('is not any other text with colons', () => {
    for (const text of ['std::vector::size\nstd::map\n', 'name: a::b\n', 'a::1.2.3.4:80\nnonsense\n'])
      expect(planReport(Buffer.from(text)).format).not.toBe('lines');
  });
});

it('a config dump of ztunnel is rejected with its kind', () => {
  const dump = { services: [], workloads: [], policies: [], certificates: [], workloadState: {}, config: {} };
  const { reports: found, problems } = planReport(json(dump));
  expect(found).toEqual([]);
  expect(problems[0]?.reason).toMatch(/got a config dump of ztunnel, .* import the config_dump of a sidecar/);
});

it('a delta response reports the names that it removes', () => {
  const { clients, problems } = read(json({ typeUrl: 'a', nonce: '1', removedResources: ['cart', 'pay'] }));
  expect(clients).toHaveLength(1);
  expect(problems).toEqual([
    { place: 'removed_resources', reason: 'removed, so that no resource of this name is shown: cart, pay' },
  ]);
});
