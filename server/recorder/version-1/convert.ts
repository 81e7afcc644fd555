import { existsSync, rmSync } from 'node:fs';
import path from 'node:path';
import { systemClock } from '@/server/observe';
import { putIntoPlace } from '../../atomic-write';
import { ObservationLog } from '../../store/log';
import { openSqlite } from '../../store/open-sqlite';
import { storeFormat } from '../../store-format';
import { nextTurn } from '../../threads/in-slices';
import { damageOf } from '../damaged-file';
import { assertUndamaged, explain, makeDatabase, readApplicationId } from '../sqlite/open-database';
import { Recording1, version1 } from './recording';

const reportEvery = 100_000;
const companions = ['', '-wal', '-shm'];

/**
 * Converts a recording of version 1, if the file is one. It is written to a file of its own, which takes the place of the old one
 * once it is complete: a process that is killed meanwhile converts again. The old file remains as "FILE.v1". `report` gets
 * sentences about the progress. Throws damagedFile(), or a RecorderError whose message is one line and names the file.
 * Precondition: the directory is locked.
 */
export async function convertVersion1(file: string, report: (sentence: string) => void): Promise<void> {
  const [next, whole, old] = [`${file}.converting`, `${file}.converted`, `${file}.v1`];
  if (existsSync(whole)) {
    // The process that wrote it ended before it was in its place.
    if (existsSync(file)) putIntoPlace(file, old);
    putIntoPlace(whole, file);
    report(done(file, old));
    return;
  }
  if (!existsSync(file) || readApplicationId(file) === storeFormat.applicationId) return;
  assertUndamaged(file, version1);
  for (const companion of companions) rmSync(`${next}${companion}`, { force: true });
  report(`${file} is a recording of version 1, and is converted: this takes about a minute for 1,000,000 observations`);
  try {
    makeDatabase(next, storeFormat.applicationId);
    await copy(file, next, report);
  } catch (error) {
    throw explain(file, damageOf(file, error));
  }
  putIntoPlace(next, whole);
  putIntoPlace(file, old);
  putIntoPlace(whole, file);
  report(done(file, old));
}

function done(file: string, old: string): string {
  return `${file} was converted; the recording of version 1 is ${path.basename(old)} beside it, and may be deleted`;
}

async function copy(from: string, to: string, report: (sentence: string) => void): Promise<void> {
  const recording = new Recording1(from);
  const database = await openSqlite({ file: to });
  const log = new ObservationLog(database, systemClock);
  const nothing = { observations: [], lines: [], bodies: [], gaps: [] };
  let [count, reported] = [0, 0];
  const progress = async (more: number, what: string, all: number) => {
    count += more;
    if (count >= reported + reportEvery) report(`converted ${count} of ${all} ${what}`);
    if (count >= reported + reportEvery) reported = count;
    await nextTurn();
  };
  try {
    const bodies = recording.countBodies();
    for (const some of recording.bodies()) {
      await log.write({ ...nothing, bodies: some });
      await progress(some.length, 'payloads', bodies);
    }
    [count, reported] = [0, 0];
    await log.write({ ...nothing, gaps: recording.gaps() });
    const newestSeq = recording.newestSeq();
    for (const observations of recording.observations()) {
      const lines = observations.map(({ seq: _, ...observation }) => JSON.stringify(observation));
      await log.write({ ...nothing, observations, lines });
      await progress(observations.length, `observations up to ${newestSeq}`, newestSeq);
    }
    await log.restorePins(recording.pins());
  } finally {
    recording.close();
    await database.close();
  }
}
