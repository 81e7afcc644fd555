import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { errorCodeOf, RecorderError } from '../recorder-error';
import { SqlFile } from './sql-file';

/**
 * Locks the data directory for this process with a kernel lock on an empty SQLite file of its own: the lock ends with
 * the process, and other processes can still read the recording. The pid file is only for the message.
 */
export function lockDataDir(dataDir: string): { release(): void } {
  makeDataDir(dataDir);
  const pidFile = path.join(dataDir, 'recorder.pid');
  const lock = openLock(path.join(dataDir, 'recorder.lock'));
  try {
    lock.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    lock.close();
    if (errorCodeOf(error) !== 'SQLITE_BUSY') throw lockUnusable(path.join(dataDir, 'recorder.lock'), error);
    throw new RecorderError(
      'DATA_DIR_IN_USE',
      `data dir ${dataDir} is in use by another xdscope${readPid(pidFile)}: stop that one, or give another data dir`,
    );
  }
  try {
    writeFileSync(pidFile, `${process.pid}\n`);
  } catch (error) {
    lock.close();
    throw unusable(dataDir, error);
  }
  return {
    release() {
      rmSync(pidFile, { force: true });
      lock.exec('ROLLBACK');
      lock.close();
    },
  };
}

function openLock(file: string): SqlFile {
  try {
    return new SqlFile(file);
  } catch (error) {
    throw lockUnusable(file, error);
  }
}

/** The file has no content, and is created again by the next start. */
function lockUnusable(file: string, error: unknown): RecorderError {
  const rawMessage = error instanceof Error ? error.message : String(error);
  const message = `${file}: expected a file that can be locked, got: ${rawMessage}; it holds no data and may be removed`;
  return new RecorderError('DATA_DIR_UNUSABLE', message, rawMessage, error);
}

function makeDataDir(dataDir: string): void {
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw unusable(dataDir, error);
  }
}

function unusable(dataDir: string, error: unknown): RecorderError {
  const rawMessage = error instanceof Error ? error.message : String(error);
  return new RecorderError(
    'DATA_DIR_UNUSABLE',
    `data dir ${dataDir}: expected a directory that can be written, got: ${rawMessage}`,
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
