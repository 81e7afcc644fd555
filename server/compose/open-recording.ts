import path from 'node:path';
import { NodeChangesFile } from '../fleet/node-changes-file';
import { NodeWatcher } from '../fleet/node-watcher';
import { removedSourcesFile } from '../live/removed-sources-file';
import { log } from '../logger';
import { LoadRecorder, type LoadRecorderOptions } from '../recorder/load/load-recorder';
import { openRecorder } from '../recorder/open-recorder';
import { isDamaged, type Recorder, type RecorderOptions } from '../recorder/recorder';
import { setAside } from '../recorder/sqlite/set-aside';
import { restoreWorld } from './restore-world';

interface SetAsideOptions {
  /** Of --set-aside-damaged: what is damaged is renamed and begun anew; else it is thrown. */
  readonly setAsideDamaged: boolean;
}

/** These say of the log what it no longer says once it is begun anew. */
const besideTheLog = ['imports.json', 'node-changes.ndjson.gz', removedSourcesFile, 'stream-ends.json'];

/** The recorder and what it holds. `setAside`: in words what was damaged; null: nothing was. */
export async function openRecording(options: RecorderOptions & SetAsideOptions) {
  const { dataDir, clock } = options;
  const others = besideTheLog.map((name) => path.join(dataDir, name));
  return orSetAside(options, path.join(dataDir, 'recording.sqlite'), others, clock.now(), async () => {
    let isOpen = false;
    // Until then it ends the start, or is set aside.
    const onDamage = (message: string): void => {
      if (isOpen) options.onDamage?.(message);
    };
    const recorder = await openRecorder({ ...options, onDamage });
    try {
      const nodeChanges = new NodeChangesFile(path.join(dataDir, 'node-changes.ndjson.gz'));
      const kept = await nodeChanges.read();
      const restored = await restoreWorld(recorder, (world) => new NodeWatcher(world, kept));
      isOpen = true;
      return { recorder, nodeChanges, restored };
    } catch (error) {
      await abandon(recorder);
      throw error;
    }
  });
}

/** The recorder of load, opened in the same way. */
export function openLoad(options: LoadRecorderOptions & SetAsideOptions) {
  const { dataDir, clock } = options;
  return orSetAside(options, path.join(dataDir, 'load.sqlite'), [], clock.now(), async () => ({
    loads: await LoadRecorder.open(options),
  }));
}

async function orSetAside<T>(
  { setAsideDamaged }: SetAsideOptions,
  file: string,
  others: readonly string[],
  at: number,
  open: () => Promise<T>,
): Promise<T & { readonly setAside: string | null }> {
  try {
    return { ...(await open()), setAside: null };
  } catch (error) {
    if (!setAsideDamaged || !isDamaged(error)) throw error;
    const done = setAside(file, others, error.rawMessage, at);
    log('warn', 'recorder', done);
    return { ...(await open()), setAside: done };
  }
}

/** What it cannot write any more is nobody's: the error that ended the start is the one to report. */
async function abandon(recorder: Recorder): Promise<void> {
  await Promise.allSettled([recorder.close()]);
}
