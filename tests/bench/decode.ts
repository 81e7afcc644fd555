import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { performance } from 'node:perf_hooks';
import { answer, childTask, inOwnProcess, peakMb } from './in-own-process';
import { clustersResponse, endpointsResponse, type MeshSize } from './mesh-responses';
import { NodeClientParsing } from './node-client-parsing';
import { feedClient } from './silent-channel';

const rounds = 5;
const endpoints = { min: 2, max: 10 };

interface Measured {
  readonly firstMs: number;
  readonly updateMs: number;
  /** Of the process when it began, with its code loaded, and the most until the end. */
  readonly idleMb: number;
  readonly peakMb: number;
}

const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

async function timed(work: () => unknown): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}

/** First loads of clients that hold nothing, then updates of the last of them. The first of each warms up. */
async function measure(
  dir: string,
  create: () => (message: Buffer) => number | Promise<number>,
): Promise<Measured> {
  const read = (name: string): Buffer => readFileSync(path.join(dir, name));
  const [clusters, first] = [read('clusters'), read('endpoints-1')];
  const count = Number(readFileSync(path.join(dir, 'count'), 'utf8'));
  const firsts: number[] = [];
  const updates: number[] = [];
  let feed = create();
  const idleMb = process.memoryUsage.rss() / 2 ** 20;
  const expect = async (message: Buffer, expected: number): Promise<void> => {
    const changed = await feed(message);
    if (changed < expected) throw new Error(`bench: expected ${expected} changes, got ${changed}`);
  };
  for (let round = 0; round <= rounds; round++) {
    feed = create();
    firsts.push(
      await timed(async () => {
        await expect(clusters, count);
        await expect(first, count);
      }),
    );
  }
  for (let round = 0; round <= rounds; round++) {
    const message = read(`endpoints-${round + 2}`);
    updates.push(await timed(() => expect(message, 1)));
  }
  return {
    firstMs: median(firsts.slice(1)),
    updateMs: median(updates.slice(1)),
    idleMb,
    peakMb: peakMb(),
  };
}

function writeMessages(dir: string, size: MeshSize): number {
  const clusters = clustersResponse(size);
  const messages = Array.from({ length: rounds + 2 }, (_, index) => endpointsResponse(size, index + 1));
  writeFileSync(path.join(dir, 'clusters'), clusters);
  writeFileSync(path.join(dir, 'count'), String(size.clusters));
  for (const [index, message] of messages.entries()) {
    writeFileSync(path.join(dir, `endpoints-${index + 1}`), message);
  }
  return (clusters.length + (messages[0]?.length ?? 0)) / 1e6;
}

function compare(clusters: number): void {
  const dir = mkdtempSync(path.join(tmpdir(), 'xdscope-bench-'));
  try {
    const megabytes = writeMessages(dir, { clusters, endpoints });
    const ours = inOwnProcess<Measured>('ours', dir);
    const theirs = inOwnProcess<Measured>('theirs', dir);
    const line = (name: string, of: Measured): string =>
      `  ${name.padEnd(14)} first load ${of.firstMs.toFixed(0).padStart(6)} ms   one changed ${of.updateMs
        .toFixed(1)
        .padStart(7)} ms   peak ${of.peakMb.toFixed(0).padStart(5)} MB (${of.idleMb.toFixed(0)} before)\n`;
    process.stdout.write(
      `${clusters} clusters with ${endpoints.min} to ${endpoints.max} endpoints each, ${megabytes.toFixed(1)} MB\n${line(
        'xdscope',
        ours,
      )}${line('grpc-js-xds', theirs)}  ${'ratio'.padEnd(14)} first load ${(theirs.firstMs / ours.firstMs)
        .toFixed(1)
        .padStart(
          6,
        )} x    one changed ${(theirs.updateMs / ours.updateMs).toFixed(0).padStart(7)} x    peak ${(
        theirs.peakMb / ours.peakMb
      ).toFixed(1)} x\n`,
    );
  } finally {
    rmSync(dir, { recursive: true });
  }
}

const task = childTask();
const dir = process.argv.at(-1) ?? '';
if (task === 'ours') {
  answer(
    await measure(dir, () => {
      const client = feedClient();
      return (message) => client.feed(message);
    }),
  );
} else if (task === 'theirs') {
  answer(
    await measure(dir, () => {
      const parsing = new NodeClientParsing();
      return (message) => parsing.feed(message);
    }),
  );
} else {
  process.stdout.write(
    'state-of-the-world responses, from bytes to what is known of each resource; one changed: all come again, one is another\n',
  );
  for (const clusters of [1_000, 10_000]) compare(clusters);
}
