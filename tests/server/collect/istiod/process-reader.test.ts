import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ProcessReader } from '@/server/collect/istiod/process-reader';
import { systemClock } from '@/server/observe';

let server: Server;
let port: number;
let answer: { readonly status: number; readonly text: string };
let now = 0;
const clock = { ...systemClock, now: () => now };
const intervalMs = 60_000;

beforeAll(async () => {
  server = createServer((request, response) => {
    if (request.url === '/metrics') response.writeHead(answer.status).end(answer.text);
    else response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  port = (server.address() as AddressInfo).port;
});

afterAll(() => server.close());

/** Returns metrics in the format of istiod, which writes them among hundreds of others. */
const metricsOf = ({ cpu, startedAt = 1.7e9, name = 'pilot_info' }: Readonly<Record<string, unknown>>) =>
  [
    '# HELP process_cpu_seconds_total Total user and system CPU time spent in seconds.',
    '# TYPE process_cpu_seconds_total counter',
    `process_cpu_seconds_total ${cpu}`,
    `process_start_time_seconds ${startedAt}`,
    'process_resident_memory_bytes 1.8e+08',
    'go_memstats_alloc_bytes 6e+07',
    `${name}{version="1.31.0"} 1`,
  ].join('\n');

const open = (adsPort = 15_012, metricsPort: number | undefined = port) => {
  const target = { host: '127.0.0.1', port: adsPort, text: `127.0.0.1:${adsPort}` };
  return new ProcessReader({ target, port: metricsPort, intervalMs, clock });
};

async function read(reader: ProcessReader, text: string, status = 200): Promise<void> {
  answer = { status, text };
  now += intervalMs;
  await reader.read();
}

it('reads memory, and the CPU time between two readings of one process', async () => {
  const reader = open();
  const memory = { targetMemory: { allocated: 6e7, physical: 1.8e8 } };
  expect(reader.facts).toEqual({});
  await read(reader, metricsOf({ cpu: 100 }));
  expect(reader.facts).toEqual({ ...memory, targetCpu: null });
  expect(reader.isDue).toBe(false);
  await read(reader, metricsOf({ cpu: 103 }));
  expect(reader.facts).toEqual({ ...memory, targetCpu: { share: 0.05, overMs: intervalMs } });
  // Another replica answers, or istiod was restarted.
  await read(reader, metricsOf({ cpu: 900, startedAt: 1.8e9 }));
  expect(reader.facts).toEqual({ ...memory, targetCpu: null });
});

it.each([
  ['of another program', metricsOf({ cpu: 1, name: 'go_info' }), 200],
  ['without CPU time', 'pilot_info 1\nprocess_start_time_seconds 1', 200],
  ['with a value that is no number', metricsOf({ cpu: 'x' }), 200],
  ['that are denied', 'Only requests from localhost are allowed', 403],
])('reports nothing of metrics %s, and does not read them again soon', async (_, text, status) => {
  const reader = open();
  await read(reader, metricsOf({ cpu: 1 }));
  await read(reader, text, status);
  expect(reader.facts).toEqual({});
  now += intervalMs * 9;
  expect(reader.isDue).toBe(false);
  now += intervalMs;
  expect(reader.isDue).toBe(true);
});

it('reads by default only beside the usual ports of ADS', () => {
  const isDue = (adsPort: number) => {
    const target = { host: '127.0.0.1', port: adsPort, text: `127.0.0.1:${adsPort}` };
    return new ProcessReader({ target, intervalMs, clock }).isDue;
  };
  expect([15_010, 15_012, 18_000].map(isDue)).toEqual([true, true, false]);
});
