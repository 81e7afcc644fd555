import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { brotliCompressSync, brotliDecompressSync } from 'node:zlib';
import type { LoadSeries } from '@/lib/load/load-series';
import type { LoadValues } from '@/lib/load/load-values';
import { splitLoadReport } from '@/lib/load/split-load-report';
import type { ClientState } from '@/lib/observation/client-state';
import { foldObservation, type World } from '@/lib/observation/fold';
import type { Recorded } from '@/lib/observation/observation';
import { type KnownSource, SourceDirectory } from '@/lib/observation/source-directory';
import { RecordingRecords } from '@/server/files/export/recording-records';
import { writeXdscopeFile } from '@/server/files/xdscope-format/write-file';
import { LoadRecorder } from '@/server/live/load/load-recorder';
import type { Body, Emission } from '@/server/observe';
import type { Gap, Pin } from '@/server/store/ranges';
import type { Permalink } from '@/server/store/recorder/recorder';
import { emissionOf } from './builders/recorder-emissions';
import { begin, everyOtherKind, largeClient, loads, manyStreams } from './golden-story';
import { openWholeRecorder } from './open-recorder';
import { ManualClock } from './recorder-manual-clock';
import { tempDataDir } from './recorder-temp-dir';

export const goldenDir = path.join(import.meta.dirname, '../fixtures/version-1');
const permalinkContent = path.join(import.meta.dirname, '../fixtures/permalinks/version-1-graph.json');

/** The expected content of the golden files, computed from the input of the recorder that wrote them. */
export interface GoldenContent {
  readonly observations: readonly Recorded[];
  readonly bodies: readonly (Omit<Body, 'bytes'> & { readonly base64: string })[];
  /** The state of each client after some of its observations. */
  readonly clients: readonly { readonly seq: number; readonly client: unknown }[];
  readonly checkpoint: {
    readonly seq: number;
    readonly clients: readonly unknown[];
    readonly sources: readonly KnownSource[];
  };
  readonly gaps: readonly Gap[];
  readonly pins: readonly Pin[];
  readonly permalinks: readonly Permalink[];
  /** The sorted lines of loadLine(). */
  readonly load: readonly string[];
  readonly exported: { readonly madeBy: string; readonly madeAt: number };
}

export function readGoldenContent(): GoldenContent {
  return JSON.parse(
    brotliDecompressSync(readFileSync(path.join(goldenDir, 'content.json.br'))).toString('utf8'),
  );
}

/** Converts a client state to JSON, which has no Maps. */
export function plainClient({ reports, ...client }: ClientState): unknown {
  const plain = Array.from(reports, ([key, { resources, ...report }]) => ({
    ...{ key, ...report },
    resources: [...resources].sort(([a], [b]) => (a < b ? -1 : 1)),
  }));
  return JSON.parse(JSON.stringify({ ...client, reports: plain }));
}

/** A line for a value of a series of load. */
export function loadLine({ scope, part }: LoadSeries, values: LoadValues): string {
  const { stream: _numbered, ...reported } = scope;
  return JSON.stringify([reported, part, values], (_, each) =>
    typeof each === 'bigint' ? `${each}n` : each,
  );
}

function directoryOf(observations: readonly Recorded[]): SourceDirectory {
  const sources = new SourceDirectory();
  for (const observation of observations) sources.fold(observation);
  return sources;
}

/** Writes the golden files, except the recording, whose format is no longer written. See tests/fixtures/version-1/README.md. */
export async function writeGoldenFiles(): Promise<void> {
  const dataDir = tempDataDir();
  const clock = new ManualClock(begin + 100_000);
  const recorder = await openWholeRecorder({ dataDir, clock, maxQueueBytes: 4_000_000 });
  const observations: Recorded[] = [];
  const bodies = new Map<string, GoldenContent['bodies'][number]>();
  const append = (emissions: readonly Emission[]): Promise<number> => {
    for (const emission of emissions) {
      observations.push({ ...emission.observation, seq: recorder.append(emission) });
      for (const { bytes, ...body } of emission.bodies) {
        bodies.set(body.hash, { ...body, base64: Buffer.from(bytes).toString('base64') });
      }
    }
    return recorder.flushed();
  };
  await append(manyStreams());
  await append(everyOtherKind());
  const { rows, changes } = largeClient();
  await append([rows]);
  await append(changes);
  const gap = await missOne(recorder.append.bind(recorder), append);
  await append([emissionOf(begin + 90_000, 'the last one', 'polled')]);
  const checkpoint = await saveCheckpoint();
  await append([emissionOf(begin + 91_000, 'after the checkpoint', 'polled')]);

  async function saveCheckpoint(): Promise<GoldenContent['checkpoint']> {
    const world = worldAfter(observations, Number.MAX_SAFE_INTEGER);
    const seq = observations.at(-1)?.seq ?? 0;
    const sources = directoryOf(observations);
    await recorder.saveCheckpoint(seq, world.values(), sources.list());
    return { seq, clients: Array.from(world.values(), plainClient), sources: [...sources.list()] };
  }

  const pins: Pin[] = [];
  for (const [clientId, label] of [['web-0', 'of one client'] as const, [null, 'of all clients'] as const]) {
    const range = { from: begin + 1_000, to: begin + 9_000, clientId, label, createdAt: clock.now() };
    const pin = await recorder.pin(range);
    if (pin !== undefined) pins.push(pin);
  }
  const permalink: Permalink = {
    ...{ id: 'golden-permalink-0001', createdAt: clock.now() },
    content: JSON.parse(readFileSync(permalinkContent, 'utf8')),
  };
  await recorder.savePermalink({ ...permalink, hashes: [...bodies.keys()].slice(0, 2) });

  const recorderOfLoad = await LoadRecorder.open({ dataDir, clock });
  const load: string[] = [];
  for (const report of loads()) {
    // Minutes and hours are rolled up meanwhile.
    clock.advance(Math.max(0, report.at - clock.now()));
    await recorderOfLoad.flushed();
    await recorderOfLoad.tidy();
    recorderOfLoad.observe(report);
    const { sourceId, vantage, clientId } = report;
    for (const cluster of report.clusters) {
      const { clusterName, clusterServiceName, intervalMs } = cluster;
      const scope = { sourceId, vantage, clientId, clusterName, clusterServiceName, stream: 0 };
      splitLoadReport(cluster, report.at, (part, values) =>
        load.push(loadLine({ scope: { ...scope, isTimed: intervalMs !== null }, part }, values)),
      );
    }
  }
  await recorderOfLoad.flushed();

  const exported = { madeBy: 'xdscope 0.1.0', madeAt: clock.now() };
  const clientIds = ['web-0', 'web-1', 'web-2', 'web-3', 'polled', 'ads-client', 'large'];
  const records = new RecordingRecords(recorder, recorderOfLoad, {
    ...exported,
    findSource: (id) => directoryOf(observations).find(id),
    clients: clientIds.map((clientId) => ({ clientId, nodeId: clientId, scope: '' })),
    labels: pins.map(({ id: _id, createdAt: _createdAt, ...label }) => label),
  });
  const parts: Buffer[] = [];
  for await (const part of writeXdscopeFile(records.read(), () => records.missingBodies)) parts.push(part);
  await recorderOfLoad.close();
  await recorder.close();

  const content: GoldenContent = {
    ...{ observations, bodies: [...bodies.values()], checkpoint, gaps: [gap], pins },
    clients: clientIds.flatMap((clientId) => clientAfterSome(observations, clientId)),
    ...{ permalinks: [permalink], load: load.sort(), exported },
  };
  mkdirSync(goldenDir, { recursive: true });
  const write = (name: string, bytes: Uint8Array) => writeFileSync(path.join(goldenDir, name), bytes);
  write('recording.xdscope', Buffer.concat(parts));
  write('content.json.br', brotliCompressSync(JSON.stringify(content)));
}

/** The second of two large observations does not fit into the queue. */
async function missOne(
  appendToQueue: (emission: Emission) => number,
  append: (emissions: readonly Emission[]) => Promise<number>,
): Promise<Gap> {
  const large = (at: number): Emission => emissionOf(at, 'x'.repeat(4_000_000), 'polled', 'too-large');
  const [kept, missed] = [emissionOf(begin + 80_000, 'before the gap', 'polled'), large(begin + 80_001)];
  const flushed = append([kept]);
  const seq = appendToQueue(missed);
  await flushed;
  const { at } = missed.observation;
  return { fromSeq: seq, toSeq: seq, fromAt: at, toAt: at, reason: 'more came than could be written' };
}

function worldAfter(observations: readonly Recorded[], seq: number): World {
  const world: World = new Map();
  for (const observation of observations) if (observation.seq <= seq) foldObservation(world, observation);
  return world;
}

/** The moments of the first, a middle and the last observation. */
function clientAfterSome(observations: readonly Recorded[], clientId: string): GoldenContent['clients'] {
  const seqs = observations.flatMap((each) =>
    'clientId' in each && each.clientId === clientId ? [each.seq] : [],
  );
  return [0, 0.5, 1].flatMap((share) => {
    const seq = seqs[Math.floor(share * (seqs.length - 1))] ?? 0;
    const client = worldAfter(observations, seq).get(clientId);
    return client === undefined ? [] : [{ seq, client: plainClient(client) }];
  });
}
