import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { findFailing } from '@/lib/facts/failing-endpoints';
import type { ResourceRow } from '@/lib/observation/resource-row';
import { CDS, EDS, formatResourceType, LDS } from '@/lib/xds/resource-type';
import { GraphBuilder, type GraphBuilderOptions } from '@/server/answers/graph/graph-builder';
import type { LiveRows } from '@/server/answers/subjects/client-subjects';
import { createCodec } from '@/server/codec/codec';
import { builtProgram } from '@/server/project-root';
import { Compute } from '@/server/workers/compute';
import { startBodies } from '@/tests/support/builders/stored-bodies';

const codec = createCodec({ redactionKey: Buffer.from('tests') });

async function startStore() {
  const { recorder, source, store, reads, close } = await startBodies();
  onTestFinished(close);
  const put = (typeUrl: string, json: object): string => {
    const bytes = codec.encode(typeUrl, json);
    const hash = createHash('sha256').update(bytes).digest('hex');
    store({ hash, typeUrl, bytes });
    return hash;
  };
  return { put, reads, source, recorder };
}

function rowOf(typeUrl: string, name: string, hash: string | null): ResourceRow {
  return {
    typeUrl,
    service: formatResourceType(typeUrl),
    name,
    versionInfo: '1',
    state: hash === null ? 'REQUESTED' : 'ACKED',
    answer: null,
    effect: null,
    clientStatus: hash === null ? 'REQUESTED' : 'ACKED',
    configStatus: 'UNKNOWN',
    lastUpdated: null,
    errorState: null,
    hash,
    sizeBytes: 10,
    isStatic: false,
    changedAt: 0,
    sourceId: 's',
    side: 'client',
    controlPlane: null,
  };
}

const managerName = 'envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager';

type Store = Awaited<ReturnType<typeof startStore>>;

/** Clusters with one endpoint each; `port` is the last cluster's. */
function meshOf(store: Store, size: number, port = 80): ResourceRow[] {
  const names = Array.from({ length: size }, (_, index) => `c${String(index).padStart(5, '0')}`);
  const edsClusterConfig = { edsConfig: { ads: {} } };
  return [
    ...names.map((name) =>
      rowOf(CDS.typeUrl, name, store.put(CDS.typeUrl, { name, type: 'EDS', edsClusterConfig })),
    ),
    ...names.map((name, index) => {
      const portValue = index === size - 1 ? port : 80;
      const endpoint = { address: { socketAddress: { address: '10.0.0.1', portValue } } };
      const body = { clusterName: name, endpoints: [{ lbEndpoints: [{ endpoint }] }] };
      return rowOf(EDS.typeUrl, name, store.put(EDS.typeUrl, body));
    }),
  ];
}

/** Returns rows that do not change, as those of a permalink. */
function listOf(rows: readonly ResourceRow[], list = 'rows'): LiveRows {
  return { list, read: () => ({ rows }) };
}

function builderOver(store: Store, options: Partial<GraphBuilderOptions>): GraphBuilder {
  const builder = new GraphBuilder({ recorder: store.source, ...options });
  onTestFinished(() => builder.close());
  return builder;
}

const inPlace = { inPlaceRows: Number.POSITIVE_INFINITY, inPlaceBytes: Number.POSITIVE_INFINITY };
const inWorker = { inPlaceRows: -1 };

describe.each([
  ['in place', inPlace],
  ['in the worker', inWorker],
])('GraphBuilder %s', (_, options) => {
  it('draws rows with their bodies, and links them', async () => {
    const store = await startStore();
    const builder = builderOver(store, options);
    const rows = [...meshOf(store, 2), rowOf(CDS.typeUrl, 'waits', null), rowOf(CDS.typeUrl, 'lost', 'ff')];
    const graph = await builder.ask('graph', listOf(rows), {});
    expect(graph.aggregated).toBe(false);
    expect(graph.nodes.map(({ name }) => name)).toEqual(expect.arrayContaining(['c00000', 'waits', 'lost']));
    expect(graph.nodes.find(({ name }) => name === 'lost')?.detail).toBe('config cannot be read');
    expect(await builder.ask('links', listOf(rows), { typeUrl: EDS.typeUrl, name: 'c00001' })).toEqual({
      uses: [],
      usedBy: [{ typeUrl: CDS.typeUrl, name: 'c00001', held: true, how: 'eds', from: 'ads' }],
    });
  });

  it('draws the same rows again when the client cannot connect to other endpoints than before', async () => {
    const store = await startStore();
    const builder = builderOver(store, options);
    const rows = meshOf(store, 2, 81);
    const statuses = async (...targets: string[]) => {
      const failing = findFailing(
        targets.map((target) => ({
          ...{ id: target, kind: 'subchannel', target, channels: [], state: 'TRANSIENT_FAILURE', since: 0 },
        })),
      );
      const { nodes } = await builder.ask('graph', listOf(rows), { failing });
      return nodes.flatMap(({ kind, name, below }) => (kind === 'cluster' ? [[name, below?.text]] : []));
    };
    const fails = 'no endpoint that works';
    const none = await statuses();
    expect(none).toEqual([
      ['c00000', undefined],
      ['c00001', undefined],
    ]);
    expect(await statuses('10.0.0.1:81')).toEqual([
      ['c00000', undefined],
      ['c00001', fails],
    ]);
    expect(await statuses('10.0.0.1:80')).toEqual([
      ['c00000', fails],
      ['c00001', undefined],
    ]);
    expect(await statuses()).toEqual(none);
  });

  it('resolves rows, follows their changes, and marks what the resolved config uses', async () => {
    const store = await startStore();
    const builder = builderOver(store, options);
    const listener = (clusterName: string) => {
      const routes = [{ match: { prefix: '' }, route: { cluster: clusterName } }];
      const manager = {
        '@type': `type.googleapis.com/${managerName}`,
        routeConfig: { name: 'r', virtualHosts: [{ name: 'h', domains: ['*'], routes }] },
      };
      const body = { name: 'shop', apiListener: { apiListener: manager } };
      return rowOf(LDS.typeUrl, 'shop', store.put(LDS.typeUrl, body));
    };
    const mesh = meshOf(store, 2);
    let rows = [listener('c00000'), ...mesh];
    const live = { list: 'client c1', read: () => ({ rows }) };
    const query = {
      profile: 'core-1.56',
      target: 'xds:///shop',
      offset: 0,
      limit: 10,
      find: '',
      endpoints: 100,
      starts: '',
      hostsFrom: {},
      routesFrom: {},
      trust: { ownSources: ['s'], probes: [], reason: '' },
    } as const;
    const first = await builder.ask('resolved', live, query);
    expect([first.status, first.clusters.items.map(({ name }) => name)]).toEqual(['resolved', ['c00000']]);
    rows = [listener('nobody'), ...mesh];
    const second = await builder.ask('resolved', live, query);
    expect([second.status, second.missing.map(({ name }) => name)]).toEqual(['waiting', ['nobody']]);
    const { marks } = await builder.ask('graph', live, { resolve: query });
    expect(marks).toMatchObject({
      'listener:shop': { use: 'used' },
      'cluster:nobody': { use: 'dangling' },
      'cluster:c00001': { use: 'unused' },
    });
    expect((await builder.ask('graph', live, {})).marks).toBeUndefined();
    await expect(builder.ask('resolved', live, { ...query, target: 'dns:///shop' })).rejects.toMatchObject({
      status: 400,
    });
  });

  it('answers with the time of rows that may change', async () => {
    const store = await startStore();
    const builder = builderOver(store, options);
    const rows = meshOf(store, 1);
    const live = { list: 'client c1', read: () => ({ rows, at: 7 }) };
    expect((await builder.ask('graph', live, {})).at).toBe(7);
    expect((await builder.ask('graph', listOf(rows), {})).at).toBeUndefined();
  });

  it('aggregates thousands of nodes, and expands the requested ones', async () => {
    const store = await startStore();
    const builder = builderOver(store, options);
    const rows = meshOf(store, 1_200);
    const graph = await builder.ask('graph', listOf(rows), { limit: 100 });
    expect(graph.totals.nodes).toBeGreaterThan(3_000);
    expect(graph.nodes.length).toBeLessThan(200);
    const [found] = (await builder.ask('graph', listOf(rows), { limit: 50, find: 'c01100' })).nodes.filter(
      ({ name }) => name === 'c01100',
    );
    expect(found?.kind).toBe('cluster');
  });

  it('reads the one body that is new after a change', async () => {
    const store = await startStore();
    const builder = builderOver(store, options);
    let rows = meshOf(store, 20);
    const live = { list: 'client c1', read: () => ({ rows }) };
    await builder.ask('graph', live, {});
    store.reads.length = 0;
    const [last] = meshOf(store, 20, 81).slice(-1);
    rows = [...rows.slice(0, -1), ...(last === undefined ? [] : [last])];
    const graph = await builder.ask('graph', live, {});
    expect(store.reads).toEqual(options === inPlace ? [last?.hash] : []);
    expect(graph.nodes.some(({ name }) => name === '10.0.0.1:81')).toBe(true);
    expect(graph.nodes.filter(({ kind }) => kind === 'endpoint')).toHaveLength(20);
  });

  it('answers a waiting question with the rows of the time at which its turn comes', async () => {
    const store = await startStore();
    const builder = builderOver(store, options);
    let rows = meshOf(store, 2);
    const live = { list: 'client c1', read: () => ({ rows }) };
    const first = builder.ask('graph', live, {});
    const second = builder.ask('graph', live, {});
    const third = builder.ask('graph', live, {});
    await first;
    rows = [];
    await second;
    expect((await third).nodes).toEqual([]);
  });

  it('keeps the rows of different lists apart', async () => {
    const store = await startStore();
    const builder = builderOver(store, options);
    const [one, two] = [meshOf(store, 1), meshOf(store, 2)];
    const sizes = await Promise.all(
      [listOf(one, 'a'), listOf(two, 'b'), listOf(one, 'client c1'), listOf(two, 'b'), listOf(one, 'a')].map(
        async (source) =>
          (await builder.ask('graph', source, {})).nodes.filter(({ kind }) => kind === 'cluster').length,
      ),
    );
    expect(sizes).toEqual([1, 2, 1, 2, 1]);
  });
});

describe('the graph worker', () => {
  it('reads written bodies from the log, and receives those that are not written yet', async () => {
    const store = await startStore();
    const builder = builderOver(store, inWorker);
    const written = meshOf(store, 3);
    await store.recorder.flushed();
    const waiting = meshOf(store, 4).filter((row) => row.name === 'c00003');
    expect(await store.recorder.readPendingBodies(written.map(({ hash }) => hash ?? ''))).toEqual([]);
    expect(await store.recorder.readPendingBodies(waiting.map(({ hash }) => hash ?? ''))).toHaveLength(2);
    const { nodes } = await builder.ask('graph', listOf([...written, ...waiting]), {});
    expect(nodes.filter(({ detail }) => detail === 'config cannot be read')).toEqual([]);
    expect(nodes.filter(({ kind }) => kind === 'cluster')).toHaveLength(4);
    expect(store.reads).toEqual([]);
  });

  it('ends an aborted question, and answers the next one about the same rows', async () => {
    const store = await startStore();
    const builder = builderOver(store, inWorker);
    const live = listOf(meshOf(store, 3_000), 'client c1');
    const reader = new AbortController();
    const left = builder.ask('graph', live, {}, reader.signal);
    const waiting = builder.ask('graph', live, {}, reader.signal);
    reader.abort(new Error('left'));
    await expect(left).rejects.toThrow('left');
    await expect(waiting).rejects.toThrow('left');
    expect((await builder.ask('graph', live, {})).totals.nodes).toBeGreaterThan(3_000);
  });

  it('restarts after a crash; the question that caused it fails', async () => {
    const dir = await mkdtemp(path.join(tmpdir(), 'xdscope-graph-'));
    onTestFinished(() => rm(dir, { recursive: true }));
    const workerProgram = path.join(dir, 'worker.mjs');
    writeFileSync(
      path.join(dir, 'crash.mjs'),
      `import { parentPort } from 'node:worker_threads';
       parentPort.on('message', ({ input }) => { if (input.query?.find === 'deadly') process.exit(7); });`,
    );
    writeFileSync(workerProgram, `import './crash.mjs'; import ${JSON.stringify(builtProgram('compute'))};`);
    const store = await startStore();
    const builder = builderOver(store, { ...inWorker, compute: new Compute({ program: workerProgram }) });
    const rows = meshOf(store, 3);
    const live = { list: 'client c1', read: () => ({ rows }) };
    const before = await builder.ask('graph', live, {});
    await expect(builder.ask('graph', live, { find: 'deadly' })).rejects.toMatchObject({
      name: 'ApiError',
      status: 503,
      detail: 'building the graph failed: the worker ended with exit code 7',
    });
    expect(await builder.ask('graph', live, {})).toEqual(before);
  });

  it('drops old lists for new ones, and receives dropped rows again', async () => {
    const store = await startStore();
    const builder = builderOver(store, inWorker);
    const meshes = [1, 2, 3, 4, 5, 6].map((size) => meshOf(store, size));
    const clients = meshes.map((rows, index) => ({ list: `client ${index}`, read: () => ({ rows }) }));
    for (const _round of [1, 2]) {
      for (const [index, client] of clients.entries()) {
        const { nodes } = await builder.ask('graph', client, {});
        expect(nodes.filter(({ kind }) => kind === 'cluster')).toHaveLength(index + 1);
      }
    }
  });
});
