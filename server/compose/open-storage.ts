import type { Config } from '../config/config';
import { prepareDataDir } from '../data-dir';
import { dropRemovedFiles } from '../files/import/imports';
import { openForWeb } from '../forwarding/open-shared-store';
import { SharedLoads } from '../forwarding/shared-loads';
import type { FleetHolding } from '../live/held-clients';
import type { LoadReader } from '../live/load/load-reader';
import type { LoadRecorder } from '../live/load/load-recorder';
import { keepAllLoad } from '../live/load/load-retention';
import { RemovedSources } from '../live/removed-sources';
import { log } from '../logger';
import type { Clock } from '../observe';
import { readRedactionKey } from '../redaction-key';
import { SavedSources } from '../sources/saved-sources';
import { finishRestore } from '../store/backup/restore';
import type { RecorderOptions } from '../store/recorder/recorder';
import { lockDataDir } from '../store/recorder/sqlite/data-dir-lock';
import { convertStateFiles, oldStateFiles } from './convert-state-files';
import { openLoad, openRecording, openSharedLog, openStateFile } from './open-recording';
import { openKeptState, openSharedState } from './open-state';

export type Storage = Awaited<ReturnType<typeof openStorage>>;

/** Locks the data directory, opens the state, the log and the load file, and restores their content. */
export async function openStorage(
  config: Config,
  clock: Clock,
  onStateChange: NonNullable<RecorderOptions['onStateChange']>,
) {
  prepareDataDir(config.dataDir);
  const lock = lockDataDir(config.dataDir);
  const opened: (() => Promise<void>)[] = [async () => lock.release()];
  const close = (): Promise<void> =>
    opened.splice(0).reduceRight((earlier, each) => earlier.finally(each), Promise.resolve());
  try {
    finishRestore(config.dataDir, oldStateFiles);
    return { ...(await openAll(config, clock, onStateChange, opened)), close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function openAll(
  config: Config,
  clock: Clock,
  onStateChange: NonNullable<RecorderOptions['onStateChange']>,
  opened: (() => Promise<void>)[],
) {
  const { dataDir, setAsideDamaged } = config;
  /** Sentences about files and values that were changed or damaged. */
  const changedFiles: string[] = [];
  const report = (remark: string): void => {
    changedFiles.push(remark);
    log('warn', 'storage', remark);
  };
  const { state, setAside: stateSetAside } = await openStateFile(
    { dataDir, setAsideDamaged, onDamage: report },
    clock.now(),
  );
  opened.push(() => state.close());
  for (const remark of await convertStateFiles(dataDir, state)) report(remark);
  const kept = await openKeptState(state);
  const { key: redactionKey, changed } = await readRedactionKey(dataDir, kept.redactionKey);
  if (changed !== undefined) report(changed);
  const { store } = config;
  const shared = store === null ? undefined : await openForWeb(store, kept.redactionKey.value.sha256);
  if (shared !== undefined) opened.push(() => shared.database.close());
  const isAlone = shared === undefined;
  const holding: FleetHolding = { isWhole: isAlone, isFolder: isAlone, reachedSeq: 0, progress: '' };
  const options = { dataDir, clock, setAsideDamaged };
  const isFolder = (): boolean => holding.isFolder;
  const url = shared && store?.url;
  const recording = await openLog(url, {
    ...{
      ...options,
      state: shared?.state ?? state,
      isLocked: true,
      retention: config.retention,
      onStateChange,
    },
    maxPermalinks: config.maxPermalinks,
    onDamage: (message) => log('error', 'recorder', message),
    onConversion: (sentence) => log('info', 'recorder', sentence),
    isFolder,
    findReachedSeq: () => holding.reachedSeq,
  });
  const { recorder, nodeChanges, restored } = recording;
  opened.push(() => recorder.close());
  const savedSources = new SavedSources(kept.sources, config.credentials);
  // The files of a temporary data directory may be of any age.
  const retention = config.isTemporary ? keepAllLoad : undefined;
  const {
    loads,
    loadRecorder,
    sharedLoads,
    setAside: loadSetAside,
  } = await openLoads(url, { ...options, retention, isFolder });
  opened.push(() => loads.close());
  dropRemovedFiles(restored, kept.imports.value);
  return {
    ...{
      shared,
      holding,
      clock,
      state,
      kept: shared === undefined ? kept : { ...kept, ...(await openSharedState(shared.state)) },
      recorder,
      loads,
      loadRecorder,
      sharedLoads,
      nodeChanges,
      restored,
      savedSources,
      redactionKey,
    },
    ...{ removedSources: new RemovedSources(kept.removedSources), changedFiles },
    /** Sentences about files that were damaged at the start and set aside. */
    setAside: [stateSetAside, recording.setAside, loadSetAside].filter((done) => done !== null),
    /** Resolves when all observations so far are on disk, or are missed while recording is stopped. */
    async flushed(): Promise<void> {
      await Promise.allSettled([recorder.flushed()]);
    },
    keepPace: recorder.keepPace.bind(recorder),
  };
}

/** Opens the load that this process records or, with `url`, that of a shared store. */
async function openLoads(
  url: string | undefined,
  { isFolder, ...options }: Parameters<typeof openLoad>[0] & { readonly isFolder: () => boolean },
): Promise<{
  readonly loads: LoadReader;
  readonly loadRecorder?: LoadRecorder;
  readonly sharedLoads?: SharedLoads;
  readonly setAside: string | null;
}> {
  if (url !== undefined) {
    const sharedLoads = new SharedLoads({ clock: options.clock, url, isFolder });
    return { loads: sharedLoads, sharedLoads, setAside: null };
  }
  const { loads, setAside } = await openLoad(options);
  return { loads, loadRecorder: loads, setAside };
}

/** Opens the recording of this process or, with `url`, the log of a shared store. */
function openLog(
  url: string | undefined,
  options: Parameters<typeof openRecording>[0] & Parameters<typeof openSharedLog>[1],
) {
  return url === undefined ? openRecording(options) : openSharedLog(url, options);
}
