import type { Health, SourcePage } from '@/lib/api/schema';
import { startCsdsServer } from '../support/csds-server';
import { getJson, startServer } from '../support/e2e-server';
import { encodeMessage } from '../support/xds-wire';
import { pause, print, tempDir } from './measure';
import { cpuSeconds, memoryMb } from './process-figures';

/** A source reports very many invented clients to the server: all in one answer, then other clients in each answer. */
const inOneAnswer = Number(process.env.XDSCOPE_BENCH_CLIENTS ?? 250_000);
const inEach = 10_000;
const seconds = Number(process.env.XDSCOPE_BENCH_SECONDS ?? 30);
function answerOf(first: number, clients: number): Buffer {
  const config = Array.from({ length: clients }, (_, index) => ({
    node: { id: `made-up-${first + index}`, userAgentName: 'flood' },
  }));
  return encodeMessage('envoy.service.status.v3.ClientStatusResponse', { config });
}

let answer = answerOf(0, inOneAnswer);
const peer = await startCsdsServer(() => answer);
const server = await startServer(['--data-dir', tempDir(), '--csds', peer.target.text]);
const pid = server.process.pid ?? 0;
const get = <T>(what: string): Promise<T> => getJson<T>(`${server.url}/api/v1/${what}`);

async function report(what: string, cpuBefore: number): Promise<void> {
  const { eventLoop } = await get<Health>('health');
  const { items } = await get<SourcePage>('sources');
  const [source] = items;
  const { total } = await get<{ total: number }>('clients?limit=1');
  print(
    `${what}: event loop p99 ${eventLoop.p99Ms} ms, longest ${eventLoop.maxMs} ms; ` +
      `${(cpuSeconds(pid) - cpuBefore).toFixed(1)} s of processor, ${memoryMb(pid, 'VmRSS').toFixed(0)} MiB resident; ` +
      `${total} clients; ${JSON.stringify(source?.clientLimit)}`,
  );
}

try {
  const cpuBefore = cpuSeconds(pid);
  for (let waited = 0; waited < 120; waited++) {
    const { total } = await get<{ total: number }>('clients?limit=1');
    if (total >= Math.min(inOneAnswer, 50_000)) break;
    await pause(1_000);
  }
  await pause(5_000);
  await report(`${inOneAnswer} clients in one answer`, cpuBefore);
  const flooding = cpuSeconds(pid);
  const until = performance.now() + seconds * 1_000;
  for (let first = 1_000_000; performance.now() < until; first += inEach) {
    answer = answerOf(first, inEach);
    await pause(1_000);
  }
  // The clients of the first answer are removed before others are added, on a busy machine long after the last answer.
  for (let waited = 0; waited < 120; waited++) {
    const { items } = await get<SourcePage>('sources');
    if ((items[0]?.clientLimit?.evicted ?? 0) > 0) break;
    await pause(1_000);
  }
  await report(`${inEach} others in each answer, for ${seconds} s`, flooding);
} finally {
  peer.close();
  await server.stop('SIGKILL');
}
process.exit();
