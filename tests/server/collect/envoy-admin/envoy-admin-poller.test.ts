import { describe, expect, it } from 'vitest';
import { unpackFigures } from '@/lib/observation/packed-figures';
import type { ResourceState } from '@/lib/observation/resource-state';
import { clientIdOf } from '@/server/client-id';
import { findEarlier } from '@/server/collect/envoy-admin/apply-statistics';
import { someState, startPollerStory } from '@/tests/support/envoy-admin-story';

const { emissions, serve, poll, observed, connections, changes, until, rowsNow, rounds } = startPollerStory();

describe('EnvoyAdminPoller, with an Envoy that answers', () => {
  it('reports one client with all of its resources, once, when every document was requested', async () => {
    const envoy = await serve();
    const poller = poll(envoy.target);
    await until(() => poller.status.state === 'up');
    const [first] = changes();
    expect(first).toMatchObject({
      clientId: clientIdOf('edge-1', ''),
      side: 'client',
      node: { id: 'edge-1', cluster: 'front', userAgentName: 'envoy', userAgentVersion: '1.30.1' },
      removed: [],
    });
    expect([...rowsNow().keys()].sort()).toEqual([
      'Bootstrap bootstrap',
      'Certificates certs',
      'Cluster orders',
      'Cluster users',
      'ClusterLoadAssignment orders',
      'ClusterStatus orders',
      'Listener http',
      'ServerInfo server_info',
      'UnreadyTargetsDumps init_dump',
    ]);
    expect(rowsNow().get('Cluster orders')).toMatchObject({
      versionInfo: '1',
      clientStatus: 'ACKED',
      lastUpdated: Date.parse('2026-01-02T03:04:05.678Z'),
    });
    expect(observed().map(({ kind }) => kind)).toEqual([
      ...['source-up', 'client-config-changed', 'connections-changed'],
    ]);
    const hashes = new Set(emissions.flatMap(({ bodies }) => bodies.map(({ hash }) => hash)));
    expect(
      changes().flatMap(({ changed }) => changed.filter(({ hash }) => hash && !hashes.has(hash))),
    ).toEqual([]);
  });

  it('sends one request at a time, and reports nothing if only counters changed', async () => {
    const envoy = await serve();
    const poller = poll(envoy.target);
    await until(() => poller.status.state === 'up');
    await rounds(poller, envoy, 3);
    expect(changes()).toHaveLength(1);
    expect(connections()).toMatchObject([{ isComplete: true }]);
    const hosts = connections()[0]?.connections ?? [];
    expect(hosts.map(({ kind, target, state }) => [kind, target, state])).toEqual([
      ['host', '10.0.0.1:80', 'HEALTHY'],
      ['host', '10.0.0.2:80', 'HEALTHY'],
      ['listener', '0.0.0.0:80', 'READY'],
    ]);
    const id = hosts[0]?.id ?? '';
    const first = hosts[0]?.figures?.callsStarted ?? 0;
    const figuresNow = () => poller.status.figures && unpackFigures(poller.status.figures).get(id);
    await until(() => (figuresNow()?.callsStarted ?? 0) > first);
    await until(() => (figuresNow()?.callsPerSecond ?? 0) > 0);
    expect(connections()).toHaveLength(1);
    expect(envoy.mostAtOnce()).toBe(1);
    const paths = envoy.questions.filter((path) => !/^\/(config_dump\?resource=|stats\?)/.test(path));
    expect(new Set(paths)).toEqual(
      new Set([
        ...['/server_info', '/config_dump?include_eds', '/clusters?format=json', '/listeners?format=json'],
        ...['/certs', '/init_dump'],
      ]),
    );
  });

  it('reports only what changed', async () => {
    const envoy = await serve();
    const poller = poll(envoy.target);
    await until(() => poller.status.state === 'up');
    envoy.state.clusters = { orders: { version: '2' } };
    await until(() => changes().length > 1);
    expect(changes()[1]).toMatchObject({
      changed: [{ name: 'orders', versionInfo: '2' }],
      removed: [{ name: 'users' }],
      previousAt: expect.any(Number),
    });
    envoy.state.hosts = {
      orders: { '10.0.0.1:80': { failed_active_health_check: true, eds_health_status: 'HEALTHY' } },
    };
    await until(
      () => rowsNow().get('ClusterStatus orders')?.hash !== changes()[0]?.changed.find(isStatus)?.hash,
    );
    await until(() => connections().length > 1);
    expect(connections()[1]).toMatchObject({
      connections: [
        {
          target: '10.0.0.1:80',
          state: 'UNHEALTHY',
          lastError: 'excluded by active health checks',
          cluster: 'orders',
        },
      ],
      endedIds: ['host orders P0 r1/z1/ 10.0.0.2:80'],
    });
  });

  it('reports rejections that only statistics show, until the next response is accepted', async () => {
    const state = someState();
    state.routes = { web: { version: '1' } };
    const counters = (rejected: number, success: number, uptime: number): string =>
      [
        `http.in.rds.web.update_rejected: ${rejected}`,
        `http.in.rds.web.update_success: ${success}`,
        `server.uptime: ${uptime}`,
      ].join('\n');
    state.statistics = counters(0, 1, 100);
    const envoy = await serve(state);
    const poller = poll(envoy.target);
    await until(() => poller.status.state === 'up');
    const isRoute = (row?: ResourceState) => [row?.clientStatus, row?.errorState?.statistic];
    const name = 'RouteConfiguration web';
    expect(isRoute(rowsNow().get(name))).toEqual(['ACKED', undefined]);
    state.statistics = counters(1, 1, 101);
    await until(() => rowsNow().get(name)?.clientStatus === 'NACKED');
    expect(isRoute(rowsNow().get(name))[1]).toBe('http.in.rds.web.update_rejected');
    expect(rowsNow().get(name)?.hash).not.toBeNull();
    const before = changes().length;
    const asked = envoy.questions.length;
    await until(() => envoy.questions.slice(asked).filter((path) => path.startsWith('/stats')).length > 3);
    expect(changes()).toHaveLength(before);
    state.statistics = counters(1, 2, 102);
    await until(() => rowsNow().get(name)?.clientStatus === 'ACKED');
    // Envoy restarts, and has rejected and accepted responses since.
    state.statistics = counters(3, 4, 1);
    await until(() => poller.status.notes.some((note) => note.includes('which came last is not known')));
    expect(rowsNow().get(name)?.clientStatus).toBe('ACKED');
  });

  it('keeps a rejection that only statistics show when xdscope starts again', async () => {
    const state = someState();
    state.routes = { web: { version: '1' } };
    const name = 'http.in.rds.web';
    const counters = (rejected: number, success: number): string =>
      `${name}.update_rejected: ${rejected}\n${name}.update_success: ${success}\nserver.uptime: 100000`;
    state.statistics = counters(0, 1);
    const envoy = await serve(state);
    const first = poll(envoy.target);
    await until(() => first.status.state === 'up');
    state.statistics = counters(1, 1);
    const rowOf = () => rowsNow().get('RouteConfiguration web');
    await until(() => rowOf()?.clientStatus === 'NACKED');
    const rejected = rowOf();
    await first.close();

    const earlier = { rejections: findEarlier(rowsNow().values()), secrets: new Map() };
    emissions.length = 0;
    const second = poll(envoy.target, { earlier });
    await until(() => second.status.state === 'up');
    expect(rowOf()).toMatchObject({ clientStatus: 'NACKED', errorState: rejected?.errorState });
    expect(second.status.notes.some((note) => note.includes('which came last'))).toBe(false);
    await second.close();

    emissions.length = 0;
    state.statistics = counters(1, 2);
    const third = poll(envoy.target, { earlier });
    await until(() => third.status.state === 'up');
    expect(rowOf()).toMatchObject({ clientStatus: 'ACKED', errorState: null });
  });

  it('reports a rejected resource as NACKED with its reason, and warming and draining ones', async () => {
    const state = someState();
    state.clusters = {
      orders: { version: '3', error: 'orders: bad weight' },
      late: { version: '4', stage: 'warming' },
    };
    state.listeners = {
      http: {
        version: '1',
        warming: '2',
        draining: '0',
        error: { details: 'no such filter', version: '3' },
      },
    };
    const poller = poll((await serve(state)).target);
    await until(() => poller.status.state === 'up');
    const rows = rowsNow();
    expect(rows.get('Cluster orders')).toMatchObject({
      clientStatus: 'NACKED',
      versionInfo: '3',
      errorState: { details: 'orders: bad weight', versionInfo: '3-bad' },
    });
    expect(rows.get('Cluster late')).toMatchObject({ stage: 'warming', versionInfo: '4' });
    expect(rows.get('Listener http')).toMatchObject({
      clientStatus: 'NACKED',
      versionInfo: '1',
      errorState: { details: 'no such filter', versionInfo: '3' },
      otherVersions: [
        { stage: 'warming', versionInfo: '2' },
        { stage: 'draining', versionInfo: '0' },
      ],
    });
  });

  it('works without documents that an older Envoy lacks, with a note', async () => {
    const envoy = await serve();
    envoy.reactions.set('/init_dump', { text: 'invalid path', status: 404 });
    const poller = poll(envoy.target);
    await until(() => poller.status.state === 'up');
    expect(poller.status.notes).toEqual(['This Envoy has no /init_dump (404): older versions lack it.']);
    expect(rowsNow().has('Cluster orders')).toBe(true);
  });

  it('reads a dump of more than 16 MB', async () => {
    const state = someState();
    state.clusters = Object.fromEntries(
      Array.from({ length: 3_000 }, (_, index) => [`c-${index}`, { version: 'x'.repeat(3_000) }]),
    );
    const poller = poll((await serve(state)).target);
    await until(() => poller.status.state === 'up');
    expect(poller.status.answerBytes).toBeGreaterThan(16 * 1024 * 1024);
    expect([...rowsNow().keys()].filter((key) => key.startsWith('Cluster c-'))).toHaveLength(3_000);
  });

  it('reports another Envoy at the address as another client', async () => {
    const envoy = await serve();
    const poller = poll(envoy.target);
    await until(() => poller.status.state === 'up');
    envoy.state.nodeId = 'edge-2';
    await until(() => changes().length > 1);
    expect(changes()[1]).toMatchObject({ clientId: clientIdOf('edge-2', ''), node: { id: 'edge-2' } });
    expect(observed().filter(({ kind }) => kind === 'client-gone')).toMatchObject([
      { clientId: clientIdOf('edge-1', '') },
    ]);
  });
});

function isStatus({ typeUrl }: ResourceState): boolean {
  return typeUrl.endsWith('.ClusterStatus');
}
