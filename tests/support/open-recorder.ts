import { systemClock } from '@/server/observe';
import { openRecorder } from '@/server/store/recorder/open-recorder';
import type { Recorder, RecorderOptions } from '@/server/store/recorder/recorder';
import { tempDataDir } from './recorder-temp-dir';

/** A recorder that deletes nothing; by default with the clock of the machine, in a directory of its own. */
export function openWholeRecorder(options: Partial<RecorderOptions> = {}): Promise<Recorder> {
  const retention = { maxAgeMs: Number.MAX_SAFE_INTEGER, maxBytes: Number.MAX_SAFE_INTEGER };
  return openRecorder({ dataDir: tempDataDir(), clock: systemClock, retention, ...options });
}
