import { existsSync } from 'node:fs';
import { OpenFiles } from '../open-files';
import { RecorderError } from '../recorder-error';
import type { LogStorage } from '../storage/log-storage';
import { sqliteBlocks, sqliteChunks } from './blocks';
import { SqliteBodies } from './bodies';
import { sqliteCheckpoints } from './checkpoints';
import { sqliteGaps } from './gaps';
import { logFormat } from './log-schema';
import { openDatabase } from './open-database';
import { sqlitePermalinks } from './permalinks';
import { sqlitePins } from './pins';
import { sqliteSnapshots } from './snapshots';
import { SqlFile } from './sql-file';

/**
 * Opens or creates a recording. Errors of `load`, which reads what is needed at the start, are reported like those of
 * opening: as damagedFile(), or as a RecorderError whose message is one line.
 */
export function openSqliteLog<T>(file: string, wasOpen: boolean, load: (storage: LogStorage) => T): T {
  return openDatabase({ file, wasOpen, format: logFormat }, (sql) => load(storageOf(sql, file)));
}

/** Opens a read-only connection. Precondition: the recorder has opened the recording. */
export function openSqliteLogToRead(file: string): LogStorage {
  // SQLite would create a missing file.
  if (!existsSync(file)) throw new RecorderError('FILE_MISSING', `${file}: expected a recording, found none`);
  const sql = new SqlFile(file);
  sql.exec('PRAGMA query_only = ON');
  sql.all('PRAGMA busy_timeout = 5000');
  return storageOf(sql, file);
}

function storageOf(sql: SqlFile, file: string): LogStorage {
  const files = new OpenFiles([file, `${file}-wal`, `${file}-shm`]);
  const bodies = new SqliteBodies(sql);
  sql.onRollback = () => bodies.forgetLeases();
  return {
    blocks: sqliteBlocks(sql),
    chunks: sqliteChunks(sql),
    bodies,
    checkpoints: sqliteCheckpoints(sql),
    snapshots: sqliteSnapshots(sql),
    gaps: sqliteGaps(sql),
    pins: sqlitePins(sql),
    permalinks: sqlitePermalinks(sql),
    transaction: (work) => sql.transaction(work),
    snapshot: (work) => sql.snapshot(work),
    version: () => sql.number('SELECT data_version AS n FROM pragma_data_version') ?? 0,
    size: () => sql.size(),
    shrink: (pages) => sql.shrink(pages) > 0,
    assertInPlace: () => files.assertInPlace(),
    close: () => sql.closeWhole(),
    abandon: () => sql.close(),
  };
}
