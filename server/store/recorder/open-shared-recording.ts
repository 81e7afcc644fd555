import { openPostgres } from '../open-postgres';
import { type LogStoreOptions, type OpenRecording, openLogStore } from './log-store';
import { OpenFiles } from './open-files';

/** One operation at a time uses it; a transaction of it may need a second one. */
const maxConnections = 2;

/** Opens the log of a PostgreSQL that other processes write, for the thread of the recorder. */
export async function openSharedRecording(url: string, options: LogStoreOptions): Promise<OpenRecording> {
  const database = await openPostgres({ url, maxConnections });
  const close = (): Promise<void> => database.close();
  try {
    const operations = await openLogStore(database, { ...options, isShared: true });
    return { operations, files: new OpenFiles([]), close, abandon: close };
  } catch (error) {
    await close();
    throw error;
  }
}
