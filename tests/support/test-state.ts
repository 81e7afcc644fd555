import path from 'node:path';
import { KeptValue, type StateEntry } from '@/server/store/kept-value';
import { openSqlite } from '@/server/store/open-sqlite';
import { StateStore } from '@/server/store/state';
import { tempDataDir } from './recorder-temp-dir';

const opened = new Map<string, Promise<StateStore>>();

/** The state of a data directory. It is opened once, because SQLite has one writer. Damage fails the test. */
export async function openTestState(dataDir = tempDataDir()): Promise<StateStore> {
  const known = opened.get(dataDir) ?? open(dataDir);
  opened.set(dataDir, known);
  return known;
}

export async function openKept<T>(entry: StateEntry<T>, dataDir = tempDataDir()): Promise<KeptValue<T>> {
  return KeptValue.open(await openTestState(dataDir), entry);
}

async function open(dataDir: string): Promise<StateStore> {
  const database = await openSqlite({ file: path.join(dataDir, 'state.sqlite') });
  return new StateStore({
    database,
    onDamage: (message) => {
      throw new Error(message);
    },
  });
}
