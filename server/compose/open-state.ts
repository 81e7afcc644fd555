import { existsSync } from 'node:fs';
import path from 'node:path';
import { descriptorSetsEntry } from '../answers/descriptor-sets/saved-descriptor-sets';
import { importsEntry } from '../files/import/saved-imports';
import { alertsEntry } from '../live/alerts/issue-alerts';
import { conditionsEntry } from '../live/issues/known-conditions';
import { loadErrorsEntry, requestErrorsEntry } from '../live/issues/known-errors';
import { mutesEntry } from '../live/issues/mutes';
import { removedSourcesEntry } from '../live/removed-sources';
import { redactionKeyEntry } from '../redaction-key';
import { sourcesEntry } from '../sources/saved-sources';
import { KeptValue } from '../store/kept-value';
import { openSqlite } from '../store/open-sqlite';
import { damagedFile } from '../store/recorder/damaged-file';
import { OpenFiles } from '../store/recorder/open-files';
import { assertUndamaged, explain, makeDatabase } from '../store/recorder/sqlite/open-database';
import { StateStore } from '../store/state';
import { storeFormat } from '../store-format';
import { streamEndsEntry } from './end-lost-streams';

interface StateOptions {
  readonly dataDir: string;
  /** The option --set-aside-damaged: values without which xdscope would observe or show less are set aside as well. */
  readonly setAsideDamaged: boolean;
  /** Called with a sentence about a value that was set aside. */
  readonly onDamage: (message: string) => void;
}

export const stateFile = 'state.sqlite';
/** If one of these values is missing, sources are not observed, or imported clients not shown. */
const requiredKeys: readonly string[] = [sourcesEntry.key, importsEntry.key, descriptorSetsEntry.key];

/**
 * Opens or creates `state.sqlite` of the data directory. It is a file of its own, because SQLite has one writer for each
 * file: a change of the state does not wait for a batch of the log. Throws what openDatabase() throws. Precondition: the
 * directory is locked.
 */
export async function openState({ dataDir, setAsideDamaged, onDamage }: StateOptions): Promise<StateStore> {
  const file = path.join(dataDir, stateFile);
  assertUndamaged(file, storeFormat);
  try {
    if (!existsSync(file)) makeDatabase(file, storeFormat.applicationId);
    const database = await openSqlite({ file });
    const opened = new OpenFiles([dataDir, file]);
    return new StateStore({
      ...{ database, onDamage },
      explain: (error) => explain(file, error),
      assertWritable: () => opened.assertInPlace(),
      assertMayBeSetAside(key, reason) {
        if (requiredKeys.includes(key) && !setAsideDamaged)
          throw damagedFile(file, `the value ${JSON.stringify(key)} cannot be read (${reason})`);
      },
    });
  } catch (error) {
    throw explain(file, error);
  }
}

/** What a user sets in one web process of a shared store, and what one that folds the fleet found, holds in all of them. */
export async function openSharedState(state: StateStore) {
  return {
    alerts: await KeptValue.open(state, alertsEntry),
    conditions: await KeptValue.open(state, conditionsEntry),
    loadErrors: await KeptValue.open(state, loadErrorsEntry),
    mutes: await KeptValue.open(state, mutesEntry),
    requestErrors: await KeptValue.open(state, requestErrorsEntry),
  };
}

export type KeptState = Awaited<ReturnType<typeof openKeptState>>;

/** Reads the values that are in memory while xdscope runs. */
export async function openKeptState(state: StateStore) {
  return {
    ...(await openSharedState(state)),
    descriptorSets: await KeptValue.open(state, descriptorSetsEntry),
    imports: await KeptValue.open(state, importsEntry),
    redactionKey: await KeptValue.open(state, redactionKeyEntry),
    removedSources: await KeptValue.open(state, removedSourcesEntry),
    sources: await KeptValue.open(state, sourcesEntry),
    streamEnds: await KeptValue.open(state, streamEndsEntry),
  };
}
