import { statSync } from 'node:fs';
import path from 'node:path';
import { performance } from 'node:perf_hooks';
import { Server, ServerCredentials, type sendUnaryData } from '@grpc/grpc-js';
import Database from 'libsql';
import type { ConnectionsPage } from '@/lib/api/connections';
import type { Health } from '@/lib/api/health';
import type { ClientsPage } from '@/lib/api/schema';
import type { SourcePage } from '@/lib/api/sources';
import { type ChannelzMethod, pathOf } from '@/server/channelz/channelz-messages';
import { messageType } from '@/server/codec/root';
import { methodOf } from '@/server/codec/service';
import { clientWithClusters, csdsAnswer } from '../support/csds-server';
import { getJson, type RunningServer, startServer } from '../support/e2e-server';
import { startEnvoyAdmin } from '../support/envoy-admin';
import { waitUntil } from '../support/wait-until';
import { median, pause, print, printFigure, tempDir, verdict } from './measure';
import { cpuSeconds, ThreadTimes } from './process-figures';

/** The cost of the connections of one Envoy, and of one gRPC client, with so many hosts. Then nothing happens, and then one host changes. */
const counts = (process.env.XDSCOPE_BENCH_HOSTS ?? '5000,20000').split(',').map(Number);
const hostsPerCluster = 500;
/** channelz needs one request for each subchannel, 300 of them in a poll. */
const longestMs = 240_000;
const quietMs = 20_000;
const rounds = 10;

interface Peer {
  /** Flags of the server. */
  readonly args: readonly string[];
  /** One host fails. */
  readonly fail: () => void;
  /** The state that it then has. */
  readonly failed: string;
  readonly close: () => Promise<void>;
}

const addressOf = (host: number): string => `10.${host >> 16}.${(host >> 8) & 255}.${host & 255}:8080`;

async function startEnvoy(hosts: number): Promise<Peer> {
  const healthOf = (host: number, isFailing = false): [string, object] => {
    const outlier = host === 0 && isFailing ? { failed_outlier_check: true } : {};
    return [addressOf(host), { ...outlier, eds_health_status: 'HEALTHY' }];
  };
  const clusters = Math.ceil(hosts / hostsPerCluster);
  const hostsOf = (cluster: number, isFailing: boolean) => {
    const begin = cluster * hostsPerCluster;
    const length = Math.min(hostsPerCluster, hosts - begin);
    return Object.fromEntries(Array.from({ length }, (_, index) => healthOf(begin + index, isFailing)));
  };
  const statusesOf = (isFailing: boolean): object => ({
    cluster_statuses: Array.from({ length: clusters }, (_, cluster) => ({
      name: `cluster-${cluster}`,
      added_via_api: true,
      host_statuses: Object.entries(hostsOf(cluster, isFailing)).map(([address, health_status]) => ({
        address: { socket_address: { address: address.split(':')[0], port_value: 8080 } },
        stats: [
          'cx_connect_fail',
          'cx_total',
          'cx_active',
          'rq_active',
          'rq_error',
          'rq_success',
          'rq_timeout',
          'rq_total',
        ].map((name) => ({ type: name.endsWith('active') ? 'GAUGE' : 'COUNTER', name, value: '12' })),
        ...{ health_status, weight: 1, hostname: '', locality: { region: 'eu', zone: 'eu-1' } },
        ...{ success_rate: { value: -1 }, local_origin_success_rate: { value: -1 } },
      })),
    })),
  });
  const admin = await startEnvoyAdmin({
    ...{ nodeId: 'edge', version: '1.40.0', listeners: {}, hosts: {}, certificates: [] },
    clusters: Object.fromEntries(
      Array.from({ length: clusters }, (_, cluster) => [`cluster-${cluster}`, { version: '1' }]),
    ),
  });
  const react = (isFailing: boolean): void =>
    void admin.reactions.set('/clusters?format=json', { json: statusesOf(isFailing) });
  react(false);
  return {
    args: ['--envoy-admin', admin.target],
    fail: () => react(true),
    failed: 'EJECTED',
    close: () => admin.close(),
  };
}

const asBytes = (bytes: Buffer): Buffer => bytes;

/** A process with one channel of so many subchannels, each with one socket. */
async function startGrpc(hosts: number): Promise<Peer> {
  let isFailing = false;
  const encode = (method: ChannelzMethod, answer: object): Buffer =>
    Buffer.from(messageType(`grpc.channelz.v1.${method}Response`).encode(answer).finish());
  const trace = (state: string) => ({
    creationTimestamp: { seconds: 1_000 },
    events: [{ description: `Subchannel Connectivity change to ${state}`, timestamp: { seconds: 1_001 } }],
  });
  const calls = { callsStarted: 12, callsSucceeded: 12, callsFailed: 0 };
  const subchannel = (id: number) => {
    const isDown = isFailing && id === 1;
    return {
      ref: { subchannelId: id },
      data: {
        ...{ target: addressOf(id), state: { state: isDown ? 4 : 3 }, ...calls },
        trace: trace(isDown ? 'TRANSIENT_FAILURE' : 'READY'),
      },
      socketRef: isDown ? [] : [{ socketId: hosts + id }],
    };
  };
  const channel = encode('GetTopChannels', {
    channel: [
      {
        ref: { channelId: hosts * 3 },
        data: { target: 'xds:///shop', state: { state: 3 }, ...calls },
        subchannelRef: Array.from({ length: hosts }, (_, index) => ({ subchannelId: index + 1 })),
      },
    ],
    end: true,
  });
  const decodeId = (method: ChannelzMethod, bytes: Buffer, field: string): number =>
    Number(Reflect.get(messageType(`grpc.channelz.v1.${method}Request`).decode(bytes), field));
  const answers: Readonly<Record<string, (request: Buffer) => Buffer>> = {
    GetTopChannels: () => channel,
    GetServers: () => encode('GetServers', { end: true }),
    GetSubchannel: (request) =>
      encode('GetSubchannel', { subchannel: subchannel(decodeId('GetSubchannel', request, 'subchannelId')) }),
    GetSocket: () => encode('GetSocket', { socket: { data: { streamsStarted: 12, streamsSucceeded: 12 } } }),
  };
  const server = new Server();
  const plain = {
    ...{ requestStream: false, responseStream: false },
    ...{ requestSerialize: asBytes, requestDeserialize: asBytes },
    ...{ responseSerialize: asBytes, responseDeserialize: asBytes },
  };
  for (const [method, answer] of Object.entries(answers)) {
    server.addService(
      { [method]: { ...plain, path: pathOf(method as ChannelzMethod) } },
      {
        [method]: ({ request }: { request: Buffer }, reply: sendUnaryData<Buffer>) =>
          reply(null, answer(request)),
      },
    );
  }
  const fetch = methodOf('envoy.service.status.v3.ClientStatusDiscoveryService', 'FetchClientStatus');
  const clients = csdsAnswer({ config: [clientWithClusters('shop-web', {})] });
  server.addService({ fetch }, { fetch: (_: unknown, reply: sendUnaryData<Buffer>) => reply(null, clients) });
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, bound) =>
      error === null ? resolve(bound) : reject(error),
    );
  });
  return {
    args: ['--channelz', `127.0.0.1:${port}`],
    fail: () => {
      isFailing = true;
    },
    failed: 'TRANSIENT_FAILURE',
    close: async () => server.forceShutdown(),
  };
}

/** The log with what SQLite has not moved into it yet. */
function logBytes(dataDir: string): number {
  return ['recording.sqlite', 'recording.sqlite-wal'].reduce((sum, name) => {
    return sum + (statSync(path.join(dataDir, name), { throwIfNoEntry: false })?.size ?? 0);
  }, 0);
}

/** The newest observation in the newest checkpoint. */
function checkpointSeq(dataDir: string): number {
  const log = new Database(path.join(dataDir, 'recording.sqlite'), { readonly: true });
  const newest = log.prepare('SELECT max(seq) AS seq FROM checkpoints WHERE complete = 1').get();
  log.close();
  return (newest as { seq: number | null }).seq ?? 0;
}

async function measureHosts(
  server: RunningServer,
  peer: Peer,
  hosts: number,
  dataDir: string,
): Promise<void> {
  const api = `${server.url}/api/v1`;
  const pid = server.process.pid ?? 0;
  const startedAt = performance.now();
  const client = await waitUntil('a client', async () => {
    const { items } = await getJson<ClientsPage>(`${api}/clients`);
    return items[0];
  });
  const read = (query = '') => getJson<ConnectionsPage>(`${api}/clients/${client.id}/connections?${query}`);
  await waitUntil(
    'all hosts',
    async () => {
      const { total } = (await read()).endpoints;
      if (total >= hosts) return true;
      const { items } = await getJson<SourcePage>(`${api}/sources`);
      const [source] = items;
      throw new Error(
        `got ${total} of ${hosts}: ${JSON.stringify([source?.state, source?.problem, source?.notes, source?.cost])}`,
      );
    },
    longestMs,
  );
  printFigure('all shown after', `${((performance.now() - startedAt) / 1000).toFixed(1)} s`);
  const newestSeq = async () => (await getJson<Health>(`${api}/health`)).recorder.newestSeq;
  const recorded = await newestSeq();
  await waitUntil('a checkpoint of all hosts', () => checkpointSeq(dataDir) >= recorded, longestMs);
  // The one before is deleted then.
  await pause(5_000);
  const before = await getJson<Health>(`${api}/health`);
  const bytesBefore = logBytes(dataDir);
  const threads = new ThreadTimes(pid);
  const cpuBefore = cpuSeconds(pid);
  await pause(quietMs);
  const cpu = (cpuSeconds(pid) - cpuBefore) / (quietMs / 1000);
  printFigure('processor in quiet time', `${cpu.toFixed(2)} cores: ${threads.describe(quietMs / 1000)}`);
  const quiet = await getJson<Health>(`${api}/health`);
  const added = quiet.recorder.newestSeq - before.recorder.newestSeq;
  printFigure('observations in quiet time', verdict(added, 1, ''));
  printFigure('growth of the log in quiet time', verdict(logBytes(dataDir) - bytesBefore, 1, 'bytes'));
  printFigure(
    'event loop of the pages',
    `p50 ${quiet.eventLoop.p50Ms}, p99 ${verdict(quiet.eventLoop.p99Ms, 50, 'ms')}, longest ${quiet.eventLoop.maxMs} ms`,
  );
  const { items } = await getJson<SourcePage>(`${api}/sources`);
  const cost = items[0]?.cost;
  if (cost != null) {
    const { newest, polls } = cost;
    printFigure(
      'a poll',
      `${newest.requests} requests, ${newest.bytes} bytes, ${newest.tookMs} ms at the peer; ${polls} polls so far`,
    );
  }
  for (const query of ['limit=100', 'limit=100&sort=-since', 'limit=100&only=disagreements&q=10.0.1']) {
    const times: number[] = [];
    for (let round = 0; round < rounds; round++) {
      const askedAt = performance.now();
      await read(query);
      times.push(performance.now() - askedAt);
    }
    printFigure(`GET connections?${query}`, verdict(median(times), 100, 'ms'));
  }
  const bytesThen = logBytes(dataDir);
  const failedAt = performance.now();
  peer.fail();
  await waitUntil(
    'the failed host',
    async () => {
      const { endpoints } = await read('limit=1&sort=-since');
      return endpoints.items[0]?.connection?.state === peer.failed;
    },
    120_000,
  );
  printFigure(
    'one host that fails is shown after',
    `${((performance.now() - failedAt) / 1000).toFixed(1)} s`,
  );
  await pause(1_000);
  printFigure('growth of the log by it', `${logBytes(dataDir) - bytesThen} bytes`);
  const after = await getJson<Health>(`${api}/health`);
  printFigure('longest block of the event loop with questions', `${after.eventLoop.maxMs} ms`);
}

const peers = { 'Envoy, /clusters': startEnvoy, 'gRPC, channelz': startGrpc } as const;
for (const [name, start] of Object.entries(peers)) {
  for (const hosts of counts) {
    print(`${name}: ${hosts} hosts`);
    const peer = await start(hosts);
    const dataDir = tempDir();
    const server = await startServer(['--data-dir', dataDir, ...peer.args]);
    try {
      await measureHosts(server, peer, hosts, dataDir);
    } finally {
      await server.stop();
      await peer.close();
    }
  }
}
process.exit(0);
