import { randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FileImport } from '@/lib/views/recording/import-schema';
import { getJson, type RunningServer, startServer, usedCpuMs } from '../support/e2e-server';
import { waitUntil } from '../support/wait-until';

const dataDir = mkdtempSync(path.join(tmpdir(), 'xdscope-bombs-'));
const mb = 1024 * 1024;
/** 480 MB of blanks in about 1,000 bytes. */
const bomb = gzipSync(gzipSync(Buffer.alloc(480 * mb, ' ')));
/** The largest file that the limits allow: each packed byte stands for 180 of a document of 48 MB. */
const largestAllowed = Buffer.concat([
  gzipSync(Buffer.alloc(48 * mb, ' ')),
  gzipSync(randomBytes(0.23 * mb)),
]);
let server: RunningServer;

beforeAll(async () => {
  server = await startServer(['--no-lab', '--data-dir', dataDir]);
});
afterAll(async () => {
  await server.stop();
  rmSync(dataDir, { recursive: true, force: true });
});

function send(name: string, body: Uint8Array, signal?: AbortSignal): Promise<Response> {
  return fetch(`${server.url}/api/v1/imports?name=${name}`, {
    method: 'POST',
    headers: { 'content-type': 'application/octet-stream' },
    body: Uint8Array.from(body),
    signal: signal ?? AbortSignal.timeout(240_000),
  });
}

function cluster(name: string): Buffer {
  return Buffer.from(
    JSON.stringify({ '@type': 'type.googleapis.com/envoy.config.cluster.v3.Cluster', name }),
  );
}

function residentMb(): number {
  const status = readFileSync(`/proc/${server.process.pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024;
}

/** The largest resident memory, MB, until `work` is over. */
async function peakDuring(work: Promise<unknown>): Promise<number> {
  let isOver = false;
  const over = (): void => {
    isOver = true;
  };
  work.then(over, over);
  let peak = residentMb();
  await waitUntil(
    'the imports are over',
    () => {
      peak = Math.max(peak, residentMb());
      return isOver;
    },
    240_000,
  );
  return peak;
}

const uploads = (): string[] => readdirSync(path.join(dataDir, 'uploads'));
const imports = async (): Promise<FileImport[]> =>
  (await getJson<{ items: FileImport[] }>(`${server.url}/api/v1/imports`)).items;

describe('files that are much larger once unpacked', () => {
  it('are rejected by their ratio, ten at once, and cost little', async () => {
    const before = residentMb();
    const sent = Promise.all(Array.from({ length: 10 }, (_, index) => send(`bomb-${index}`, bomb)));
    const peak = await peakDuring(sent);
    const answers = await Promise.all((await sent).map(async (each) => [each.status, await each.json()]));
    const rejected = answers.filter(([status]) => status === 400);
    expect(rejected.length).toBeGreaterThanOrEqual(9);
    for (const [, problem] of rejected) {
      expect(problem.detail).toMatch(
        /expected at most 10485760 bytes once unpacked \(\d+ packed bytes, of which each may stand for 200\), got at least \d+/,
      );
    }
    process.stdout.write(`ten bombs of ${bomb.length} bytes: ${before.toFixed()} -> ${peak.toFixed()} MB\n`);
    expect(peak - before).toBeLessThan(250);
  });

  it('are unpacked one at a time', async () => {
    const before = residentMb();
    const sent = Promise.all(
      Array.from({ length: 4 }, (_, index) => send(`allowed-${index}`, largestAllowed)),
    );
    const peak = await peakDuring(sent);
    for (const { status } of await sent) expect(status).toBe(400);
    process.stdout.write(`four files of 48 MB: ${before.toFixed()} -> ${peak.toFixed()} MB\n`);
    expect(peak - before).toBeLessThan(200);
    expect(uploads()).toEqual([]);
  });

  it('are not read further when their clients disconnect', async () => {
    const left = new AbortController();
    const sent = Array.from({ length: 4 }, (_, index) => send(`left-${index}`, largestAllowed, left.signal));
    const running = async (): Promise<FileImport[]> =>
      (await imports()).filter(({ label }) => label.startsWith('left-'));
    await waitUntil('one is unpacked', async () =>
      (await running()).some(({ state }) => state === 'unpacking'),
    );
    await waitUntil('the others wait', async () => {
      return (await running()).filter(({ state }) => state === 'waiting').length === 3;
    });
    const used = usedCpuMs(server);
    left.abort();
    await Promise.allSettled(sent);
    await waitUntil('all are canceled', async () =>
      (await running()).every(({ state }) => state === 'canceled'),
    );
    expect(uploads()).toEqual([]);
    expect((await send('again.json', cluster('d'))).status).toBe(201);
    process.stdout.write(`four imports whose clients left used ${usedCpuMs(server) - used} ms\n`);
  });
});

describe('an import', () => {
  it('waits while another one is read; beyond eight that wait, the answer is 503', async () => {
    const left = new AbortController();
    const slow = fetch(`${server.url}/api/v1/imports?name=slow.json`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: new ReadableStream({ start: (upload) => upload.enqueue(Buffer.from('{"configs": [')) }),
      duplex: 'half',
      signal: left.signal,
    } as RequestInit).catch((error: Error) => error.name);
    await waitUntil('it is received', async () =>
      (await imports()).some(({ label }) => label === 'slow.json'),
    );
    const others = Array.from({ length: 8 }, (_, index) => send(`other-${index}.json`, cluster(`c${index}`)));
    await waitUntil('eight wait', async () => {
      return (await imports()).filter(({ state }) => state === 'waiting').length === 8;
    });
    const tooMany = await send('too-many.json', cluster('b'));
    expect([tooMany.status, tooMany.headers.get('retry-after')]).toEqual([503, '5']);
    expect(await tooMany.json()).toMatchObject({
      detail: 'expected at most 9 imports at once, got one more',
    });
    left.abort();
    expect(await slow).toBe('AbortError');
    for (const each of others) expect((await each).status).toBe(201);
    expect(uploads()).toEqual([]);
  });
});
