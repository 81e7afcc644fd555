import path from 'node:path';
import { LogRecorder, type SharedLogOptions } from './log-recorder';
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

/** Opens the log of a shared store, which other processes write: what is appended must have the seq that it has there. */
export async function openSharedRecorder(
  url: string,
  { isFolder, findReachedSeq, ...options }: RecorderOptions & SharedLogOptions,
): Promise<Recorder> {
  const thread = new RecorderThread(url);
  try {
    const totals = await thread.call('totals');
    const lock = { release: () => undefined };
    return new LogRecorder(options, {
      file: url,
      lock,
      thread,
      totals,
      shared: { isFolder, findReachedSeq },
    });
  } catch (error) {
    await thread.abandon();
    throw error;
  }
}

function ignore(): void {}
