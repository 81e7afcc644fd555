import { expect, it } from 'vitest';
import { systemClock } from '@/server/observe';
import { ObservationLog } from '@/server/store/log';
import { bytesOfText } from '@/server/store/text-bytes';
import { bodyOf, emissionOf } from '@/tests/support/builders/recorder-emissions';
import { describeEngines } from './engines';

const unlimited = { olderThan: 0, maxBytes: Number.MAX_SAFE_INTEGER, maxCount: Number.MAX_SAFE_INTEGER };
const sentence = 'the same cluster '.repeat(100);

describeEngines('bodies', ({ open, openAgain }) => {
  const openLog = async () => new ObservationLog(await open(), systemClock);
  const append = (log: ObservationLog, ...contents: string[]) => {
    const emissions = contents.map((content, index) => emissionOf(index, content));
    return log.append({
      observations: emissions.map(({ observation }) => observation),
      bodies: emissions.flatMap(({ bodies }) => bodies),
    });
  };
  const read = async (log: ObservationLog, ...contents: string[]) => {
    const wanted = contents.map((content) => bodyOf(content));
    const found = await log.readBodies(wanted.map(({ hash }) => hash));
    return contents.filter((_, index) => found.has(wanted[index]?.hash ?? ''));
  };

  it('are stored once for each type, and returned as they were, empty and incompressible ones too', async () => {
    const store = await open();
    const log = new ObservationLog(store, systemClock);
    await append(log, '', 'a', sentence, 'a');
    await append(log, 'a', sentence);
    const other = { ...bodyOf('a'), typeUrl: 'type.googleapis.com/other' };
    await log.append({ observations: [emissionOf(1, 'a').observation], bodies: [other, other] });
    const rows = await store.db.selectFrom('bodies').select(['size', 'bytes']).execute();
    expect(rows.map(({ size }) => size).sort((a, b) => a - b)).toEqual([0, 1, 1, sentence.length]);
    expect(rows.reduce((sum, { bytes }) => sum + bytes.byteLength, 0)).toBeLessThan(100);
    const again = new ObservationLog(await openAgain(), systemClock);
    for (const content of ['', 'a', sentence]) {
      const body = bodyOf(content);
      expect(await again.readBodies([body.hash, 'ff'], body.typeUrl)).toEqual(new Map([[body.hash, body]]));
    }
    expect(await again.readBodies([other.hash], other.typeUrl)).toEqual(new Map([[other.hash, other]]));
    expect((await again.readBodies([other.hash])).size).toBe(1);
  });

  it('are stored with their observations or not at all', async () => {
    const log = await openLog();
    const { observation, bodies } = emissionOf(1, 'lost');
    const bad = { ...observation, at: Number.NaN };
    await expect(log.append({ observations: [observation, bad], bodies })).rejects.toThrow();
    expect(await read(log, 'lost')).toEqual([]);
    await append(log, 'lost');
    expect(await read(log, 'lost')).toEqual(['lost']);
  });

  it('are deleted with the last observation that names them, unless a holder keeps them', async () => {
    const store = await open();
    const log = new ObservationLog(store, systemClock);
    await append(log, 'old', 'held', 'used');
    for (let round = 0; round < 40; round++) await append(log, 'used');
    await append(log, 'new');
    await store.db
      .insertInto('body_holders')
      .values({ hash: Buffer.from(bodyOf('held').hash, 'hex'), holder: bytesOfText('permalink:1') })
      .execute();
    const deleted: string[] = [];
    const round = {
      limits: { ...unlimited, maxCount: 5 },
      forgetBodies: async (hashes: readonly string[]) => deleted.push(...hashes),
    };
    await log.applyRetention(round);
    expect(deleted).toEqual([]);
    await log.advanceCheckpoint((await log.readTotals()).newestSeq);
    await log.saveGap({ fromSeq: 100, toSeq: 100, fromAt: 0, toAt: 0, reason: '' });
    await log.applyRetention(round);
    expect(deleted).toEqual([]);
    await store.db.deleteFrom('gaps').execute();
    await log.applyRetention(round);
    expect(deleted).toEqual([bodyOf('old').hash]);
    expect(await read(log, 'old', 'held', 'used', 'new')).toEqual(['held', 'used', 'new']);
    // A body that is named again is stored again.
    await append(log, 'old');
    expect(await read(log, 'old')).toEqual(['old']);
  });
});
