import { describe, expect, it } from 'vitest';
import { describeUnmeasured } from '@/lib/facts/failing-endpoints';
import { CDS, EDS, LDS, RDS } from '@/lib/xds/resource-type';
import {
  apiListener,
  edsCluster,
  endpoints,
  type MeshResource,
  routeConfig,
} from '../../../support/builders/topology-mesh';
import { startClientStory as startStory } from '../../../support/client-story';

const whole = [
  apiListener('shop', { rds: 'r' }),
  routeConfig('r', { '': 'a' }),
  edsCluster('a'),
  endpoints('a', [{ zone: 'z', endpoints: ['10.0.0.1:1'] }]),
];
const managerUrl =
  'type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager';
const routerUrl = 'type.googleapis.com/envoy.extensions.filters.http.router.v3.Router';

/** One that breaks no rule. */
const goodListener: MeshResource = {
  typeUrl: LDS.typeUrl,
  name: 'shop',
  body: {
    name: 'shop',
    apiListener: {
      apiListener: {
        '@type': managerUrl,
        rds: { routeConfigName: 'r', configSource: { ads: {} } },
        httpFilters: [{ name: 'router', typedConfig: { '@type': routerUrl } }],
      },
    },
  },
};
/** It breaks C6 alone. */
const maglev: MeshResource = {
  typeUrl: CDS.typeUrl,
  name: 'a',
  body: { name: 'a', type: 'EDS', edsClusterConfig: { edsConfig: { ads: {} } }, lbPolicy: 'MAGLEV' },
};
/** It takes its certificate authority from the provider "fleet". */
const secured: MeshResource = {
  typeUrl: CDS.typeUrl,
  name: 'a',
  body: {
    ...edsCluster('a').body,
    transportSocket: {
      name: 'envoy.transport_sockets.tls',
      typedConfig: {
        '@type': 'type.googleapis.com/envoy.extensions.transport_sockets.tls.v3.UpstreamTlsContext',
        commonTlsContext: { validationContext: { caCertificateProviderInstance: { instanceName: 'fleet' } } },
      },
    },
  },
};
const clusterNames = (resolved: { clusters: { items: { name: string }[] } } | undefined) =>
  resolved?.clusters.items.map(({ name }) => name);

it.each([
  ['C-core 43.0.0 Python 1.66.2', 'error'],
  ['C-core 58.0.0 Python 1.85.1', 'resolved'],
])('a listener that is added again, as %s reports it by CSDS: %s', async (userAgentVersion, expected) => {
  const story = await startStory({}, { userAgentName: 'gRPC C-core linux', userAgentVersion });
  const question = { target: 'xds:///shop' };
  const inUse = async () => story.api.find('c', question);
  story.observe(whole);
  expect(await inUse()).toMatchObject({ status: 'resolved' });
  // These releases keep the payload of a deleted listener.
  story.observe([{ ...apiListener('shop', { rds: 'r' }), clientStatus: 'DOES_NOT_EXIST' }]);
  story.observe([apiListener('shop', { rds: 'r' })]);
  const added = await inUse();
  expect(added?.status).toBe(expected);
  if (expected === 'error')
    expect(added?.error).toMatch(/^listener "shop" is not in use: it was deleted and added again, /);
  story.observe([routeConfig('r', { '/other': 'a', '': 'a' })]);
  expect(await inUse()).toMatchObject({ status: 'resolved', error: '' });
});

describe('ResolvedApi', () => {
  it('resolves now, and any moment that the log reaches back to', async () => {
    const { clock, api, observe, time } = await startStory();
    const before = time();
    clock.advance(1_000);
    observe(whole);
    const first = time();
    clock.advance(1_000);
    observe([routeConfig('r', { '': 'b' }), { typeUrl: CDS.typeUrl, name: 'b' }]);
    const torn = time();
    clock.advance(1_000);
    observe([edsCluster('b'), endpoints('b', [])], [{ typeUrl: CDS.typeUrl, name: 'a' }]);
    const now = await api.find('c', {});
    expect(now).toMatchObject({
      clientId: 'c',
      at: clock.now(),
      profile: 'go-1.85',
      status: 'resolved',
      notes: [describeUnmeasured('grpc')],
    });
    expect(clusterNames(now)).toEqual(['b']);
    const then = await api.find('c', { at: torn });
    expect(then).toMatchObject({
      at: Date.parse(torn),
      status: 'waiting',
      missing: [{ name: 'b', why: 'requested' }],
    });
    expect(await api.find('c', { at: first })).toMatchObject({
      status: 'resolved',
      notes: [describeUnmeasured('grpc')],
    });
    expect(clusterNames(await api.find('c', { at: first }))).toEqual(['a']);
    await expect(api.find('c', { at: before })).rejects.toMatchObject({ status: 404 });
  });

  it("derives the listener of a target by the client's own bootstrap", async () => {
    const clientListenerResourceNameTemplate = 'inner/%s';
    const authorities = new Map([['fleet', { clientListenerResourceNameTemplate }]]);
    const { clock, api, observe, time } = await startStory({
      templates: { clientDefault: 'outer/%s', authorities },
    });
    observe([apiListener('outer/shop', { rds: 'r' }), apiListener('inner/shop', { rds: 'r' })]);
    const at = time();
    clock.advance(1_000);
    const listenerOf = async (query: Readonly<Record<string, unknown>>) =>
      (await api.find('c', query))?.start?.listener;
    expect(await listenerOf({ target: 'xds:///shop' })).toBe('outer/shop');
    expect(await listenerOf({ target: 'xds://fleet/shop', at })).toBe('inner/shop');
    expect((await api.tears('c', { target: 'xds:///shop' }))?.start?.listener).toBe('outer/shop');
    await expect(api.find('c', { target: 'xds://other/shop' })).rejects.toThrow('"fleet"');
  });

  it('leaves out resources that a client of the profile would reject, although another client accepted them', async () => {
    const { api, observe } = await startStory();
    observe([goodListener, ...whole.slice(1), maglev], [], 'probe');
    const rejected = {
      typeUrl: CDS.typeUrl,
      name: 'a',
      ruleId: 'C6',
      fieldPath: 'lbPolicy',
      keepsEarlier: false,
    };
    const core = await api.find('c', { profile: 'core' });
    expect(core).toMatchObject({ status: 'resolved', rejectedTotal: 1, rejected: [] });
    expect(core?.notes).toEqual([
      "the resources were accepted by xdscope's probe: the rules of C-core 1.85 decide which of them are accepted",
    ]);
    expect(core?.clusters.items).toMatchObject([{ status: 'error', kind: 'unknown', rejected: [rejected] }]);
    expect(core?.clusters.items[0]?.error).toMatch(
      /^C-core 1.85 would reject it: C6 lbPolicy: expected .*MAGLEV/,
    );
    const envoy = await api.find('c', { profile: 'envoy' });
    expect(envoy).toMatchObject({ rejectedTotal: 0, clusters: { items: [{ status: 'ok', rejected: [] }] } });
    const listener = apiListener('shop', { rds: '' });
    observe([listener], [], 'probe');
    const whole2 = await api.find('c', { profile: 'core' });
    expect(whole2).toMatchObject({ status: 'error', rejectedTotal: 1 });
    expect(whole2?.error).toMatch(/^listener "shop": C-core 1.85 would reject it: L/);
  });

  it('marks nothing as rejected that only some clients reject, if the client is not known', async () => {
    const { api, observe } = await startStory({}, { userAgentName: '', userAgentVersion: '' });
    observe([goodListener, ...whole.slice(1), maglev], [], 'probe');
    const unknown = await api.find('c', {});
    expect(unknown).toMatchObject({ profile: 'go-1.85', status: 'resolved', rejectedTotal: 0 });
    expect(unknown?.clusters.items).toMatchObject([{ status: 'ok', rejected: [] }]);
    expect(unknown?.notes[0]).toMatch(
      /^it is not known which client this is: .* only if every client rejects it$/,
    );
    // A profile that the question names is no assumption.
    expect(await api.find('c', { profile: 'go' })).toMatchObject({ rejectedTotal: 1 });
  });

  it('validates with the same context as the findings: certificate providers and the requested name', async () => {
    const { api, observe } = await startStory({ certificateProviders: ['other'] });
    const misnamed = { ...endpoints('b', []), name: 'a' };
    observe([goodListener, ...whole.slice(1, 2), secured, misnamed], [], 'probe');
    const [cluster] = (await api.find('c', { profile: 'core' }))?.clusters.items ?? [];
    expect(cluster).toMatchObject({ status: 'error', rejected: [{ name: 'a', ruleId: 'T6' }] });
    observe([edsCluster('a')], [], 'probe');
    const envoy = await api.find('c', { profile: 'envoy' });
    expect(envoy?.clusters.items).toMatchObject([{ rejected: [{ typeUrl: EDS.typeUrl, ruleId: 'E1' }] }]);
  });

  it('validates a route configuration again when a cluster that it references appears', async () => {
    const { api, observe } = await startStory();
    const checked: MeshResource = {
      typeUrl: RDS.typeUrl,
      name: 'r',
      body: { ...routeConfig('r', { '': 'b' }).body, validateClusters: true },
    };
    observe([goodListener, checked, edsCluster('a')], [], 'probe');
    const ask = () => api.find('c', { profile: 'envoy' });
    expect((await ask())?.rejected).toMatchObject([{ name: 'r', ruleId: 'ENVOY-clusters' }]);
    observe([edsCluster('b')], [], 'probe');
    expect((await ask())?.rejected).toEqual([]);
    observe([], [{ typeUrl: CDS.typeUrl, name: 'b' }], 'probe');
    expect((await ask())?.rejected).toMatchObject([{ name: 'r' }]);
  });

  it('follows the rules that a probe applies as a client, whatever its user agent', async () => {
    const { api, observe } = await startStory({ asClient: 'node' });
    observe(whole, [], 'probe');
    expect(await api.find('c', {})).toMatchObject({ profile: 'node-1.14' });
    expect(await api.tears('c', {})).toMatchObject({ profile: 'node-1.14' });
    expect(await api.find('c', { profile: 'core' })).toMatchObject({ profile: 'core-1.85' });
  });

  it('lists the first of many listeners, and those whose names contain a text', async () => {
    const { api, observe } = await startStory();
    observe(Array.from({ length: 250 }, (_, at) => apiListener(`shop-${at}`, { rds: 'r' })));
    const all = await api.find('c', {});
    expect([all?.starts.length, all?.startsTotal, all?.start?.listener]).toEqual([200, 250, 'shop-0']);
    const some = await api.find('c', { starts: 'SHOP-24' });
    expect(some?.startsTotal).toBe(11);
    expect(some?.starts.map(({ listener }) => listener)).toContain('shop-249');
  });

  it('pages the routes of a virtual host', async () => {
    const { api, observe } = await startStory();
    const routes = Object.fromEntries(Array.from({ length: 450 }, (_, at) => [`/s${at}/`, 'a']));
    observe([apiListener('shop', { rds: 'r' }), routeConfig('r', routes)]);
    const indexes = async (routesFrom: number) => {
      const answer = await api.find('c', { routesFrom });
      const host = answer?.chains[0]?.virtualHosts[0];
      return [host?.routes[0]?.index, host?.routes.length, host?.routesTotal];
    };
    expect(await indexes(0)).toEqual([0, 200, 450]);
    expect(await indexes(400)).toEqual([400, 50, 450]);
    expect(await indexes(600)).toEqual([undefined, 0, 450]);
  });

  it('pages each table of routes separately', async () => {
    const { api, observe } = await startStory();
    const hosts = ['a', 'b'].map((name) => ({
      name,
      domains: [name],
      routes: Array.from({ length: 450 }, (_, at) => ({
        match: { prefix: `/s${at}/` },
        route: { cluster: 'a' },
      })),
    }));
    const hcm = { '@type': managerUrl, routeConfig: { name: 'own', virtualHosts: hosts } };
    const filters = [{ name: 'hcm', typedConfig: hcm }];
    const body = {
      name: 'server',
      address: { socketAddress: { address: '::', portValue: 1 } },
      filterChains: [{ filters }],
    };
    observe([{ typeUrl: LDS.typeUrl, name: 'server', body }]);
    const firsts = async (routesFrom: string) =>
      (await api.find('c', { routesFrom }))?.chains[0]?.virtualHosts.map(({ routes }) => routes[0]?.index);
    expect(await firsts('0.1:200')).toEqual([0, 200]);
    expect(await firsts('0.0:400,0.1:200')).toEqual([400, 200]);
    expect(await firsts('200')).toEqual([200, 200]);
    await expect(firsts('first')).rejects.toMatchObject({ status: 400 });
  });

  it('uses the reports of a client of the profile as they are', async () => {
    const { api, observe } = await startStory();
    observe([goodListener, ...whole.slice(1), maglev]);
    expect(await api.find('c', {})).toMatchObject({
      profile: 'go-1.85',
      notes: [describeUnmeasured('grpc')],
      rejectedTotal: 0,
    });
    expect(await api.find('c', { profile: 'node' })).toMatchObject({ rejectedTotal: 1 });
  });

  it('answers concurrent questions about the same past', async () => {
    const { clock, api, observe, time } = await startStory();
    observe(whole);
    const at = time();
    clock.advance(1_000);
    const questions = [1, 2, 3, 4].map(() => Promise.all([api.find('c', { at }), api.tears('c', {})]));
    for (const [then, tears] of await Promise.all(questions)) {
      expect(then).toMatchObject({ at: Date.parse(at), status: 'resolved' });
      expect(tears).toMatchObject({ total: 0 });
    }
  });

  it('reports the tears of a client’s history, within a range', async () => {
    const { clock, api, observe, time } = await startStory();
    observe(whole);
    clock.advance(10_000);
    observe([routeConfig('r', { '': 'b' }), { typeUrl: CDS.typeUrl, name: 'b' }]);
    const fromAt = clock.now();
    clock.advance(4_000);
    observe([edsCluster('b'), endpoints('b', [])]);
    const toAt = clock.now();
    clock.advance(10_000);
    const reported = await api.tears('c', {});
    expect(reported).toMatchObject({
      profile: 'go-1.85',
      start: { listener: 'shop' },
      hasOlder: false,
      isCut: false,
      reportedTo: clock.now(),
      total: 1,
      items: [
        {
          kind: 'route-to-unknown-cluster',
          fromAt,
          toAt,
          durationMs: 4_000,
          resources: [
            { typeUrl: CDS.typeUrl, name: 'b', service: 'CDS' },
            { typeUrl: RDS.typeUrl, name: 'r', service: 'RDS' },
          ],
          a74: { outcome: 'waits', durationMs: 4_000 },
        },
      ],
    });
    expect(await api.tears('c', { from: time() })).toMatchObject({ total: 0 });
    const during = await api.tears('c', { to: new Date(fromAt + 1_000).toISOString() });
    expect(during).toMatchObject({ total: 1, items: [{ toAt: undefined, durationMs: 1_000 }] });
    observe([{ typeUrl: EDS.typeUrl, name: 'b' }]);
    expect(await api.tears('c', {})).toMatchObject({ total: 2 });
  });

  it('finds the next tear after a moment, and the one before, however many there are', async () => {
    const { clock, api, observe, time } = await startStory();
    observe(whole);
    const began: string[] = [];
    for (let round = 0; round < 4; round++) {
      clock.advance(10_000);
      began.push(time());
      observe([{ typeUrl: EDS.typeUrl, name: 'a' }]);
      clock.advance(1_000);
      observe([endpoints('a', [{ zone: 'z', endpoints: ['10.0.0.1:1'] }])]);
    }
    const [first = '', second = '', third, last = ''] = began;
    const found = async (query: object) =>
      (await api.tears('c', { limit: '1', ...query }))?.items.map(({ fromAt }) =>
        new Date(fromAt).toISOString(),
      );
    expect(await found({ beganAfter: first })).toEqual([second]);
    expect(await found({ beganBefore: last })).toEqual([third]);
    expect(await found({ beganBefore: first })).toEqual([]);
    expect(await found({ beganAfter: last })).toEqual([]);
    expect(await found({})).toEqual([last]);
    expect(await api.tears('c', { limit: '1', beganAfter: first })).toMatchObject({ total: 4 });
    await expect(api.tears('c', { beganAfter: 'soon' })).rejects.toMatchObject({ status: 400 });
  });

  it('reports the newest tears of a long past, older ones of an earlier end, and those after a moment', async () => {
    const { clock, api, recorder, observe, time } = await startStory();
    const tear = () => {
      clock.advance(1_000);
      const fromAt = time();
      observe([{ typeUrl: EDS.typeUrl, name: 'a' }]);
      clock.advance(1_000);
      observe([endpoints('a', [{ zone: 'z', endpoints: ['10.0.0.1:1'] }])]);
      return fromAt;
    };
    const began = time();
    observe(whole);
    const first = tear();
    for (let count = 1; count <= 18 * 1_024; count++) {
      clock.advance(10);
      observe([routeConfig('r', { '': 'a', [`/${count % 2}`]: 'a' })]);
      // Snapshots are stored as time goes on.
      if (count % 512 === 0) await recorder.flushed();
    }
    const last = tear();
    const newest = await api.tears('c', {});
    expect(newest).toMatchObject({
      total: 1,
      hasOlder: true,
      isCut: false,
      items: [{ fromAt: Date.parse(last) }],
    });
    const older = await api.tears('c', { to: new Date(newest?.beginsAt ?? 0).toISOString() });
    expect(older).toMatchObject({
      total: 1,
      hasOlder: false,
      beginsAt: Date.parse(began),
      items: [{ fromAt: Date.parse(first) }],
    });
    const after = await api.tears('c', { from: first, beganAfter: first });
    expect(after).toMatchObject({
      isCut: false,
      reportedTo: clock.now(),
      items: [{ fromAt: Date.parse(last) }],
    });
  });

  it('finds the tears before another source reported the client, and none for the change of the source', async () => {
    const { clock, api, observe } = await startStory();
    observe(whole);
    clock.advance(1_000);
    const fromAt = clock.now();
    observe([{ typeUrl: EDS.typeUrl, name: 'a' }]);
    clock.advance(1_000);
    const toAt = clock.now();
    // A client that begins: what it asks for has not come.
    observe([apiListener('shop', { rds: 'r' }), { typeUrl: RDS.typeUrl, name: 'r' }], [], 'csds', 'csds:a:2');
    clock.advance(1_000);
    observe(whole, [], 'csds', 'csds:a:2');
    const reported = await api.tears('c', {});
    expect(reported?.items).toMatchObject([{ kind: 'endpoints-not-come', fromAt, toAt }]);
    expect(await api.find('c', {})).toMatchObject({ status: 'resolved' });
  });

  it('reports the tears of a client of which no source reports any longer', async () => {
    const { clock, api, observe, forget } = await startStory();
    observe(whole);
    clock.advance(10_000);
    observe([routeConfig('r', { '': 'b' }), { typeUrl: CDS.typeUrl, name: 'b' }]);
    const fromAt = clock.now();
    const before = await api.tears('c', {});
    forget();
    expect(await api.tears('c', {})).toEqual(before);
    expect(before).toMatchObject({ profile: 'go-1.85', total: 1, items: [{ fromAt }] });
    // The moment at which the tear began can still be requested.
    expect(await api.find('c', { at: new Date(fromAt).toISOString() })).toMatchObject({
      moment: { at: fromAt },
    });
  });

  it('finds tears for resources that a client of the profile would reject, and none for those that it keeps', async () => {
    const { clock, api, observe } = await startStory();
    const good = { ...maglev, body: { ...maglev.body, lbPolicy: 'ROUND_ROBIN' } };
    observe([goodListener, ...whole.slice(1), good], [], 'probe');
    clock.advance(1_000);
    // The last good cluster stays in use.
    observe([maglev], [], 'probe');
    clock.advance(1_000);
    const other = { ...maglev, name: 'b', body: { ...maglev.body, name: 'b' } };
    observe([routeConfig('r', { '': 'b' }), other], [], 'probe');
    const kinds = async (profile: string) =>
      (await api.tears('c', { profile }))?.items.map(({ kind, resources: [first] }) => [kind, first?.name]);
    expect(await kinds('core')).toEqual([['route-to-unknown-cluster', 'b']]);
    expect((await api.tears('c', { profile: 'core' }))?.items[0]?.rejection).toMatch(
      /would reject it: C6 .*MAGLEV/,
    );
    expect(await kinds('envoy')).toEqual([['endpoints-not-come', 'b']]);
  });

  it('rejects a query that is not valid, and answers nothing for an unknown client', async () => {
    const { api, observe } = await startStory();
    observe(whole);
    expect(await api.find('stranger', {})).toBeUndefined();
    expect(await api.tears('stranger', {})).toBeUndefined();
    expect(await api.references('stranger', { kind: 'orphan' })).toBeUndefined();
    await expect(api.find('c', { at: 'yesterday' })).rejects.toMatchObject({ status: 400 });
    await expect(api.tears('c', { target: 'dns:///x' })).rejects.toMatchObject({ status: 400 });
    await expect(api.tears('c', { target: 'a', listener: 'b' })).rejects.toMatchObject({ status: 400 });
    await expect(api.references('c', { kind: 'odd' })).rejects.toMatchObject({ status: 400 });
  });
});

describe('the listener that an answer begins with', () => {
  const healthy = [
    apiListener('admin', { rds: 'r' }),
    routeConfig('r', { '': 'a' }),
    edsCluster('a'),
    endpoints('a', [{ zone: 'z', endpoints: ['10.0.0.1:1'] }]),
  ];
  const startOf = async (resources: readonly MeshResource[], question = {}) => {
    const story = await startStory();
    story.observe(resources);
    const resolved = await story.api.find('c', question);
    return [resolved?.start?.listener, resolved?.status];
  };
  const absent = { ...routeConfig('gone', { '': 'a' }), clientStatus: 'DOES_NOT_EXIST' } as const;

  it('is the first one if nothing fails', async () => {
    expect(await startOf([...healthy, apiListener('shop', { rds: 'r' })])).toEqual(['admin', 'resolved']);
  });

  it('is one that fails, before one that fails in part, before one that waits', async () => {
    const waits = [apiListener('later', { rds: 'missing' })];
    const inPart = [
      apiListener('part', { rds: 'some' }),
      routeConfig('some', { '/b': 'b', '': 'a' }),
      { ...edsCluster('b'), clientStatus: 'DOES_NOT_EXIST' as const },
    ];
    expect(await startOf([...healthy, ...waits])).toEqual(['later', 'waiting']);
    expect(await startOf([...healthy, ...waits, ...inPart])).toEqual(['part', 'resolved']);
    expect(
      await startOf([...healthy, ...waits, ...inPart, apiListener('shop', { rds: 'gone' }), absent]),
    ).toEqual(['shop', 'error']);
  });

  it('is the chosen one', async () => {
    const all = [...healthy, apiListener('shop', { rds: 'gone' }), absent];
    expect(await startOf(all, { listener: 'admin' })).toEqual(['admin', 'resolved']);
  });
});
