import path from 'node:path';
import Database from 'libsql';
import { expect, it } from 'vitest';
import { systemClock } from '@/server/observe';
import { openRecorder } from '@/server/recorder/recorder';
import { streamStory } from '@/tests/support/log-story';
import { sightingOf } from '@/tests/support/recorder-sightings';
import { tempDataDir } from '@/tests/support/recorder-temp-dir';
import { writeVersion1 } from '@/tests/support/recorder-version-1';

it('a recording of version 1 opens with what a restart needs, and soon all of it can be filtered', async () => {
  const dataDir = tempDataDir();
  const file = path.join(dataDir, 'recording.sqlite');
  const observations = Array.from({ length: 600 }, (_, index) =>
    streamStory(1_000 * (index + 1), `client-${index % 7}`, `stream-${index}`),
  ).flat();
  writeVersion1(file, observations);
  const options = { dataDir, clock: systemClock, retention: { maxAgeMs: 1e15, maxBytes: 1e12 } };
  const recorder = await openRecorder(options);
  expect(recorder.stats()).toMatchObject({ observations: 4_800, newestSeq: 4_800, checkpointSeq: 2_400 });
  const tail = await recorder.readHistory({ order: 'asc', afterSeq: 2_400, limit: 1 });
  expect(tail[0]?.seq).toBe(2_401);
  expect(recorder.append({ ...sightingOf(1e7, null, 'client-0') })).toBe(4_801);
  await expect.poll(() => recorder.countHistory({ kinds: ['nack-sent'] }), { timeout: 10_000 }).toBe(600);
  const [first] = await recorder.readHistory({ order: 'asc', limit: 1, streamId: 'stream-3', version: 'v2' });
  expect(first).toMatchObject({ seq: 29, pairSeq: 30 });
  await recorder.close();

  const again = await openRecorder(options);
  expect(again.stats()).toMatchObject({ observations: 4_801 });
  expect(await again.countHistory({ clientId: 'client-0' })).toBe(86 * 8 + 1);
  await again.close();
  const sql = new Database(file);
  expect(sql.prepare("SELECT count(*) AS n FROM sqlite_schema WHERE name LIKE '%_v1'").all()).toEqual([
    { n: 0 },
  ]);
  sql.close();
}, 30_000);
