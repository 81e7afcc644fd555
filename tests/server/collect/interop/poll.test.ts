import { Client, credentials, Server, ServerCredentials, type sendUnaryData } from '@grpc/grpc-js';
import { describe, expect, it, onTestFinished } from 'vitest';
import { foldObservation, type World } from '@/lib/observation/fold';
import type { TestClient } from '@/lib/observation/test-client';
import { createRedactionMarker } from '@/server/codec/redaction-marker';
import { messageType } from '@/server/codec/root';
import { methodOf } from '@/server/codec/service';
import { Collector } from '@/server/collect/collector/collector';
import { InteropPoller } from '@/server/collect/interop/poll';
import { TestClients } from '@/server/collect/interop/test-clients';
import { addTestServices } from '@/server/lab/backends/test-services';
import { RpcStatistics } from '@/server/lab/test-client/rpc-statistics';
import { TestCalls } from '@/server/lab/test-client/test-calls';
import { addTestClientServices } from '@/server/lab/test-client/test-client-services';
import { type Emission, systemClock } from '@/server/observe';
import type { SourceStatus } from '@/server/source-status';
import type { CollectorSetups } from '@/server/sources/collector-program';
import { parseTarget, type Target } from '@/server/transport/targets/target';
import { clientWithClusters, csdsAnswer } from '@/tests/support/csds-server';
import { waitUntil } from '@/tests/support/wait-until';

async function listen(server: Server): Promise<string> {
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, at) =>
      error === null ? resolve(at) : reject(error),
    );
  });
  onTestFinished(() => server.forceShutdown());
  return `127.0.0.1:${port}`;
}

function addCsds(server: Server): void {
  const fetch = methodOf('envoy.service.status.v3.ClientStatusDiscoveryService', 'FetchClientStatus');
  const answer = csdsAnswer({ config: [clientWithClusters('node-1', {})] });
  server.addService({ fetch }, { fetch: (_: unknown, send: sendUnaryData<Buffer>) => send(null, answer) });
}

/** A backend of the lab, and a client of the lab that calls it. */
async function serveTestClient(withCsds = true) {
  const backend = new Server();
  const serving: boolean[] = [];
  const onServing = (isServing: boolean) => serving.push(isServing);
  addTestServices(backend, { name: 'b1', clock: systemClock, onServing });
  const address = await listen(backend);
  const client = new Client(address, credentials.createInsecure());
  const statistics = new RpcStatistics(systemClock);
  const calls = new TestCalls({ client, clock: systemClock, statistics, qps: 100 });
  onTestFinished(() => {
    calls.close();
    client.close();
  });
  const server = new Server();
  addTestClientServices(server, { statistics, calls });
  if (withCsds) addCsds(server);
  return { target: await listen(server), client, serving, address };
}

function poll(target: string) {
  const emissions: Emission[] = [];
  const statuses: SourceStatus[] = [];
  const world: World = new Map();
  const poller = new InteropPoller({
    ...{ sourceId: `interop:${target}`, target, isNamed: true, intervalMs: 40, clock: systemClock },
    ...{ random: () => 0.5, marker: createRedactionMarker(Buffer.from('tests')) },
    observe: (emission) => {
      emissions.push(emission);
      foldObservation(world, { ...emission.observation, seq: emissions.length });
    },
    onStatus: (status) => statuses.push(status),
  });
  onTestFinished(() => poller.close());
  poller.start();
  const find = (): TestClient | undefined =>
    [...world.values()].flatMap(({ reports }) => [...reports.values()])[0]?.testClient;
  return { poller, world, emissions, statuses, find };
}

describe('a client of the interop tests', () => {
  it('is configured, counts its RPCs by status and by server, and belongs to the client of its CSDS', async () => {
    const { target } = await serveTestClient();
    const { poller, world, find } = poll(target);
    await waitUntil('the client is known', () => find()?.counts !== undefined);
    expect(find()?.counts?.methods).toEqual([]);
    expect([...world.values()].map(({ node }) => node.id)).toEqual(['node-1']);
    await poller.configure({ types: ['UNARY_CALL'], metadata: [], timeoutMs: 5_000 });
    const block = await poller.countBlock({ rpcs: 20, timeoutMs: 5_000 });
    expect(block).toMatchObject({ requested: 20, failed: 0, peers: [{ peer: 'b1', count: 20 }] });
    expect(block.methods).toEqual([{ method: 'UnaryCall', peers: [{ peer: 'b1', count: 20 }] }]);
    expect(find()?.block).toMatchObject({ requested: 20, peers: [{ peer: 'b1', count: 20 }] });
    const type = 'UNARY_CALL';
    const metadata = [
      { type, key: 'rpc-behavior', value: 'error-code-14' },
      { type, key: 'x-api-key', value: 'hunter2-hunter2' },
    ] as const;
    await poller.configure({ types: [type], metadata, timeoutMs: 5_000 });
    const stored = find()?.configuration;
    expect(stored?.metadata[0]).toEqual(metadata[0]);
    expect(stored?.metadata[1]?.value).toMatch(/^\[redacted/);
    await waitUntil('an error is counted', () =>
      find()?.counts?.methods.some(({ ended }) => ended.some(({ code }) => code === 14)),
    );
    const failing = await poller.countBlock({ rpcs: 10, timeoutMs: 5_000 });
    expect(failing).toMatchObject({ failed: 10, peers: [] });
  });

  it('answers a block after its timeout, with RPCs that are kept open as failed', async () => {
    const { target } = await serveTestClient();
    const { poller, find } = poll(target);
    await waitUntil('the client is known', () => find()?.counts !== undefined);
    const metadata = [{ type: 'EMPTY_CALL', key: 'rpc-behavior', value: 'keep-open' }] as const;
    await poller.configure({ types: ['EMPTY_CALL'], metadata });
    const block = await poller.countBlock({ rpcs: 5, timeoutMs: 1_000 });
    expect(block).toMatchObject({ failed: 5, peers: [] });
    expect(block.tookMs).toBeGreaterThanOrEqual(900);
  });

  it('reports a server without the service', async () => {
    const server = new Server();
    addCsds(server);
    const { statuses } = poll(await listen(server));
    await waitUntil('it is down', () => statuses.at(-1)?.state === 'down');
    expect(statuses.at(-1)?.problem?.message).toMatch(
      /is a gRPC server, but has no LoadBalancerStatsService service$/,
    );
  });

  it('notes that a client without CSDS cannot be shown', async () => {
    const { target } = await serveTestClient(false);
    const { statuses } = poll(target);
    await waitUntil('it is up', () => statuses.at(-1)?.state === 'up');
    expect(statuses.at(-1)?.notes).toEqual([
      'The process does not serve CSDS on this port, so that it is not known which xDS client makes these RPCs.',
    ]);
  });

  it('reports counts that are no numbers of RPCs', async () => {
    const server = new Server();
    addCsds(server);
    const stats = methodOf('grpc.testing.LoadBalancerStatsService', 'GetClientAccumulatedStats');
    const type = messageType('grpc.testing.LoadBalancerAccumulatedStatsResponse');
    const bytes = Buffer.from(type.encode({ statsPerMethod: { x: { rpcsStarted: -3 } } }).finish());
    server.addService({ stats }, { stats: (_: unknown, send: sendUnaryData<Buffer>) => send(null, bytes) });
    const { statuses } = poll(await listen(server));
    await waitUntil('it is down', () => statuses.at(-1)?.state === 'down');
    expect(statuses.at(-1)?.problem?.message).toContain('expected 0 or more for rpcs_started of x, got -3');
  });
});

function targetOf(text: string): Target {
  const parsed = parseTarget(text);
  return parsed.ok ? parsed.target : expect.fail(parsed.problem.message);
}

describe('a server of the interop tests', () => {
  it('is set to NOT_SERVING and SERVING, which is recorded for the client', async () => {
    const { target, serving, address } = await serveTestClient();
    const { poller, find } = poll(target);
    await waitUntil('the client is known', () => find()?.counts !== undefined);
    expect(await poller.setServing(targetOf(address), false)).toBeUndefined();
    expect(find()?.servers).toMatchObject([{ address, isServing: false }]);
    expect(await poller.setServing(targetOf(address), true)).toBeUndefined();
    expect(find()?.servers).toMatchObject([{ address, isServing: true }]);
    expect(serving).toEqual([false, true]);
  });
});

describe('a test client that a collector polls', () => {
  it('is found while its source answers, and a request is answered after what it observes', async () => {
    const { target } = await serveTestClient();
    const redactionKey = Buffer.from('tests');
    const collector = new Collector<CollectorSetups>({
      ...{ redactionKey, clock: systemClock, keepPace: () => Promise.resolve() },
    });
    onTestFinished(() => collector.close());
    const world: World = new Map();
    let seq = 0;
    const source = collector.open('interop', {
      ...{ sourceId: 'interop:a', vantage: 'interop', clock: systemClock, onStatus: () => undefined },
      observe: ({ observation }) => void foldObservation(world, { ...observation, seq: ++seq }),
      setup: { target, isNamed: true, intervalMs: 40 },
    });
    const clients = new TestClients();
    clients.add(source);
    const find = () =>
      [...world].map(([id, { reports }]) => [id, [...reports.values()][0]?.testClient] as const);
    source.start();
    await waitUntil('the client is found', () => find().some(([id]) => clients.find(id) !== undefined));
    const [[id] = ['']] = find();
    const configuration = { types: ['UNARY_CALL'], metadata: [], timeoutMs: 5_000 } as const;
    expect(await clients.find(id)?.request({ kind: 'configure', configuration })).toBeUndefined();
    expect(find()[0]?.[1]?.configuration).toMatchObject({ types: ['UNARY_CALL'] });
    const absent = parseTarget('127.0.0.1:1');
    if (!absent.ok) throw new Error(absent.problem.message);
    const problem = await source.request({ kind: 'set-serving', target: absent.target, isServing: false });
    expect(problem).toContain('127.0.0.1:1');
    await source.close();
    expect(clients.find(id)).toBeUndefined();
    expect(await source.request({ kind: 'configure', configuration })).toBe('the source was removed');
  });
});
