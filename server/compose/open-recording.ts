import path from 'node:path';
import { foldObservation, type World } from '@/lib/observation/fold';
import type { Recorded } from '@/lib/observation/observation';
import { SourceDirectory } from '@/lib/observation/source-directory';
import { LoadTable } from '@/lib/views/load/load-table';
import { problemsPrefix } from '../files/import/imports';
import { importsEntry } from '../files/import/saved-imports';
import { collectorEntry } from '../forwarding/collector-entry';
import { leaseTermsEntry } from '../forwarding/source-leases';
import { NodeWatcher } from '../live/fleet/node-watcher';
import { nodeChangesEntry, SavedNodeChanges } from '../live/fleet/saved-node-changes';
import { LoadRecorder, type LoadRecorderOptions } from '../live/load/load-recorder';
import { removedSourcesEntry } from '../live/removed-sources';
import { log } from '../logger';
import type { SharedLogOptions } from '../store/recorder/log-recorder';
import { openRecorder, openSharedRecorder } from '../store/recorder/open-recorder';
import { isDamaged, type Recorder, type RecorderOptions } from '../store/recorder/recorder';
import { setAside } from '../store/recorder/sqlite/set-aside';
import type { StateStore } from '../store/state';
import { streamEndsEntry } from './end-lost-streams';
import { openState, stateFile } from './open-state';

interface SetAsideOptions {
  /** The option --set-aside-damaged: damaged files are replaced by empty ones. Otherwise the damage is thrown. */
  readonly setAsideDamaged: boolean;
}

/** These parts of the state refer to the log, and are set aside with it. */
const besideTheLog = [
  ...[importsEntry.key, problemsPrefix.slice(0, -1), nodeChangesEntry.key],
  ...[removedSourcesEntry.key, streamEndsEntry.key, collectorEntry.key],
  leaseTermsEntry.key,
];

/** Opens the state. `setAside` is a sentence about damage, or null if there was none. */
export function openStateFile(
  options: SetAsideOptions & { readonly dataDir: string; readonly onDamage: (message: string) => void },
  at: number,
) {
  const file = path.join(options.dataDir, stateFile);
  return orSetAside(options, file, at, async () => ({ state: await openState(options) }));
}

/** Opens the recorder and restores its state. `setAside` is a sentence about damage, or null if there was none. */
export async function openRecording(
  options: RecorderOptions & SetAsideOptions & { readonly state: StateStore },
) {
  const { dataDir, clock, state } = options;
  const file = path.join(dataDir, 'recording.sqlite');
  const open = async () => {
    let isOpen = false;
    // Damage during the start ends the start, or the file is set aside.
    const onDamage = (message: string): void => {
      if (isOpen) options.onDamage?.(message);
    };
    const recorder = await openRecorder({ ...options, onDamage });
    try {
      const nodeChanges = new SavedNodeChanges(state);
      const kept = await nodeChanges.read();
      const world = await restoreWorld(recorder, (before) => new NodeWatcher(before, kept));
      const restored = { ...world, load: await restoreLoad(recorder), recent: await readRecent(recorder) };
      isOpen = true;
      return { recorder, nodeChanges, restored };
    } catch (error) {
      await abandon(recorder);
      throw error;
    }
  };
  return orSetAside(options, file, clock.now(), open, () => state.setAside(besideTheLog));
}

/**
 * Opens the log of a shared store for a web process, which begins without clients: with the sources that the log declares, and at
 * the newest observation.
 */
export async function openSharedLog(
  url: string,
  { state, ...options }: RecorderOptions & SharedLogOptions & { readonly state: StateStore },
) {
  const recorder = await openSharedRecorder(url, options);
  try {
    const { newestSeq } = recorder.stats();
    const world: World = new Map();
    const restored = {
      ...{ world, newestSeq, sources: await restoreSources(recorder), load: await restoreLoad(recorder) },
      ...{ recent: [], reader: new NodeWatcher(world) },
    };
    return { recorder, nodeChanges: new SavedNodeChanges(state), restored, setAside: null };
  } catch (error) {
    await abandon(recorder);
    throw error;
  }
}

async function restoreSources(recorder: Recorder): Promise<SourceDirectory> {
  const checkpoint = await recorder.findSources();
  const sources = new SourceDirectory(checkpoint?.sources);
  const kinds = ['source-declared'] as const;
  for (let afterSeq = checkpoint?.seq ?? 0; ; ) {
    const page = await recorder.readObservations({ afterSeq, kinds, limit: 500, order: 'asc' });
    for (const observation of page) {
      sources.fold(observation);
      afterSeq = observation.seq;
    }
    if (page.length === 0) return sources;
  }
}

export function openLoad(options: LoadRecorderOptions & SetAsideOptions) {
  const { dataDir, clock } = options;
  return orSetAside(options, path.join(dataDir, 'load.sqlite'), clock.now(), async () => ({
    loads: await LoadRecorder.open(options),
  }));
}

async function orSetAside<T>(
  { setAsideDamaged }: SetAsideOptions,
  file: string,
  at: number,
  open: () => Promise<T>,
  setOthersAside: () => Promise<void> = () => Promise.resolve(),
): Promise<T & { readonly setAside: string | null }> {
  try {
    return { ...(await open()), setAside: null };
  } catch (error) {
    if (!setAsideDamaged || !isDamaged(error)) throw error;
    // The file is last: until it is renamed, the next start does this again.
    await setOthersAside();
    const done = setAside(file, error.rawMessage, at);
    log('warn', 'recorder', done);
    return { ...(await open()), setAside: done };
  }
}

/** A failure to close is not reported, because the error that ended the start is the one to report. */
async function abandon(recorder: Recorder): Promise<void> {
  await Promise.allSettled([recorder.close()]);
}

interface RestoredWorld {
  readonly world: World;
  readonly sources: SourceDirectory;
  readonly newestSeq: number;
}

const recentObservations = 2_000;
const loadReports = 20_000;

export type RestoreProgress = { readonly clients: number } | { readonly seq: number };

interface TailReader {
  replay(observation: Recorded): void;
}

/**
 * Restores the state after a restart: the newest checkpoint, and the tail that is folded on top of it. `makeReader`
 * gets the world of the checkpoint; its result gets each observation of the tail. `onProgress` is called with the clients that were read from
 * the checkpoint, then with the newest seq that was folded.
 */
export async function restoreWorld<Reader extends TailReader>(
  recorder: Recorder,
  makeReader: (world: World) => Reader,
  onProgress: (read: RestoreProgress) => void = () => undefined,
): Promise<RestoredWorld & { readonly reader: Reader }> {
  const checkpoint = await recorder.loadCheckpoint((clients) => onProgress({ clients }));
  const world: World = new Map(checkpoint?.clients.map((client) => [client.clientId, client]) ?? []);
  const sources = new SourceDirectory(checkpoint?.sources);
  const reader = makeReader(world);
  const restored = { reader, world, sources, newestSeq: checkpoint?.seq ?? 0 };
  return { ...restored, newestSeq: await foldTail(recorder, restored, onProgress) };
}

/** Folds what was recorded after `newestSeq`, and returns the newest seq then. MUTATES world, sources and reader. */
export async function foldTail(
  recorder: Pick<Recorder, 'replayAfter'>,
  { reader, world, sources, newestSeq }: RestoredWorld & { readonly reader: TailReader },
  onProgress: (read: RestoreProgress) => void = () => undefined,
): Promise<number> {
  let seq = newestSeq;
  for await (const page of recorder.replayAfter(seq)) {
    onProgress({ seq });
    for (const observation of page) {
      foldObservation(world, observation);
      sources.fold(observation);
      reader.replay(observation);
      seq = observation.seq;
    }
  }
  return seq;
}

/** Returns the newest observations, oldest first, from which the list of events is restored. */
export async function readRecent(recorder: Pick<Recorder, 'readObservations'>): Promise<Recorded[]> {
  return (await recorder.readObservations({ limit: recentObservations, order: 'desc' })).reverse();
}

async function restoreLoad(recorder: Pick<Recorder, 'readObservations'>): Promise<LoadTable> {
  const kinds = ['load-reported'] as const;
  const reports = await recorder.readObservations({ kinds, limit: loadReports, order: 'desc' });
  const load = new LoadTable();
  for (const report of reports.reverse()) {
    if (report.kind === 'load-reported') load.fold(report);
  }
  return load;
}
