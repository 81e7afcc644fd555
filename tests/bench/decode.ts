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

interface Took {
  readonly wallMs: number;
  /** The processor's time of all threads, the collector's too: on a busy machine it says more than the clock. */
  readonly cpuMs: number;
}

interface Measured {
  readonly first: Took;
  readonly update: Took;
  /** Of the process when it began, with its code loaded, and the most until the end. */
  readonly idleMb: number;
  readonly peakMb: number;
}

const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

const medianOf = (each: readonly Took[]): Took => ({
  wallMs: median(each.map(({ wallMs }) => wallMs)),
  cpuMs: median(each.map(({ cpuMs }) => cpuMs)),
});

async function timed(work: () => unknown): Promise<Took> {
  const startedAt = performance.now();
  const cpuBefore = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(cpuBefore);
  return { wallMs: performance.now() - startedAt, cpuMs: (user + system) / 1_000 };
}

/** First loads of clients that hold nothing, then updates of the last of them. The first of each warms up. */
async function measure(
  dir: string,
  create: () => (message: Buffer) => number | Promise<number>,
): Promise<Measured> {
  const read = (name: string): Buffer => readFileSync(path.join(dir, name));
  const [clusters, first] = [read('clusters'), read('endpoints-1')];
  const count = Number(readFileSync(path.join(dir, 'count'), 'utf8'));
  const firsts: Took[] = [];
  const updates: Took[] = [];
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
    first: medianOf(firsts.slice(1)),
    update: medianOf(updates.slice(1)),
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

function line(name: string, what: string, first: string, update: string, peak = ''): string {
  return `  ${name.padEnd(12)} ${what.padEnd(9)} first load ${first.padStart(8)}   one changed ${update.padStart(9)}${peak}`;
}

function linesOf(name: string, { first, update, idleMb: idle, peakMb: peak }: Measured): string[] {
  const ms = (value: number, digits: number): string => `${value.toFixed(digits)} ms`;
  return [
    line(
      name,
      'wall time',
      ms(first.wallMs, 0),
      ms(update.wallMs, 1),
      `   peak ${peak.toFixed(0).padStart(5)} MB (${idle.toFixed(0)} before)`,
    ),
    line('', 'cpu time', ms(first.cpuMs, 0), ms(update.cpuMs, 1)),
  ];
}

function ratioLines(ours: Measured, theirs: Measured): string[] {
  const ratio = (each: (of: Measured) => number, digits: number): string =>
    `${(each(theirs) / each(ours)).toFixed(digits)} x `;
  const peak = `   peak ${ratio((of) => of.peakMb, 1).padStart(8)}`;
  return [
    line(
      'ratio',
      'wall time',
      ratio((of) => of.first.wallMs, 1),
      ratio((of) => of.update.wallMs, 0),
      peak,
    ),
    line(
      '',
      'cpu time',
      ratio((of) => of.first.cpuMs, 1),
      ratio((of) => of.update.cpuMs, 0),
    ),
  ];
}

function compare(clusters: number): void {
  const dir = mkdtempSync(path.join(tmpdir(), 'xdscope-bench-'));
  try {
    const megabytes = writeMessages(dir, { clusters, endpoints });
    const ours = inOwnProcess<Measured>('ours', dir);
    const theirs = inOwnProcess<Measured>('theirs', dir);
    process.stdout.write(
      [
        `${clusters} clusters with ${endpoints.min} to ${endpoints.max} endpoints each, ${megabytes.toFixed(1)} MB`,
        ...linesOf('xdscope', ours),
        ...linesOf('grpc-js-xds', theirs),
        ...ratioLines(ours, theirs),
        '',
      ].join('\n'),
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
