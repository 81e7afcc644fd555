import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { ClientConfigChanged, ConnectionsChanged, Observation } from '@/lib/observation/observation';
import { unpackFigures } from '@/lib/observation/packed-figures';
import type { ResourceState } from '@/lib/observation/resource-state';
import { clientIdOf } from '@/server/client-id';
import { AdminReader } from '@/server/envoy-admin/admin-reader';
import { findEarlier } from '@/server/envoy-admin/apply-statistics';
import { EnvoyAdminPoller, type EnvoyAdminPollerOptions } from '@/server/envoy-admin/envoy-admin-poller';
import { type Clock, type Emission, systemClock } from '@/server/observe';
import type { SourceStatus } from '@/server/source-status';
import { type EnvoyAdmin, type EnvoyState, startEnvoyAdmin } from '@/tests/support/envoy-admin';
import { listenRaw } from '@/tests/support/grpc-peers';

const answers = new AdminReader({ redactionKey: Buffer.from('tests') });
afterAll(() => answers.close());
let emissions: Emission[];
let statuses: SourceStatus[];
const cleanUps: (() => unknown)[] = [];

beforeEach(() => {
  emissions = [];
  statuses = [];
});

afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

const healthy = { eds_health_status: 'HEALTHY' };

function someState(): EnvoyState {
  return {
    nodeId: 'edge-1',
    version: '1.30.1',
    clusters: { orders: { version: '1' }, users: { version: '1' } },
    listeners: { http: { version: '1' } },
    hosts: { orders: { '10.0.0.1:80': healthy, '10.0.0.2:80': healthy } },
    certificates: [
      {
        ca_cert: [],
        cert_chain: [
          {
            path: '/etc/tls/tls.crt',
            serial_number: '2a',
            subject_alt_names: [{ dns: 'edge.example' }],
            days_until_expiration: '20',
            valid_from: '2026-01-01T00:00:00Z',
            expiration_time: '2026-03-01T00:00:00Z',
          },
        ],
      },
    ],
  };
}

async function serve(state = someState(), port = 0): Promise<EnvoyAdmin> {
  const envoy = await startEnvoyAdmin(state, port);
  cleanUps.push(() => envoy.close());
  return envoy;
}

function poll(target: string, options: Partial<EnvoyAdminPollerOptions> = {}): EnvoyAdminPoller {
  const poller = new EnvoyAdminPoller({
    sourceId: `envoy-admin:${target}`,
    target,
    intervalMs: 30,
    maxBackoffMs: 50,
    observe: (emission) => emissions.push(emission),
    clock: systemClock,
    answers,
    random: () => 0.5,
    onStatus: (reported) => statuses.push(reported),
    ...options,
  });
  cleanUps.push(() => poller.close());
  poller.start();
  return poller;
}

function observed(): Observation[] {
  return emissions.map(({ observation }) => observation);
}

function connections(): ConnectionsChanged[] {
  return observed().filter((observation) => observation.kind === 'connections-changed');
}

function changes(): ClientConfigChanged[] {
  return observed().filter((observation) => observation.kind === 'client-config-changed');
}

async function until(condition: () => unknown): Promise<void> {
  await vi.waitUntil(condition, { timeout: 60_000, interval: 5 });
}

/** What the newest word on each row is. */
function rowsNow(): Map<string, ResourceState> {
  const rows = new Map<string, ResourceState>();
  for (const { changed, removed } of changes()) {
    for (const row of changed) rows.set(`${row.typeUrl.split('.').at(-1)} ${row.name}`, row);
    for (const { typeUrl, name } of removed) rows.delete(`${typeUrl.split('.').at(-1)} ${name}`);
  }
  return rows;
}

/** Envoy was asked everything `times` more often than until now, and its answers were read. */
async function rounds(poller: EnvoyAdminPoller, envoy: EnvoyAdmin, times: number): Promise<void> {
  const before = envoy.questions.length;
  const isServerInfo = (url: string): boolean => url === '/server_info';
  await until(() => envoy.questions.slice(before).filter(isServerInfo).length >= times);
  const { answers: reported } = poller.status;
  await until(() => poller.status.answers > reported);
}

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
          lastError: 'failed active health check',
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

    const earlier = findEarlier(rowsNow().values());
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

describe('EnvoyAdminPoller, against trouble', () => {
  const dump = '/config_dump?include_eds';

  it.each([
    ['a page', { text: '<html>sign in</html>', contentType: 'text/html' }, 'a page'],
    ['JSON of something else', { json: { hello: 'world' } }, 'expected a config dump with "configs"'],
    ['half a document', { text: '{"configs":[{"@type":"a"', contentType: 'application/json' }, 'whole JSON'],
    ['nothing', { text: '' }, 'an empty answer'],
    ['no such path', { text: 'nope', status: 404 }, 'status 404'],
  ] as const)('says what came instead of a config dump: %s', async (_, reaction, expected) => {
    const envoy = await serve();
    envoy.reactions.set(dump, reaction);
    const poller = poll(envoy.target);
    await until(() => poller.status.state === 'down');
    expect(poller.status.problem?.message).toContain(expected);
    expect(poller.status.problem?.message).toContain(envoy.target);
    expect(changes()).toEqual([]);
    envoy.reactions.delete(dump);
    await until(() => poller.status.state === 'up');
    expect(changes()).toHaveLength(1);
  });

  it('keeps its state when an answer is incomplete, and continues with the next one', async () => {
    const envoy = await serve();
    const poller = poll(envoy.target);
    await until(() => poller.status.state === 'up');
    envoy.reactions.set(dump, { cutShort: '{"configs":[' });
    // The whole dump is requested at once.
    poller.pause();
    poller.resume();
    await until(() => poller.status.state === 'down');
    envoy.reactions.delete(dump);
    await until(() => poller.status.state === 'up');
    expect(changes()).toHaveLength(1);
  });

  it('notes an invalid part, and keeps its previous state', async () => {
    const envoy = await serve();
    const poller = poll(envoy.target);
    await until(() => poller.status.state === 'up');
    envoy.reactions.set('/clusters?format=json', {
      text: '{"cluster_statuses":[{',
      contentType: 'text/json',
    });
    await until(() => poller.status.notes.length > 0);
    expect(poller.status.notes[0]).toMatch(/^\/clusters: expected a whole JSON document/);
    expect(poller.status.state).toBe('up');
    expect(changes()).toHaveLength(1);
    envoy.reactions.delete('/clusters?format=json');
    await until(() => poller.status.notes.length === 0);
  });

  it('cancels an answer that is too large, and one that does not come', async () => {
    const envoy = await serve();
    const small = poll(envoy.target, { maxBytes: 1_000 });
    await until(() => small.status.state === 'down');
    expect(small.status.problem).toMatchObject({ code: 'TOO_LARGE' });
    await small.close();
    envoy.reactions.set(dump, 'silence');
    const poller = poll(envoy.target, { deadlineMs: 100 });
    await until(() => poller.status.state === 'down');
    expect(poller.status.problem?.message).toMatch(/expected an answer to GET \/.* within 0.1 s/);
  });

  it('requests a dump above the limit again only after 10 min, and states both sizes', async () => {
    const envoy = await serve();
    const delays: number[] = [];
    const clock: Clock = {
      now: systemClock.now,
      setTimeout: (callback, delayMs) => {
        delays.push(delayMs);
        return systemClock.setTimeout(callback, delayMs);
      },
    };
    const poller = poll(envoy.target, { maxBytes: 1_000, clock });
    await until(() => delays.includes(600_000));
    const { problem, cost } = poller.status;
    expect(problem?.message).toMatch(
      /expected an answer of at most 1000 bytes to GET \/config_dump\S*, got more \(cancelled after \d+ bytes\)$/,
    );
    expect(problem?.hint).toContain('requested again after 10 min');
    expect(cost?.requests).toBe(envoy.questions.length);
  });

  it('reports a change as one since the newest dump, not since statistics were read', async () => {
    const envoy = await serve();
    const [startedAt, speed] = [systemClock.now(), 30];
    const clock: Clock = {
      now: () => startedAt + (systemClock.now() - startedAt) * speed,
      setTimeout: (callback, delayMs) => systemClock.setTimeout(callback, delayMs / speed),
    };
    poll(envoy.target, { intervalMs: 15_000, deadlineMs: 600_000, clock });
    await until(() => changes().length > 0);
    const [changedAt, before] = [clock.now(), envoy.questions.length];
    envoy.state.clusters.orders = { version: '2' };
    await until(() => changes().length > 1);
    const since = envoy.questions.slice(before);
    const [statistics, dump] = ['/stats', '/config_dump'].map((path) =>
      since.findIndex((question) => question.startsWith(path)),
    );
    expect(statistics).toBeGreaterThanOrEqual(0);
    expect(statistics).toBeLessThan(dump ?? 0);
    expect(changes()[1]?.previousAt).toBeLessThanOrEqual(changedAt);
  });

  it('reports what its polls cost: requests, bytes, time, and the memory of the Envoy', async () => {
    const envoy = await serve({
      ...someState(),
      statistics: 'server.memory_allocated: 5000\nserver.memory_physical_size: 9000\n',
    });
    const counts: [reported: number | undefined, answered: number][] = [];
    const poller = poll(envoy.target, {
      onStatus: ({ cost }) => counts.push([cost?.requests ?? 0, envoy.questions.length]),
    });
    await until(() => (poller.status.cost?.polls ?? 0) >= 3 && poller.status.state === 'up');
    for (const [reported, answered] of counts) expect(reported).toBe(answered);
    await poller.close();
    const { cost, targetMemory } = poller.status;
    expect(targetMemory).toEqual({ allocated: 5_000, physical: 9_000 });
    const largest = Math.max(...envoy.sizes);
    expect(cost?.largest.bytes).toBeGreaterThanOrEqual(largest);
    expect(cost?.bytes).toBeGreaterThanOrEqual(cost?.largest.bytes ?? Number.NaN);
  });

  it('reports a server without HTTP, and an address without a server', async () => {
    const raw = await listenRaw('SSH-2.0-OpenSSH_9\r\n');
    cleanUps.push(() => raw.close());
    const poller = poll(raw.target.text);
    await until(() => poller.status.state === 'down');
    expect(poller.status.problem).toMatchObject({ code: 'NOT_HTTP1' });
    const gone = await startEnvoyAdmin(someState());
    await gone.close();
    const rejected = poll(gone.target);
    await until(() => rejected.status.state === 'down');
    expect(rejected.status.problem).toMatchObject({ code: 'CONNECTION_REFUSED' });
  });

  it('polls an Envoy that is back, and reports only differences', async () => {
    const first = await startEnvoyAdmin(someState());
    const poller = poll(first.target);
    await until(() => poller.status.state === 'up');
    await first.close();
    await until(() => poller.status.state === 'down');
    const state = someState();
    state.clusters = { ...state.clusters, orders: { version: '9' } };
    await serve(state, first.port);
    await until(() => poller.status.state === 'up');
    expect(changes()).toHaveLength(2);
    expect(changes()[1]).toMatchObject({ changed: [{ name: 'orders', versionInfo: '9' }], removed: [] });
  });

  it('polls an Envoy whose admin interface is a Unix socket, as soon as it is there', async () => {
    const dir = mkdtempSync(path.join(os.tmpdir(), 'envoy-'));
    cleanUps.push(() => rmSync(dir, { recursive: true }));
    const socket = path.join(dir, 'admin.sock');
    const poller = poll(`unix:${socket}`);
    await until(() => poller.status.state === 'down');
    expect(poller.status.problem).toMatchObject({
      code: 'CONNECTION_REFUSED',
      message: `unix:${socket}: connection refused, nothing listens there`,
    });
    const envoy = await startEnvoyAdmin(someState(), socket);
    cleanUps.push(() => envoy.close());
    await until(() => poller.status.state === 'up');
    expect(changes()).toMatchObject([{ node: { id: 'edge-1' } }]);
  });

  it('tries a port without a listener again within 2 seconds, however long it has had none', async () => {
    const envoy = await startEnvoyAdmin(someState());
    await envoy.close();
    const pauses: number[] = [];
    const deadlineMs = 30_000;
    const clock: Clock = {
      now: () => Date.now(),
      setTimeout(callback, delayMs) {
        if (delayMs === deadlineMs) return systemClock.setTimeout(callback, delayMs);
        pauses.push(delayMs);
        return systemClock.setTimeout(callback, 1);
      },
    };
    poll(envoy.target, { clock, deadlineMs, maxBackoffMs: 60_000 });
    await until(() => pauses.length > 20);
    // A longer back-off is replaced at once.
    expect(pauses.slice(-10).filter((pauseMs) => pauseMs === 1_500)).toHaveLength(5);
  });

  it('requests every document again after a restart of its worker, and reports only differences', async () => {
    const envoy = await serve();
    const poller = poll(envoy.target);
    await until(() => poller.status.state === 'up');
    answers.renew();
    await rounds(poller, envoy, 2);
    expect(changes()).toHaveLength(1);
    expect(poller.status.state).toBe('up');
  });
});

function isStatus({ typeUrl }: ResourceState): boolean {
  return typeUrl.endsWith('.ClusterStatus');
}
