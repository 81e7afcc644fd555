import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { errorCodeOf, RecorderError } from '../recorder-error';
import { SqlFile } from './sql-file';

/**
 * Locks the data directory for this process with a kernel lock on an empty SQLite file of its own. The lock ends with
 * the process, and other processes can still read the recording. The pid file serves only for the message.
 */
export function lockDataDir(dataDir: string): { release(): void } {
  const pidFile = path.join(dataDir, 'recorder.pid');
  let lock: SqlFile | undefined;
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    lock = openLock(dataDir, pidFile);
    writeFileSync(pidFile, `${process.pid}\n`);
  } catch (error) {
    lock?.close();
    throw error instanceof RecorderError
      ? error
      : unusable(`data dir ${dataDir}: expected a directory that can be written`, error);
  }
  const held = lock;
  return {
    release() {
      rmSync(pidFile, { force: true });
      held.exec('ROLLBACK');
      held.close();
    },
  };
}

function openLock(dataDir: string, pidFile: string): SqlFile {
  const file = path.join(dataDir, 'recorder.lock');
  let lock: SqlFile | undefined;
  try {
    lock = new SqlFile(file);
    lock.exec('BEGIN EXCLUSIVE');
    return lock;
  } catch (error) {
    lock?.close();
    if (errorCodeOf(error) !== 'SQLITE_BUSY') {
      throw unusable(
        `${file}: expected a file that can be locked`,
        error,
        '; it holds no data and may be removed',
      );
    }
    throw new RecorderError(
      'DATA_DIR_IN_USE',
      `data dir ${dataDir} is in use by another xdscope${readPid(pidFile)}: stop that one, or choose another data dir`,
    );
  }
}

function unusable(expected: string, error: unknown, remedy = ''): RecorderError {
  const rawMessage = error instanceof Error ? error.message : String(error);
  return new RecorderError(
    'DATA_DIR_UNUSABLE',
    `${expected}, got: ${rawMessage}${remedy}`,
    rawMessage,
    error,
  );
}

/** A killed process may have left any content. */
function readPid(pidFile: string): string {
  try {
    const pid = Number.parseInt(readFileSync(pidFile, 'utf8'), 10);
    return Number.isNaN(pid) ? '' : ` (process ${pid})`;
  } catch {
    return '';
  }
}
