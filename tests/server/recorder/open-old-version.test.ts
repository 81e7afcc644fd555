import path from 'node:path';
import Database from 'libsql';
import { expect, it } from 'vitest';
import type { ChurnEntry } from '@/lib/view-model/churn/churn-entry';
import { systemClock } from '@/server/observe';
import { LogReader } from '@/server/recorder/log-reader';
import { readChurn } from '@/server/recorder/read-churn';
import { newPermalinkId, openRecorder } from '@/server/recorder/recorder';
import { streamStory } from '@/tests/support/log-story';
import { oldVersions, turnIntoVersion } from '@/tests/support/recorder-old-versions';
import { bodyOf, clientStateOf, sightingOf } from '@/tests/support/recorder-sightings';
import { tempDataDir } from '@/tests/support/recorder-temp-dir';

function churnIn(file: string): ChurnEntry[] {
  const reader = new LogReader(file);
  const entries: ChurnEntry[] = [];
  reader.read((log) => readChurn(log, { from: 1, to: 1e12 }, (entry) => entries.push(entry)));
  reader.close();
  return entries;
}

it.each(oldVersions)(
  'a recording of version %i is read, filtered, travelled in, written on and cleared up as one of today',
  async (version) => {
    const dataDir = tempDataDir();
    const file = path.join(dataDir, 'recording.sqlite');
    const options = { dataDir, clock: systemClock, retention: { maxAgeMs: 1e15, maxBytes: 1e12 } };
    const first = await openRecorder(options);
    for (let index = 0; index < 200; index++) {
      for (const observation of streamStory(1_000 * index, `client-${index % 7}`, `stream-${index}`)) {
        first.append({ observation, bodies: [] });
      }
      first.append(sightingOf(1_000 * index + 500, `old body ${index} ${'x'.repeat(index)}`, 'client-0'));
    }
    await first.flushed();
    const all = await first.readObservations({ limit: 2_000, order: 'asc' });
    const marks = await first.readMarks({ version: 'v2' }, 1_000);
    const moments = [50_000, 123_456, { seq: 1_700 }];
    const clients = await Promise.all(moments.map((moment) => first.readClientAt('client-0', moment)));
    expect(clients.at(-1)?.client?.reports.size).toBeGreaterThan(0);
    const frozen = { id: newPermalinkId(), createdAt: 5, content: { told: 'then' } };
    await first.savePermalink({ ...frozen, hashes: new Set([bodyOf('old body 0 ').hash]) });
    await first.pin({ from: 3_000, to: 9_000, clientId: null, label: 'kept', createdAt: 5 });
    const pins = await first.pins();
    await first.close();
    const churn = churnIn(file);
    expect(churn.length).toBeGreaterThan(500);
    turnIntoVersion(version, file);

    const again = await openRecorder(options);
    expect(await again.readObservations({ limit: 2_000, order: 'asc' })).toEqual(all);
    expect(await again.readMarks({ version: 'v2' }, 1_000)).toEqual(marks);
    expect(marks.total).toBeGreaterThan(100);
    expect(churnIn(file)).toEqual(churn);
    for (const [index, moment] of moments.entries()) {
      expect(await again.readClientAt('client-0', moment)).toEqual(clients[index]);
    }
    expect(await again.readPermalink(frozen.id)).toMatchObject(frozen);
    expect(await again.pins()).toEqual(pins);
    expect(await again.countHistory({ resourceName: 'nobody' })).toBe(0);
    const old = bodyOf('old body 7 xxxxxxx');
    expect(await again.readBody(old.hash)).toEqual(old);
    let seq = 0;
    for (let index = 0; index < 700; index++) {
      seq = again.append(sightingOf(1e6 + index, `new body ${index % 300}`, 'client-0'));
    }
    await again.flushed();
    const hashes = [old.hash, bodyOf('new body 299').hash, bodyOf(`old body 199 ${'x'.repeat(199)}`).hash];
    expect((await again.readBodies(hashes)).size).toBe(3);
    expect(await again.countHistory({ resourceName: 'nobody' })).toBe(0);
    await again.saveCheckpoint(seq, [clientStateOf('client-0', seq, [])]);
    await again.close();

    const [pin] = pins;
    expect(pin).toBeDefined();
    const small = await openRecorder({
      ...options,
      retention: { maxAgeMs: 1e15, maxBytes: 1e12, maxCount: 1 },
    });
    // What it keeps goes with it.
    await small.unpin(pin?.id ?? 0);
    await small.applyRetention();
    expect(await small.readBody(old.hash)).toBeUndefined();
    await small.close();
    const sql = new Database(file);
    // The permalink's.
    const left = version === 2 ? 1 : 0;
    expect(sql.prepare('SELECT count(*) AS n FROM body_bytes').all()).toEqual([{ n: left }]);
    sql.close();
  },
  60_000,
);
