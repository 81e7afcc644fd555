import { foldObservation, type World } from '@/lib/observation/fold';
import type { Recorded } from '@/lib/observation/observation';
import { SourceDirectory } from '@/lib/observation/source-directory';
import { LoadTable } from '@/lib/view-model/load/load-table';
import type { Recorder } from '../recorder/recorder';

export interface RestoredWorld {
  readonly world: World;
  readonly sources: SourceDirectory;
  readonly newestSeq: number;
  readonly load: LoadTable;
  /** The newest observations, oldest first: what the list of events is made of again. */
  readonly recent: readonly Recorded[];
}

const recentObservations = 2_000;
const loadReports = 20_000;

/** Hears of each observation of the tail. */
export interface TailReader {
  replay(observation: Recorded): void;
}

/**
 * What the log holds, after a restart: the newest checkpoint, and the tail folded on top of it. `makeReader` is
 * given the world of the checkpoint; what it makes is given the tail.
 */
export async function restoreWorld<Reader extends TailReader>(
  recorder: Recorder,
  makeReader: (world: World) => Reader,
): Promise<RestoredWorld & { readonly reader: Reader }> {
  const checkpoint = await recorder.loadCheckpoint();
  const world: World = new Map(checkpoint?.clients.map((client) => [client.clientId, client]) ?? []);
  const sources = new SourceDirectory(checkpoint?.sources);
  const reader = makeReader(world);
  let newestSeq = checkpoint?.seq ?? 0;
  for await (const page of recorder.replayAfter(newestSeq)) {
    for (const observation of page) {
      foldObservation(world, observation);
      sources.fold(observation);
      reader.replay(observation);
      newestSeq = observation.seq;
    }
  }
  const [recent, reports] = await Promise.all([
    recorder.readObservations({ limit: recentObservations, order: 'desc' }),
    recorder.readObservations({ kinds: ['load-reported'], limit: loadReports, order: 'desc' }),
  ]);
  const load = new LoadTable();
  for (const report of reports.reverse()) {
    if (report.kind === 'load-reported') load.fold(report);
  }
  return { reader, world, sources, newestSeq, load, recent: recent.reverse() };
}
