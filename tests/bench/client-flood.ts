import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Health, SourcePage } from '@/lib/api/schema';
import { messageType } from '@/server/codec/root';
import { startCsdsServer } from '../support/csds-server';
import { spawnServer } from './bench-server';
import { pause, print } from './measure';
import { cpuSeconds, memoryMb } from './process-figures';

/** What a source does to the server that names very many made-up clients: all in one answer, then others in each. */
const inOneAnswer = Number(process.env.XDSCOPE_BENCH_CLIENTS ?? 250_000);
const inEach = 10_000;
const seconds = Number(process.env.XDSCOPE_BENCH_SECONDS ?? 30);
const responseType = messageType('envoy.service.status.v3.ClientStatusResponse');

function answerOf(first: number, clients: number): Buffer {
  const config = Array.from({ length: clients }, (_, index) => ({
    node: { id: `made-up-${first + index}`, userAgentName: 'flood' },
  }));
  return Buffer.from(responseType.encode(responseType.fromObject({ config })).finish());
}

const folder = mkdtempSync(path.join(tmpdir(), 'xdscope-bench-'));
let answer = answerOf(0, inOneAnswer);
const peer = await startCsdsServer(() => answer);
const server = await spawnServer(['--data-dir', path.join(folder, 'data'), '--csds', peer.target.text]);

async function get<T>(what: string): Promise<T> {
  const response = await fetch(`${server.origin}/api/v1/${what}`);
  if (!response.ok) throw new Error(`bench: GET ${what}: ${response.status}`);
  return (await response.json()) as T;
}

async function report(what: string, cpuBefore: number): Promise<void> {
  const { eventLoop } = await get<Health>('health');
  const { items } = await get<SourcePage>('sources');
  const [source] = items;
  const { total } = await get<{ total: number }>('clients?limit=1');
  print(
    `${what}: event loop p99 ${eventLoop.p99Ms} ms, longest ${eventLoop.maxMs} ms; ` +
      `${(cpuSeconds(server.pid) - cpuBefore).toFixed(1)} s of processor, ${memoryMb(server.pid, 'VmRSS').toFixed(0)} MiB resident; ` +
      `${total} clients; ${JSON.stringify(source?.clientLimit)}`,
  );
}

try {
  while (!(await fetch(`${server.origin}/api/v1/health`).catch(() => undefined))?.ok) await pause(50);
  const cpuBefore = cpuSeconds(server.pid);
  for (let waited = 0; waited < 120; waited++) {
    const { total } = await get<{ total: number }>('clients?limit=1');
    if (total >= Math.min(inOneAnswer, 50_000)) break;
    await pause(1_000);
  }
  await pause(5_000);
  await report(`${inOneAnswer} clients in one answer`, cpuBefore);
  const flooding = cpuSeconds(server.pid);
  const until = performance.now() + seconds * 1_000;
  for (let first = 1_000_000; performance.now() < until; first += inEach) {
    answer = answerOf(first, inEach);
    await pause(1_000);
  }
  // The clients of the first answer go before others take their place, on a busy machine well after the last answer.
  for (let waited = 0; waited < 120; waited++) {
    const { items } = await get<SourcePage>('sources');
    if ((items[0]?.clientLimit?.evicted ?? 0) > 0) break;
    await pause(1_000);
  }
  await report(`${inEach} others in each answer, for ${seconds} s`, flooding);
} finally {
  peer.close();
  server.kill();
  await pause(200);
  rmSync(folder, { recursive: true, force: true });
}
process.exit();
