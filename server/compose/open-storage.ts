import { acceptFiles, findChangedFiles } from '../checked-files';
import type { Config } from '../config/config';
import { prepareDataDir } from '../data-dir';
import { dropRemovedFiles } from '../files/import/imports';
import { SavedImports } from '../files/import/saved-imports';
import { RemovedSourcesFile } from '../live/removed-sources-file';
import { log } from '../logger';
import type { Clock } from '../observe';
import { keepAllLoad } from '../recorder/load/load-retention';
import type { RecorderOptions } from '../recorder/recorder';
import { readRedactionKey } from '../redaction-key';
import { SavedSourcesFile } from '../sources/saved-sources';
import { openLoad, openRecording } from './open-recording';

export type Storage = Awaited<ReturnType<typeof openStorage>>;

/** Opens the log, the load file and the other files of the data directory, and restores their state. */
export async function openStorage(
  config: Config,
  clock: Clock,
  onStateChange: NonNullable<RecorderOptions['onStateChange']>,
) {
  prepareDataDir(config.dataDir);
  const changedFiles = findChangedFiles(config.dataDir);
  for (const changed of changedFiles) log('warn', 'storage', changed);
  const savedFile = new SavedSourcesFile(config.dataDir, config.credentials);
  const savedSources = savedFile.read();
  const options = { dataDir: config.dataDir, clock, setAsideDamaged: config.setAsideDamaged };
  const recording = await openRecording({
    ...options,
    retention: config.retention,
    maxPermalinks: config.maxPermalinks,
    onDamage: (message) => log('error', 'recorder', message),
    onStateChange,
  });
  const { recorder, nodeChanges, restored } = recording;
  // The files of a temporary data directory may be of any age.
  const retention = config.isTemporary ? keepAllLoad : undefined;
  const { loads, setAside: loadSetAside } = await openLoad({ ...options, retention });
  const savedImports = new SavedImports(config.dataDir);
  dropRemovedFiles(restored, savedImports.read());
  const redactionKey = readRedactionKey(config.dataDir);
  const removedSources = new RemovedSourcesFile(config.dataDir);
  acceptFiles(config.dataDir);
  return {
    ...{ clock, recorder, loads, nodeChanges, restored, savedFile, savedSources, savedImports },
    ...{ redactionKey, removedSources },
    /** Sentences about files that something else changed before the start. */
    changedFiles,
    /** Sentences about files that were damaged at the start and set aside. */
    setAside: [recording.setAside, loadSetAside].filter((done) => done !== null),
    /** Resolves when all observations so far are on disk, or are missed while recording is stopped. */
    async flushed(): Promise<void> {
      await Promise.allSettled([recorder.flushed()]);
    },
    keepPace: recorder.keepPace.bind(recorder),
    openBodyChannel: recorder.openBodyChannel.bind(recorder),
  };
}
