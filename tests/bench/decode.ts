import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { performance } from 'node:perf_hooks';
import { feedClient } from './fed-client';
import { answer, childTask, inOwnProcess, peakMb } from './in-own-process';
import { measure, median } from './measure';
import {
  clustersResponse,
  deltaClustersResponse,
  deltaEndpointsResponse,
  endpointsResponse,
  type MeshSize,
} from './mesh-responses';
import { NodeClientParsing } from './node-client-parsing';

const rounds = 5;
const sizes = [1_000, 10_000, 30_000];
const endpoints = { min: 2, max: 10 };

interface Took {
  readonly wallMs: number;
  /** The processor's time of all threads, the collector's too: on a busy machine it says more than the clock. */
  readonly cpuMs: number;
}

interface Update extends Took {
  /** Until all but the last chunk were taken in; nothing where a message is handed over whole. */
  readonly comingMs: number;
  /** From the last chunk, or the whole message, to the event of the change. */
  readonly eventMs: number;
}

interface Measured {
  readonly first: Took;
  readonly update: Update;
  /** Of the process when it began, with its code loaded, and the most until the end. */
  readonly idleMb: number;
  readonly peakMb: number;
}

type Feed = (message: Buffer) => Promise<{ changed: number; comingMs: number; eventMs: number }>;

function medianOf<T extends object>(each: readonly T[], ...names: (keyof T)[]): T {
  const medians = names.map((name) => [name, median(each.map((one) => Number(one[name])))]);
  return Object.fromEntries(medians) as T;
}

/** First loads of clients that hold nothing, then updates of the last of them. The first of each warms up. */
async function measureFeed(
  dir: string,
  prefix: string,
  create: () => Feed | Promise<Feed>,
): Promise<Measured> {
  const read = (name: string): Buffer => readFileSync(path.join(dir, `${prefix}${name}`));
  const [clusters, first] = [read('clusters'), read('endpoints-1')];
  const count = Number(readFileSync(path.join(dir, 'count'), 'utf8'));
  const firsts: Took[] = [];
  const updates: Update[] = [];
  let feed = await create();
  const idleMb = process.memoryUsage.rss() / 2 ** 20;
  const expect = async (message: Buffer, expected: number): ReturnType<Feed> => {
    const fed = await feed(message);
    if (fed.changed < expected) throw new Error(`bench: expected ${expected} changes, got ${fed.changed}`);
    return fed;
  };
  for (let round = 0; round <= rounds; round++) {
    feed = await create();
    firsts.push(
      await measure(async () => {
        await expect(clusters, count);
        await expect(first, count);
      }),
    );
  }
  for (let round = 0; round <= rounds; round++) {
    const message = read(`endpoints-${round + 2}`);
    const { result, ...took } = await measure(() => expect(message, 1));
    updates.push({ ...took, ...result });
  }
  return {
    first: medianOf(firsts.slice(1), 'wallMs', 'cpuMs'),
    update: medianOf(updates.slice(1), 'wallMs', 'cpuMs', 'comingMs', 'eventMs'),
    idleMb,
    peakMb: peakMb(),
  };
}

function writeMessages(dir: string, size: MeshSize): number {
  const write = (name: string, message: Buffer | string): void =>
    writeFileSync(path.join(dir, name), message);
  const clusters = clustersResponse(size);
  write('clusters', clusters);
  write('delta-clusters', deltaClustersResponse(size));
  write('count', String(size.clusters));
  for (let version = 1; version <= rounds + 2; version++) {
    write(`endpoints-${version}`, endpointsResponse(size, version));
    write(`delta-endpoints-${version}`, deltaEndpointsResponse(size, version));
  }
  return (clusters.length + endpointsResponse(size).length) / 1e6;
}

const ms = (value: number, digits = 1): string => `${value.toFixed(digits)} ms`;

function print(name: string, first: string, coming: string, event: string, peak: string): void {
  const columns = [first.padStart(18), coming.padStart(10), event.padStart(11), peak.padStart(18)];
  process.stdout.write(`  ${name.padEnd(16)}${columns.join('  ')}\n`);
}

function printMeasured(name: string, { first, update, idleMb, peakMb: peak }: Measured): void {
  print(
    name,
    `${first.wallMs.toFixed(0)} (cpu ${first.cpuMs.toFixed(0)}) ms`,
    ms(update.comingMs),
    ms(update.eventMs, 2),
    `${peak.toFixed(0)} MB (${idleMb.toFixed(0)})`,
  );
}

function compare(clusters: number): void {
  const dir = mkdtempSync(path.join(tmpdir(), 'xdscope-bench-'));
  try {
    const megabytes = writeMessages(dir, { clusters, endpoints });
    process.stdout.write(
      `${clusters} clusters with ${endpoints.min} to ${endpoints.max} endpoints each, ${megabytes.toFixed(1)} MB\n`,
    );
    const ours = inOwnProcess<Measured>('ours', dir);
    printMeasured('xdscope', ours);
    printMeasured('xdscope, delta', inOwnProcess<Measured>('delta', dir));
    const theirs = inOwnProcess<Measured>('theirs', dir);
    printMeasured('grpc-js-xds', theirs);
    const ratio = (each: (of: Measured) => number, digits: number): string =>
      `${(each(theirs) / each(ours)).toFixed(digits)} x`;
    const first = `${ratio((of) => of.first.wallMs, 1)} (cpu ${ratio((of) => of.first.cpuMs, 1)})`;
    const all = ratio((of) => of.update.comingMs + of.update.eventMs, 0);
    print(
      'ratio, whole',
      first,
      `(${all})`,
      ratio((of) => of.update.eventMs, 0),
      ratio((of) => of.peakMb, 1),
    );
  } finally {
    rmSync(dir, { recursive: true });
  }
}

const task = childTask();
const dir = process.argv.at(-1) ?? '';
if (task === 'ours' || task === 'delta') {
  const isDelta = task === 'delta';
  const transport = isDelta ? 'delta-ads' : 'ads';
  answer(await measureFeed(dir, isDelta ? 'delta-' : '', async () => (await feedClient(transport)).feed));
} else if (task === 'theirs') {
  const create = (): Feed => {
    const parsing = new NodeClientParsing();
    return async (message) => {
      const begunAt = performance.now();
      const changed = parsing.feed(message);
      return { changed, comingMs: 0, eventMs: performance.now() - begunAt };
    };
  };
  answer(await measureFeed(dir, '', create));
} else {
  process.stdout.write(
    [
      'responses, from bytes to what is known of each resource; then one is another, and in state of the world all come again',
      'one changed: while it comes in, in chunks of 16 KiB; from the last chunk to the event of the change',
      'grpc-js-xds begins when it has the whole message, and is measured without streams, requests and watchers;',
      'xdscope is measured as a whole, without its connection',
      '',
    ].join('\n'),
  );
  print('', 'first load', 'coming in', 'to event', 'peak (before)');
  for (const clusters of sizes) compare(clusters);
}
