import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { performance } from 'node:perf_hooks';
import { AskingCalls } from '@/server/grpc/asking-calls';
import { noSecurity, openChannelSecurity } from '@/server/grpc/channel-security';
import { openLeanSession } from '@/server/grpc/http2/open-lean-session';
import { parseTarget } from '@/server/grpc/target';
import { systemClock } from '@/server/observe';
import { collectGarbage } from '@/server/threads/collect-garbage';
import { keepHeapsSmall } from '@/server/threads/keep-heaps-small';
import { SimulatedFleet } from '../support/simulated-fleet';

/** What polls cost over our own HTTP/2 and over node:http2 (decision 15): connections, calls and answers, nothing else. */
const clients = Number(process.env.XDSCOPE_BENCH_CLIENTS ?? 10_000);
const clientsPerProcess = 2_500;
const intervalMs = 10_000;
const warmUpMs = intervalMs;
const measuredMs = 2 * intervalMs;
const service = '/envoy.service.status.v3.ClientStatusDiscoveryService';
/** As csds-poll-worker.ts does. */
const garbageBytes = 4 * 1024 * 1024;

type Transport = 'own' | 'node';

async function serve({ first, count }: { readonly first: number; readonly count: number }): Promise<void> {
  const fleet = new SimulatedFleet({ clients: count, first, resources: 50, answerBytes: 50_000 });
  process.send?.(await fleet.listen());
}

async function poll({
  transport,
  targets,
}: {
  readonly transport: Transport;
  readonly targets: readonly string[];
}): Promise<void> {
  keepHeapsSmall();
  const security = openChannelSecurity(noSecurity, systemClock, () => undefined);
  const openSession = transport === 'own' ? { openSession: openLeanSession } : { openSession: undefined };
  const all = targets.map((text) => {
    const parsed = parseTarget(text);
    if (!parsed.ok) throw new Error(`bench: ${parsed.problem.message}`);
    return new AskingCalls({
      ...{ target: parsed.target, security, clock: systemClock, random: Math.random, ...openSession },
      ...{ streamPath: `${service}/StreamClientStatus`, fetchPath: `${service}/FetchClientStatus` },
    });
  });
  let [answers, failures, received] = [0, 0, 0];
  const ask = async (calls: AskingCalls): Promise<void> => {
    try {
      const answer = await calls.ask(Buffer.alloc(0), 30_000);
      answers += 1;
      received += answer.sizeBytes;
      answer.release();
    } catch {
      failures += 1;
    }
    if (received < garbageBytes) return;
    received = 0;
    setImmediate(collectGarbage, 'young');
  };
  // Each client once, some at a time.
  for (let from = 0; from < all.length; from += 100) await Promise.all(all.slice(from, from + 100).map(ask));
  for (const [index, calls] of all.entries()) {
    setTimeout(
      () => {
        void ask(calls);
        setInterval(() => void ask(calls), intervalMs);
      },
      (index / all.length) * intervalMs,
    );
  }
  setTimeout(() => {
    const [cpu, from, before] = [process.cpuUsage(), performance.now(), answers];
    setTimeout(() => {
      const { user, system } = process.cpuUsage(cpu);
      const seconds = (performance.now() - from) / 1_000;
      process.send?.({
        cores: (user + system) / 1e6 / seconds,
        perSecond: (answers - before) / seconds,
        residentMb: process.memoryUsage.rss() / 2 ** 20,
        failures,
      });
    }, measuredMs);
  }, warmUpMs);
}

interface Figures {
  readonly cores: number;
  readonly perSecond: number;
  readonly residentMb: number;
  readonly failures: number;
}

function start(child: 'serve' | 'poll', input: unknown): ChildProcess {
  const started = fork(process.argv[1] ?? '', [`--child=${child}`]);
  // 10,000 targets are longer than an argument may be.
  started.send(input as object);
  return started;
}

function answerOf<Answer>(child: ChildProcess): Promise<Answer> {
  return new Promise((resolve, reject) => {
    child.once('message', (answer) => resolve(answer as Answer));
    child.once('exit', (code) => reject(new Error(`bench: a child ended with ${code}`)));
  });
}

async function measure(): Promise<void> {
  const peers: ChildProcess[] = [];
  try {
    const targets: string[] = [];
    for (let first = 0; first < clients; first += clientsPerProcess) {
      const peer = start('serve', { first, count: Math.min(clientsPerProcess, clients - first) });
      peers.push(peer);
      targets.push(...(await answerOf<string[]>(peer)));
    }
    process.stdout.write(`${clients} clients of 50 kB, each polled every ${intervalMs / 1_000} s\n`);
    const cores: number[] = [];
    for (const transport of ['own', 'node'] as const) {
      const child = start('poll', { transport, targets: targets.slice(0, clients) });
      const figures = await answerOf<Figures>(child);
      child.kill();
      cores.push(figures.cores);
      process.stdout.write(
        `  ${transport === 'own' ? 'our own HTTP/2' : 'node:http2'}: ${figures.cores.toFixed(2)} cores, ${figures.perSecond.toFixed(0)} answers a second, ${figures.residentMb.toFixed(0)} MiB, ${figures.failures} failures\n`,
      );
    }
    const [own = 0, node = 0] = cores;
    process.stdout.write(
      `  node:http2 costs ${((node / own - 1) * 100).toFixed(0)} % more CPU (our own is kept above 20 %)\n`,
    );
  } finally {
    for (const peer of peers) peer.kill();
  }
}

const child = process.argv.find((argument) => argument.startsWith('--child='));
const readInput = async () => (await once(process, 'message'))[0];
if (child === '--child=serve') await serve(await readInput());
else if (child === '--child=poll') await poll(await readInput());
else await measure();
