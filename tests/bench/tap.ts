import { type ChildProcess, fork } from 'node:child_process';
import {
  Client,
  type ClientDuplexStream,
  credentials,
  Server,
  ServerCredentials,
  type ServerDuplexStream,
} from '@grpc/grpc-js';
import { CDS } from '@/lib/xds/resource-type';
import { messageType } from '@/server/codec/root';
import { methodOf } from '@/server/codec/service';
import { WireWriter } from '@/server/codec/wire-writer';
import { insecure } from '@/server/grpc/credentials-config';
import { parseTarget } from '@/server/grpc/target';
import { systemClock } from '@/server/observe';
import { TapThreads } from '@/server/tap/tap-threads';
import { childTask } from './in-own-process';
import { nowMs } from './raw-ads-server';

const service = 'envoy.service.discovery.v3.AggregatedDiscoveryService';
const method = methodOf(service, 'StreamAggregatedResources');
const limits = { 'grpc.max_receive_message_length': -1, 'grpc.max_send_message_length': -1 };

/** Before the resources: the version, the type, and in the nonce the time. */
const headBytes = new WireWriter()
  .string(1, '1')
  .string(4, CDS.typeUrl)
  .string(5, nowMs().toFixed(3))
  .finish().length;

/** Clusters of some 900 bytes each, as many as it takes. */
function makeResources(sizeBytes: number): Buffer {
  const type = messageType('envoy.config.cluster.v3.Cluster');
  const chunks: Buffer[] = [];
  let made = 0;
  for (let index = 0; made < sizeBytes - 200; index++) {
    const altStatName = 'x'.repeat(Math.min(900, sizeBytes - made - 100));
    const value = Buffer.from(type.encode(type.create({ name: `cluster-${index}`, altStatName })).finish());
    const any = new WireWriter().string(1, CDS.typeUrl).message(2, value).finish();
    const chunk = new WireWriter().message(2, any).finish();
    chunks.push(chunk);
    made += chunk.length;
  }
  return Buffer.concat(chunks);
}

/** Answers each request with as many bytes as its version says; the nonce reports when. */
function serve(): void {
  const resources = new Map<number, Buffer>();
  const server = new Server(limits);
  const request = messageType('envoy.service.discovery.v3.DiscoveryRequest');
  server.addService(
    { stream: method },
    {
      stream: (call: ServerDuplexStream<Buffer, Buffer>) => {
        call.on('error', () => {});
        call.on('end', () => call.end());
        call.on('data', (bytes: Buffer) => {
          const { versionInfo } = request.decode(bytes) as { versionInfo?: string };
          const sizeBytes = Number(versionInfo);
          const body = resources.get(sizeBytes) ?? makeResources(sizeBytes);
          resources.set(sizeBytes, body);
          const nonce = nowMs().toFixed(3);
          const head = new WireWriter().string(1, '1').string(4, CDS.typeUrl).string(5, nonce).finish();
          call.write(Buffer.concat([head, body]));
        });
      },
    },
  );
  server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, port) => {
    if (error !== null) throw error;
    process.send?.(`127.0.0.1:${port}`);
  });
}

/** As xdscope runs it: the threads of the taps, and a main thread that takes what they observe. */
function tap(upstreamText: string): void {
  const parsed = parseTarget(upstreamText);
  if (!parsed.ok) throw new Error(parsed.problem.message);
  const taps = new TapThreads({
    redactionKey: new Uint8Array(32),
    clock: systemClock,
    keepPace: async () => {},
  });
  let isReported = false;
  let observed = 0;
  let dropped = 0;
  const running = taps.open({
    sourceId: 'tap:bench',
    settings: {
      listen: { host: '127.0.0.1', port: 0, text: '127.0.0.1:0' },
      upstream: parsed.target,
      listenTls: insecure,
      upstreamTls: insecure,
    },
    clock: systemClock,
    observe: () => observed++,
    onStatus: ({ tap: reported }) => {
      dropped = reported?.droppedMessages ?? 0;
      if (isReported || typeof reported?.address !== 'string') return;
      isReported = true;
      process.send?.(reported.address);
    },
  });
  running.start();
  let busyMs = 0;
  process.on('message', () => {
    const { user, system } = process.cpuUsage();
    const before = busyMs;
    busyMs = (user + system) / 1000;
    process.send?.(JSON.stringify({ observed, dropped, processorMs: Math.round(busyMs - before) }));
  });
}

interface Measured {
  /** From the server's write to the client's receipt, in ms. */
  readonly latencies: number[];
  readonly tookMs: number;
}

/** One stream that asks, waits for the answer, and asks again. */
class Asker {
  readonly #call: ClientDuplexStream<Buffer, Buffer>;
  #onAnswer: (latencyMs: number) => void = () => {};
  readonly #request = messageType('envoy.service.discovery.v3.DiscoveryRequest');
  readonly #response = messageType('envoy.service.discovery.v3.DiscoveryResponse');
  #nonce = '';

  constructor(
    client: Client,
    private readonly id: string,
  ) {
    const { path, requestSerialize, responseDeserialize } = method;
    this.#call = client.makeBidiStreamRequest(path, requestSerialize, responseDeserialize);
    this.#call.on('error', () => {});
    this.#call.on('data', (bytes: Buffer) => {
      const receivedMs = nowMs();
      const head = this.#response.decode(bytes.subarray(0, headBytes)) as { nonce?: string };
      this.#nonce = head.nonce ?? '';
      this.#onAnswer(receivedMs - Number(this.#nonce));
    });
  }

  ask(sizeBytes: number): Promise<number> {
    return new Promise((resolve) => {
      this.#onAnswer = resolve;
      const fields = {
        versionInfo: String(sizeBytes),
        node: { id: this.id },
        typeUrl: CDS.typeUrl,
        responseNonce: this.#nonce,
      };
      this.#call.write(Buffer.from(this.#request.encode(this.#request.create(fields)).finish()));
    });
  }

  end(): void {
    this.#call.cancel();
  }
}

async function measure(
  askers: readonly Asker[],
  sizeBytes: number,
  rounds: number,
  atOnce: number,
): Promise<Measured> {
  const latencies: number[] = [];
  const startedAt = nowMs();
  // A stream waits for its answer before it asks again.
  const lane = async (first: number): Promise<void> => {
    for (let round = 0; round < rounds; round++) {
      for (let index = first; index < askers.length; index += atOnce) {
        const latencyMs = await askers[index]?.ask(sizeBytes);
        if (latencyMs !== undefined) latencies.push(latencyMs);
      }
    }
  };
  await Promise.all(Array.from({ length: atOnce }, (_, index) => lane(index)));
  return { latencies, tookMs: nowMs() - startedAt };
}

function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

function start(
  task: string,
  ...args: string[]
): Promise<{ readonly child: ChildProcess; readonly target: string }> {
  const child = fork(process.argv[1] ?? '', [`--child=${task}`, ...args], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  return new Promise((resolve, reject) => {
    child.once('message', (target) => resolve({ child, target: String(target) }));
    child.once('exit', (code) => reject(new Error(`bench: ${task} ended with ${code}`)));
  });
}

interface Way {
  readonly name: string;
  readonly askers: readonly Asker[];
}

/** Streams on connections of their own, 20 on each. */
function openWay(name: string, target: string, streams: number, closing: (() => void)[]): Way {
  const askers: Asker[] = [];
  let client: Client | undefined;
  for (let index = 0; index < streams; index++) {
    if (index % 20 === 0) {
      const opened = new Client(target, credentials.createInsecure(), {
        ...limits,
        'grpc.use_local_subchannel_pool': 1,
      });
      client = opened;
      closing.push(() => opened.close());
    }
    if (client !== undefined) askers.push(new Asker(client, `bench-${name}-${index}`));
  }
  return { name, askers };
}

interface Case {
  readonly title: string;
  readonly streams: number;
  readonly sizeBytes: number;
  /** Requests of one stream in each turn, and how many turns. */
  readonly rounds: number;
  readonly turns: number;
  /** Streams that wait for an answer at a time. */
  readonly atOnce: number;
}

const mib = 1024 * 1024;
const cases: readonly Case[] = [
  { title: '1 kB, one stream', streams: 1, sizeBytes: 1024, rounds: 100, turns: 20, atOnce: 1 },
  { title: '4 MB, one stream', streams: 1, sizeBytes: 4 * mib, rounds: 10, turns: 6, atOnce: 1 },
  { title: '1 kB, 200 streams', streams: 200, sizeBytes: 1024, rounds: 10, turns: 6, atOnce: 200 },
  { title: '4 MB, 200 streams', streams: 200, sizeBytes: 4 * mib, rounds: 1, turns: 2, atOnce: 8 },
];

function askChild(child: ChildProcess): Promise<string> {
  return new Promise((resolve) => {
    child.once('message', (reported) => resolve(String(reported)));
    child.send('how much?');
  });
}

async function main(): Promise<void> {
  const server = await start('server');
  const proxy = await start('tap', server.target);
  const out = (line: string): boolean => process.stdout.write(`${line}\n`);
  out(
    'tap: from the server’s write to the client’s receipt, without and with a tap, in turns; grpc-js on both ends',
  );
  for (const { title, streams, sizeBytes, rounds, turns, atOnce } of cases) {
    const closing: (() => void)[] = [];
    const direct = openWay('direct', server.target, streams, closing);
    const tapped = openWay('tapped', proxy.target, streams, closing);
    const results = new Map<Way, { latencies: number[]; tookMs: number }>();
    for (const way of [direct, tapped]) {
      await measure(way.askers, sizeBytes, 1, atOnce);
      results.set(way, { latencies: [], tookMs: 0 });
    }
    for (let turn = 0; turn < turns; turn++) {
      for (const way of [direct, tapped]) {
        const { latencies, tookMs } = await measure(way.askers, sizeBytes, rounds, atOnce);
        const result = results.get(way);
        result?.latencies.push(...latencies);
        if (result !== undefined) result.tookMs += tookMs;
      }
    }
    const reported = [direct, tapped].map((way) => {
      const { latencies = [], tookMs = 0 } = results.get(way) ?? {};
      return {
        median: quantile(latencies, 0.5),
        p99: quantile(latencies, 0.99),
        perSecond: (latencies.length / tookMs) * 1000,
      };
    });
    const [without, with_] = reported;
    if (without === undefined || with_ === undefined) continue;
    const ms = (value: number): string => `${value.toFixed(2)} ms`;
    const rate = ({ perSecond }: { perSecond: number }): string =>
      `${perSecond.toFixed(0)}/s (${((perSecond * sizeBytes) / mib).toFixed(1)} MiB/s)`;
    out(`  ${title}`);
    out(`    median ${ms(without.median)} -> ${ms(with_.median)}: adds ${ms(with_.median - without.median)}`);
    out(`    p99    ${ms(without.p99)} -> ${ms(with_.p99)}: adds ${ms(with_.p99 - without.p99)}`);
    out(
      `    answers ${rate(without)} -> ${rate(with_)}: ratio ${(with_.perSecond / without.perSecond).toFixed(2)}`,
    );
    for (const way of [direct, tapped]) for (const asker of way.askers) asker.end();
    for (const close of closing) close();
    out(`    ${await askChild(proxy.child)}`);
  }
  server.child.kill();
  proxy.child.kill();
}

const task = childTask();
if (task === 'server') serve();
else if (task === 'tap') tap(process.argv.at(-1) ?? '');
else await main();
