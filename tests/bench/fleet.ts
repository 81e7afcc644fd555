import { type ChildProcess, fork } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { performance } from 'node:perf_hooks';
import type { FleetPage } from '@/lib/views/fleet/schema';
import type { Health } from '@/lib/views/health/schema';
import { renderBody } from '@/server/codec/render-body';
import { systemClock } from '@/server/observe';
import { noSecurity, openChannelSecurity } from '@/server/transport/grpc/channel-security';
import { Http2Connection } from '@/server/transport/grpc/http2-connection';
import { parseTarget } from '@/server/transport/targets/target';
import { getJson, type RunningServer, startServer } from '../support/e2e-server';
import { SimulatedFleet } from '../support/simulated-fleet';
import { unaryCall } from '../support/unary-call';
import { childTask } from './in-own-process';
import { pause, print, tempDir } from './measure';
import { PageTimes } from './page-times';
import { cpuSeconds, memoryMb, ThreadTimes } from './process-figures';

interface FleetCase {
  readonly clients: number;
  readonly resources: number;
  readonly answerBytes: number;
}

const cases: readonly FleetCase[] = [
  { clients: 10_000, resources: 50, answerBytes: 50_000 },
  { clients: 1_000, resources: 400, answerBytes: 400_000 },
];
const intervalSeconds = 10;
const rounds = 4;
const longestStartMs = 240_000;
/** Sockets of one process: 20,000 is a common limit of open files. */
const clientsPerProcess = 2_500;

/** The program of a process of clients: it sends their targets, and changes one client in a hundred on each order. */
async function serveClients(asked: FleetCase & { readonly first: number }): Promise<void> {
  const fleet = new SimulatedFleet(asked);
  process.send?.(await fleet.listen());
  process.on('message', async (order: 'change' | { readonly changeOne: number }) => {
    if (order === 'change') fleet.change(Math.ceil(asked.clients / 100));
    else {
      await fleet.changeOne(order.changeOne);
      process.send?.(Date.now());
    }
  });
}

async function startClients(
  asked: FleetCase,
  first: number,
): Promise<{ child: ChildProcess; targets: string[] }> {
  const child = fork(process.argv[1] ?? '', ['--child=clients', JSON.stringify({ ...asked, first })]);
  const targets = await new Promise<string[]>((resolve, reject) => {
    child.once('message', (reported) => resolve(reported as string[]));
    child.once('exit', (code) => reject(new Error(`bench: the clients ended with ${code}`)));
  });
  return { child, targets };
}

function cpuOf(processes: readonly ChildProcess[]): number {
  return processes.reduce((sum, { pid }) => sum + (pid === undefined ? 0 : cpuSeconds(pid)), 0);
}

const healthOf = (origin: string): Promise<Health> => getJson<Health>(`${origin}/api/v1/health`);

async function measure(asked: FleetCase): Promise<void> {
  const folder = tempDir();
  const children: ChildProcess[] = [];
  let server: RunningServer | undefined;
  try {
    const targets: string[] = [];
    for (let first = 0; first < asked.clients; first += clientsPerProcess) {
      const clients = Math.min(clientsPerProcess, asked.clients - first);
      const started = await startClients({ ...asked, clients }, first);
      children.push(started.child);
      targets.push(...started.targets);
    }
    const peers = [...children];
    const list = path.join(folder, 'targets.json');
    writeFileSync(list, JSON.stringify([{ targets }]));
    const config = path.join(folder, 'config.json');
    writeFileSync(config, JSON.stringify({ csdsFiles: [list], csdsInterval: `${intervalSeconds}s` }));
    const startedAt = performance.now();
    server = await startServer(['--config', config, '--data-dir', path.join(folder, 'data')]);
    const { url: origin, process: process_ } = server;
    await watch(asked, { pid: process_.pid ?? 0, origin, startedAt, peers, target: targets[0] ?? '' });
  } finally {
    await server?.stop('SIGKILL');
    for (const child of children) child.kill('SIGKILL');
  }
}

interface Watched {
  readonly pid: number;
  readonly origin: string;
  readonly peers: readonly ChildProcess[];
  /** The start of the server, in ms of performance.now(). */
  readonly startedAt: number;
  /** The target of one client. */
  readonly target: string;
}

/** Queries one client, and renders its response as JSON, like grpcdebug. */
async function readOneClient(target: string): Promise<{ readonly tookMs: number; readonly chars: number }> {
  const parsed = parseTarget(target);
  if (!parsed.ok) throw new Error(`bench: ${parsed.problem.message}`);
  const security = openChannelSecurity(noSecurity, systemClock, () => undefined);
  const connection = new Http2Connection(parsed.target, security);
  const startedAt = performance.now();
  const path = '/envoy.service.status.v3.ClientStatusDiscoveryService/FetchClientStatus';
  const answer = await unaryCall({ connection, security, path }, Buffer.alloc(0), 10_000);
  const { text } = renderBody(
    'type.googleapis.com/envoy.service.status.v3.ClientStatusResponse',
    answer,
    'json',
  );
  const tookMs = performance.now() - startedAt;
  connection.close();
  security.close();
  return { tookMs, chars: text.length };
}

async function watch(asked: FleetCase, { pid, origin, startedAt, peers, target }: Watched): Promise<void> {
  print(
    `${asked.clients} clients of ${asked.resources} resources, ${asked.answerBytes / 1000} kB each, every ${intervalSeconds} s`,
  );
  for (;;) {
    await pause(500);
    const health = await healthOf(origin);
    if (health.sources.up >= asked.clients) break;
    if (performance.now() - startedAt > longestStartMs)
      throw new Error(`bench: not up: ${JSON.stringify(health)}`);
  }
  print(
    `  all up after ${((performance.now() - startedAt) / 1000).toFixed(1)} s, ${cpuSeconds(pid).toFixed(1)} s of processor, its clients ${cpuOf(peers).toFixed(1)} s`,
  );
  // A request begins a new window of the event loop's delay if the last window is a minute old.
  await healthOf(origin);
  await pause(intervalSeconds * 1000);
  const cpuBefore = cpuSeconds(pid);
  const threads = new ThreadTimes(pid);
  const peersBefore = cpuOf(peers);
  const from = performance.now();
  const { csds: asked0 } = await healthOf(origin);
  const pages = new PageTimes(origin);
  await pages.begin();
  for (let round = 0; round < rounds; round++) {
    for (const peer of peers) peer.send('change');
    await pages.open(performance.now() + intervalSeconds * 1000);
  }
  const seconds = (performance.now() - from) / 1000;
  const cores = (cpuSeconds(pid) - cpuBefore) / seconds;
  const peersCores = (cpuOf(peers) - peersBefore) / seconds;
  const { csds, eventLoop, sources } = await healthOf(origin);
  print(
    `  processor ${cores.toFixed(2)} cores (aim 0.5; its clients ${peersCores.toFixed(2)}), memory ${memoryMb(pid, 'VmRSS').toFixed(0)} MiB, at most ${memoryMb(pid, 'VmHWM').toFixed(0)} MiB (aim 2048)`,
  );
  print(`  by thread, with pages open: ${threads.describe(seconds)}`);
  const answers = csds.answers - asked0.answers;
  const decoded = answers - (csds.undecoded - asked0.undecoded);
  // One in a hundred changes each round; the change may be answered in the round before or after.
  const changed = rounds * Math.ceil(asked.clients / 100);
  const share = 1 - Math.max(0, decoded - changed) / (answers - changed);
  print(
    `  ${answers} answers, ${decoded} decoded, ${changed} changes: ${(100 * share).toFixed(2)} % of the unchanged not decoded (aim 95 %); ${sources.down} sources down`,
  );
  print(
    `  event loop p50 ${eventLoop.p50Ms} ms, p99 ${eventLoop.p99Ms} ms (aim 50), longest ${eventLoop.maxMs} ms, over ${Math.round(seconds + intervalSeconds)} s`,
  );
  for (const line of pages.describe()) print(`  ${line}`);
  const quietFrom = performance.now();
  const quietCpu = cpuSeconds(pid);
  const quietThreads = new ThreadTimes(pid);
  await pause(2 * intervalSeconds * 1000);
  const quietSeconds = (performance.now() - quietFrom) / 1000;
  print(
    `  nobody looking: ${((cpuSeconds(pid) - quietCpu) / quietSeconds).toFixed(2)} cores (${quietThreads.describe(quietSeconds)})`,
  );
  const one = await readOneClient(target);
  print(`  one client asked by itself, as JSON: ${one.tookMs.toFixed(0)} ms (${one.chars} characters)`);
  print(
    `  a change, from the answer to its line in GET fleet: ${(await timeChanges(origin, peers)).join(', ')} ms`,
  );
}

/** Milliseconds from the response of a client to its row in `GET fleet`, for clients of the first process. */
async function timeChanges(origin: string, [peer]: readonly ChildProcess[]): Promise<number[]> {
  const took: number[] = [];
  for (const index of [901, 902, 903, 904, 905]) {
    const lineOf = async (): Promise<number> => {
      const search = `q=shop-${String(index).padStart(6, '0')}&limit=1`;
      const { items } = await getJson<FleetPage>(`${origin}/api/v1/fleet?${search}`);
      const [line] = items;
      return line?.kind === 'client' ? line.client.lastChangedAt : 0;
    };
    const before = await lineOf();
    const answered = new Promise<number>((resolve) => peer?.once('message', resolve));
    peer?.send({ changeOne: index });
    const answeredAt = await answered;
    while ((await lineOf()) === before) await pause(5);
    took.push(Date.now() - answeredAt);
  }
  return took;
}

if (childTask() === 'clients') await serveClients(JSON.parse(process.argv.at(-1) ?? ''));
else {
  // A short run sets a number of clients, and one of the cases by the size of its answers.
  const clients = Number(process.env.XDSCOPE_BENCH_CLIENTS ?? 0);
  const answerBytes = Number(process.env.XDSCOPE_BENCH_ANSWER_BYTES ?? 0);
  for (const each of cases) {
    if (answerBytes > 0 && each.answerBytes !== answerBytes) continue;
    await measure(clients > 0 ? { ...each, clients: Math.min(clients, each.clients) } : each);
  }
}
