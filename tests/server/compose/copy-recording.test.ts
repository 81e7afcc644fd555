import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { copyRecording } from '@/server/compose/copy-recording';
import { systemClock } from '@/server/observe';
import type { HistoryFilter } from '@/server/store/history-query';
import { openRecorder, openSharedRecorder } from '@/server/store/recorder/open-recorder';
import type { Recorder } from '@/server/store/recorder/recorder';
import { makeDay } from '@/tests/support/builders/make-day';
import { oddObservations } from '@/tests/support/builders/odd-observations';
import { expectFolds, numbered, startAt } from '@/tests/support/client-at-story';
import { openWholeRecorder } from '@/tests/support/open-recorder';
import { findPostgres, type PostgresServer, startPostgres } from '@/tests/support/postgres';
import { tempDataDir } from '@/tests/support/recorder-temp-dir';
import { streamStory } from '../../support/log-story';

const isThere = findPostgres() !== undefined;
const retention = { maxAgeMs: Number.MAX_SAFE_INTEGER, maxBytes: Number.MAX_SAFE_INTEGER };
const day = { observations: 3_000, startAt, clients: 6, largeClients: 1, manyServices: 300, seed: 9 };
const story = [
  ...streamStory(startAt - 100).map((observation) => ({ observation, bodies: [] })),
  ...[...makeDay(day, { wire: 0, delta: 0 })].flat(),
  ...oddObservations(startAt + 90_000_000).map((observation) => ({ observation, bodies: [] })),
];
const observations = numbered(story.map(({ observation }) => observation));
const hashes = [...new Set(story.flatMap(({ bodies }) => bodies.map(({ hash }) => hash)))];
const clients = [...new Set(observations.flatMap((each) => ('clientId' in each ? [each.clientId] : [])))];

/** The order of kinds and types in a bucket is that of the engine. */
async function bucketsOf(recorder: Recorder, filter: HistoryFilter): Promise<string[]> {
  const buckets = await recorder.readDensity(filter, 60_000);
  return buckets.map(({ at, kind, typeUrl, count }) => `${at} ${kind} ${typeUrl} ${count}`).sort();
}

/** What everything that is shown of a recording is made of. */
const questions: Readonly<Record<string, (recorder: Recorder) => Promise<unknown>>> = {
  history: (recorder) => recorder.readHistory({ limit: 5_000, order: 'asc' }),
  'history of rejections': (recorder) =>
    recorder.readHistory({ isRejection: true, limit: 500, order: 'desc' }),
  'history of an hour': (recorder) =>
    recorder.readHistory({ from: startAt + 36e6, to: startAt + 39.6e6, limit: 500, order: 'desc' }),
  counts: async (recorder) => [
    await recorder.countHistory({}),
    ...(await Promise.all(clients.map((clientId) => recorder.countHistory({ clientId })))),
  ],
  marks: (recorder) => recorder.readMarks({}, 50_000),
  density: (recorder) => bucketsOf(recorder, {}),
  'density of a client': (recorder) => bucketsOf(recorder, { clientId: clients[0] ?? '' }),
  gaps: (recorder) => recorder.readGaps(),
  pins: (recorder) => recorder.pins(),
  permalinks: async (recorder) => {
    const listed = await recorder.listPermalinks('', 100);
    return [listed, await Promise.all(listed.map(({ id }) => recorder.readPermalink(id)))];
  },
  bodies: async (recorder) =>
    Array.from((await recorder.readBodies(hashes)).values(), ({ hash, typeUrl, bytes }) => [
      ...[hash, typeUrl, Buffer.from(bytes).toString('base64')],
    ]).sort(),
  observations: (recorder) => recorder.readObservations({ limit: 5_000, order: 'asc' }),
};

describe.skipIf(!isThere)(isThere ? 'copyRecording()' : 'copyRecording(): skipped, no PostgreSQL', () => {
  const dataDir = path.join(tempDataDir(), 'data');
  let postgres: PostgresServer;
  let source: Recorder;
  let copy: Recorder;

  beforeAll(async () => {
    const recorder = await openWholeRecorder({ dataDir });
    for (const [index, emission] of story.entries()) {
      recorder.append(emission);
      if (index % 500 === 0) await recorder.keepPace();
    }
    await recorder.flushed();
    await recorder.pin({ from: startAt, to: startAt + 1_000, clientId: null, label: 'a pin', createdAt: 5 });
    for (const id of ['one', 'two'])
      await recorder.savePermalink({ id, createdAt: 5, content: { id }, hashes: hashes.slice(0, 10) });
    await recorder.close();
    postgres = await startPostgres();
    const url = await postgres.createDatabase();
    await copyRecording({ from: dataDir, url, clock: systemClock, print: () => undefined });
    source = await openRecorder({ dataDir, clock: systemClock, retention });
    const shared = { isFolder: () => false, findReachedSeq: () => observations.length };
    copy = await openSharedRecorder(url, { dataDir, clock: systemClock, retention, ...shared });
  });
  afterAll(async () => {
    await copy?.close();
    await source?.close();
    await postgres?.stop();
  });

  it.each(Object.keys(questions))('answers %s as the recording does', async (name) => {
    const [of, then] = [await questions[name]?.(source), await questions[name]?.(copy)];
    expect(JSON.stringify(of).length).toBeGreaterThan(1);
    expect(then).toEqual(of);
  });

  it('answers what each client was at any moment', () => expectFolds(copy, observations, 1));
});
