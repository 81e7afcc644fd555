import path from 'node:path';
import { LogRecorder } from './log-recorder';
import type { Recorder, RecorderOptions } from './recorder';
import { lockDataDir } from './sqlite/data-dir-lock';
import { RecorderThread } from './thread/recorder-thread';
import { convertVersion1 } from './version-1/convert';

/** Throws a RecorderError of one line if the data directory is in use, unusable, or of another version. */
export async function openRecorder(options: RecorderOptions, workerProgram?: string): Promise<Recorder> {
  const dataDir = path.resolve(options.dataDir);
  const lock = options.isLocked === true ? { release: () => undefined } : lockDataDir(dataDir);
  const file = path.join(dataDir, 'recording.sqlite');
  const thread = new RecorderThread(file, workerProgram);
  try {
    await convertVersion1(file, options.onConversion ?? ignore);
    return new LogRecorder(options, { file, lock, thread, totals: await thread.call('totals') });
  } catch (error) {
    await thread.abandon();
    lock.release();
    throw error;
  }
}

function ignore(): void {}
