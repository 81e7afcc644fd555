import { existsSync } from 'node:fs';
import { storeFormat } from '../../../store-format';
import { openSqlite } from '../../open-sqlite';
import { type LogStoreOptions, type OpenRecording, openLogStore } from '../log-store';
import { OpenFiles } from '../open-files';
import { RecorderError } from '../recorder-error';
import { assertUndamaged, explain, makeDatabase } from './open-database';

/**
 * Opens or creates a recording. `wasOpen`: this process had the file open before, so it is opened again after a failure and not
 * created. Throws damagedFile(), or a RecorderError whose message is one line and names the file.
 */
export async function openSqliteRecording({
  file,
  wasOpen,
  ...options
}: LogStoreOptions & { readonly file: string; readonly wasOpen: boolean }): Promise<OpenRecording> {
  if (wasOpen && !existsSync(file)) {
    throw new RecorderError('FILE_MISSING', `${file}: expected the file that xdscope opened, found none`);
  }
  if (!wasOpen) assertUndamaged(file, storeFormat);
  try {
    if (!existsSync(file)) makeDatabase(file, storeFormat.applicationId);
    const database = await openSqlite({ file });
    try {
      const operations = await openLogStore(database, options);
      return {
        operations,
        files: new OpenFiles([file, `${file}-wal`, `${file}-shm`]),
        close: () => database.close(),
        abandon: () => database.db.destroy(),
      };
    } catch (error) {
      await database.db.destroy();
      throw error;
    }
  } catch (error) {
    throw explain(file, error);
  }
}
