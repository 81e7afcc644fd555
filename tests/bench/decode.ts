import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { performance } from 'node:perf_hooks';
import { type Feed, feedClient } from './fed-client';
import { answer, childTask, inOwnProcess, peakMb } from './in-own-process';
import { measure, median, print, tempDir } from './measure';
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
  readonly cpuMs: number;
}

interface Update extends Took {
  /** The time until all but the last chunk were processed; 0 if a message is processed as a whole. */
  readonly comingMs: number;
  /** The time from the last chunk, or from the whole message, to the event of the change. */
  readonly eventMs: number;
}

interface Measured {
  readonly first: Took;
  readonly update: Update;
  /** Resident memory with the code loaded, and the peak. */
  readonly idleMb: number;
  readonly peakMb: number;
}

function medianOf<T extends object>(each: readonly T[], ...names: (keyof T)[]): T {
  const medians = names.map((name) => [name, median(each.map((one) => Number(one[name])))]);
  return Object.fromEntries(medians) as T;
}

/** Measures first loads of new clients, then updates of the last client. The first round of each is not counted. */
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

function printRow(name: string, first: string, coming: string, event: string, peak: string): void {
  const columns = [first.padStart(18), coming.padStart(10), event.padStart(11), peak.padStart(18)];
  print(`  ${name.padEnd(16)}${columns.join('  ')}`);
}

function measureIn(task: string, name: string, dir: string): Measured {
  const measured = inOwnProcess<Measured>(task, dir);
  const { first, update, idleMb, peakMb: peak } = measured;
  printRow(
    name,
    `${first.wallMs.toFixed(0)} (cpu ${first.cpuMs.toFixed(0)}) ms`,
    ms(update.comingMs),
    ms(update.eventMs, 2),
    `${peak.toFixed(0)} MB (${idleMb.toFixed(0)})`,
  );
  return measured;
}

function compare(clusters: number): void {
  const dir = tempDir();
  const megabytes = writeMessages(dir, { clusters, endpoints });
  print(
    `${clusters} clusters with ${endpoints.min} to ${endpoints.max} endpoints each, ${megabytes.toFixed(1)} MB`,
  );
  const ours = measureIn('ours', 'xdscope', dir);
  measureIn('delta', 'xdscope, delta', dir);
  const theirs = measureIn('theirs', 'grpc-js-xds', dir);
  const ratio = (each: (of: Measured) => number, digits: number): string =>
    `${(each(theirs) / each(ours)).toFixed(digits)} x`;
  printRow(
    'ratio, whole',
    `${ratio((of) => of.first.wallMs, 1)} (cpu ${ratio((of) => of.first.cpuMs, 1)})`,
    `(${ratio((of) => of.update.comingMs + of.update.eventMs, 0)})`,
    ratio((of) => of.update.eventMs, 0),
    ratio((of) => of.peakMb, 1),
  );
}

const task = childTask();
const dir = process.argv.at(-1) ?? '';
if (task === 'ours' || task === 'delta') {
  const isDelta = task === 'delta';
  const transport = isDelta ? 'delta-ads' : 'ads';
  answer(await measureFeed(dir, isDelta ? 'delta-' : '', () => feedClient(transport)));
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
  print(
    'Responses, from their bytes to the observations of their resources; then a response with one changed',
  );
  print(
    'resource (state of the world sends all again): while it arrives in chunks of 16 KiB, and from the last',
  );
  print(
    'chunk to the event of the change. grpc-js-xds begins with the whole message, and is measured without',
  );
  print('streams, requests and watchers; xdscope is measured as a whole, without its connection.');
  printRow('', 'first load', 'coming in', 'to event', 'peak (before)');
  for (const clusters of sizes) compare(clusters);
}
