import { existsSync, rmSync } from 'node:fs';
import path from 'node:path';
import { systemClock } from '@/server/observe';
import { putIntoPlace } from '../../../atomic-write';
import { storeFormat } from '../../../store-format';
import { nextTurn } from '../../../workers/threads/in-slices';
import { Checkpoints, formatClient } from '../../checkpoints';
import { copyClient } from '../../client-snapshot';
import { ObservationLog } from '../../log';
import { openSqlite } from '../../open-sqlite';
import { damageOf } from '../damaged-file';
import {
  assertUndamaged,
  explain,
  type FileFormat,
  makeDatabase,
  readApplicationId,
} from '../sqlite/open-database';
import { version1 } from '../sqlite/version-1-format';
import { Recording1 } from './recording';

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
  if (!existsSync(file) || formatOfRecording(file) !== version1) return;
  assertUndamaged(file, version1);
  for (const companion of companions) rmSync(`${next}${companion}`, { force: true });
  report(
    `${file} is a recording of version 1, and is converted: this takes about a minute for 1,000,000 observations`,
  );
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

/** Returns version1 for everything that is no store: what is wrong with it is found when it is opened. */
export function formatOfRecording(file: string): FileFormat {
  const isVersion1 = existsSync(file) && readApplicationId(file) !== storeFormat.applicationId;
  return isVersion1 ? version1 : storeFormat;
}

function done(file: string, old: string): string {
  return `${file} was converted; the recording of version 1 is ${path.basename(old)} beside it, and may be deleted`;
}

async function copy(from: string, to: string, report: (sentence: string) => void): Promise<void> {
  const recording = new Recording1(from);
  const database = await openSqlite({ file: to });
  const log = new ObservationLog(database, systemClock);
  const nothing = { observations: [], lines: [], bodies: [], gaps: [] };
  const progress = progressOf(report);
  try {
    const bodies = progress(`of ${recording.countBodies()} payloads`);
    for (const some of recording.bodies()) {
      await log.write({ ...nothing, bodies: some });
      await bodies(some.length);
    }
    for (const { seq, beginsAt, client } of recording.bases()) {
      await log.checkpoints.addToCheckpoint(seq, [
        { ...formatClient(copyClient(client)), firstSeenAt: beginsAt },
      ]);
    }
    await log.keepBases();
    const gaps = recording.gaps();
    const observations = progress(`observations, up to ${recording.newestSeq()}`);
    for (const some of recording.observations()) {
      const lines = some.map(({ seq: _, ...observation }) => JSON.stringify(observation));
      const first = some[0]?.seq ?? 0;
      const before = gaps.splice(0, gaps.filter(({ toSeq }) => toSeq < first).length);
      if (before.length > 0) await log.write({ ...nothing, gaps: before });
      await log.write({ ...nothing, observations: some, lines });
      while (await log.followClients());
      await observations(some.length);
    }
    await log.write({ ...nothing, gaps });
    await log.restorePins(recording.pins());
    for (const { hashes, ...permalink } of recording.permalinks()) {
      await log.savePermalink(permalink, hashes, Number.MAX_SAFE_INTEGER);
    }
    const checkpoint = recording.checkpoint();
    if (checkpoint !== undefined) {
      const { seq, clients, sources } = checkpoint;
      await new Checkpoints(log.checkpoints).save(seq, clients, sources);
    }
  } finally {
    recording.close();
    await database.close();
  }
}

/** Reports each 100,000 of something, and yields to the event loop. */
function progressOf(report: (sentence: string) => void) {
  return (what: string) => {
    let [count, reported] = [0, 0];
    return async (more: number): Promise<void> => {
      count += more;
      if (count >= reported + reportEvery) {
        reported = count;
        report(`converted ${count} ${what}`);
      }
      await nextTurn();
    };
  };
}
