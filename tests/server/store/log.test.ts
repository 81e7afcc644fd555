import { expect, it } from 'vitest';
import type { Observation, Recorded } from '@/lib/observation/observation';
import { systemClock } from '@/server/observe';
import { ObservationLog } from '@/server/store/log';
import { oddObservations } from '@/tests/support/builders/odd-observations';
import { streamStory } from '../../support/log-story';
import { describeEngines } from './engines';

const unlimited = { olderThan: 0, maxBytes: Number.MAX_SAFE_INTEGER, maxCount: Number.MAX_SAFE_INTEGER };
const all = { order: 'asc', limit: 1_000 } as const;

/** Eight observations 10 ms apart from `at`. */
const story = (at: number, clientId = 'client-a') => streamStory(at, clientId);

describeEngines('ObservationLog', ({ engine, open, openAgain }) => {
  const openLog = async () => new ObservationLog(await open(), systemClock);
  const seqsOf = async (log: ObservationLog) => (await log.readObservations(all)).map(({ seq }) => seq);

  it('numbers observations from 1 on without holes, also when several writers append at once', async () => {
    const log = await openLog();
    const other = new ObservationLog(await openAgain(), systemClock);
    expect((await log.readTotals()).newestSeq).toBe(0);
    const stories = Array.from({ length: 12 }, (_, index) => story(index * 1_000, `client-${index}`));
    // One process at a time writes a SQLite file.
    const writers = engine === 'sqlite' ? [log] : [log, other];
    const firsts = await Promise.all(
      stories.map((observations, index) => writers[index % writers.length]?.append({ observations })),
    );
    expect([...firsts].sort((a = 0, b = 0) => a - b)).toEqual(stories.map((_, index) => 1 + 8 * index));
    expect(await seqsOf(other)).toEqual(Array.from({ length: 96 }, (_, index) => index + 1));
    for (const [index, observations] of stories.entries()) {
      const found = await log.readObservations({ ...all, clientId: `client-${index}` });
      expect(found.map(({ seq: _, ...observation }) => observation)).toEqual(observations);
    }
  });

  it('stores a batch once that a collector sends again', async () => {
    const log = await openLog();
    const send = (collector: string, n: number) =>
      log.append({ observations: story(n), key: { collector, n } });
    expect(await send('a', 1)).toBe(1);
    expect(await send('b', 1)).toBe(9);
    expect(await send('a', 1)).toBeUndefined();
    expect(await send('a', 3)).toBe(17);
    expect(await send('a', 2)).toBeUndefined();
    const again = new ObservationLog(await openAgain(), systemClock);
    const repeated = { observations: story(3), key: { collector: 'a', n: 3 } };
    expect(await again.append(repeated)).toBeUndefined();
    expect((await again.readTotals()).observations).toBe(24);
  });

  it('stores nothing of a batch that fails, and accepts the next one', async () => {
    const log = await openLog();
    const unknown = { ...story(1)[0], kind: 'unheard-of' } as unknown as Observation;
    await expect(log.append({ observations: [...story(1), unknown] })).rejects.toThrow('got unheard-of');
    const huge = { ...story(1)[0], at: Number.NaN } as Observation;
    await expect(log.append({ observations: [...story(1, 'new-client'), huge] })).rejects.toThrow();
    expect(await log.append({ observations: story(1, 'new-client') })).toBe(1);
    expect(await log.countHistory({ clientId: 'new-client' })).toBe(8);
  });

  it('joins the batches of a quiet mesh, and still finds each observation', async () => {
    const store = await open();
    const log = new ObservationLog(store, systemClock);
    const observations = Array.from({ length: 25 }, (_, index) => story(index * 1_000)).flat();
    for (const observation of observations) await log.append({ observations: [observation] });
    const payloads = await store.db.selectFrom('payloads').select(['first_seq', 'count']).execute();
    expect(payloads.length).toBeLessThan(70);
    expect(payloads.reduce((sum, { count }) => sum + count, 0)).toBe(observations.length);
    expect((await log.readObservations(all)).map(({ at }) => at)).toEqual(observations.map(({ at }) => at));
  });

  it('yields what is appended later, also by another process, until the reader stops', async () => {
    const store = await open();
    const log = new ObservationLog(store, systemClock);
    const other = new ObservationLog(store, systemClock);
    const abort = new AbortController();
    const read: Recorded[] = [];
    const reading = (async () => {
      for await (const page of log.tail(0, abort.signal)) {
        read.push(...page);
        if (read.length === 8) await log.append({ observations: story(2) });
        if (read.length === 16) await other.append({ observations: story(3) });
        if (read.length === 24) abort.abort();
      }
    })();
    await log.append({ observations: story(1) });
    await reading;
    expect(read.map(({ seq }) => seq)).toEqual(Array.from({ length: 24 }, (_, index) => index + 1));
  });

  it('keeps gaps and pins', async () => {
    const log = await openLog();
    const gap = { fromSeq: 5, toSeq: 9, fromAt: 100, toAt: 200, reason: 'the disk is full' };
    await log.saveGap({ ...gap, toSeq: 6 });
    await log.saveGap(gap);
    await log.saveGap({ ...gap, fromSeq: 20, toSeq: 20, fromAt: 300, toAt: 300 });
    expect(await log.readGaps(150, 250)).toEqual([gap]);
    expect(await log.readGaps()).toHaveLength(2);
    const { gaps } = await log.readTotals();
    expect(gaps).toEqual({ count: 2, observations: 6, newestAt: 300, newestSeq: 20 });
    const pin = { from: 1, to: 2, clientId: null, label: 'ü\u0000', createdAt: 3 };
    const later = await log.pin({ ...pin, from: 2, clientId: 'client-a' });
    const first = await log.pin(pin);
    expect(await log.pins()).toEqual([first, later]);
    expect(await log.unpin(first?.id ?? 0)).toBe(true);
    expect(await log.unpin(first?.id ?? 0)).toBe(false);
  });

  it('deletes what is too old or too much up to the checkpoint, except for what is pinned', async () => {
    const store = await open();
    const log = new ObservationLog(store, systemClock);
    for (const at of [1_000, 2_000, 3_000, 4_000]) {
      await log.append({ observations: [...story(at, `client-${at}`), ...story(at, 'client-b')] });
    }
    expect(await log.applyRetention({ limits: { ...unlimited, maxCount: 0 } })).toBe(0);
    await log.advanceCheckpoint(48);
    await log.pin({ from: 1_000, to: 1_030, clientId: 'client-b', label: '', createdAt: 0 });
    expect(await log.applyRetention({ limits: { ...unlimited, olderThan: 2_500 } })).toBe(28);
    expect(await seqsOf(log)).toEqual([
      9,
      10,
      11,
      12,
      ...Array.from({ length: 32 }, (_, index) => index + 33),
    ]);
    // Terms and texts of what was deleted are deleted with it.
    const { n } = await store.db
      .selectFrom('terms')
      .select((eb) => eb.fn.countAll<number>().as('n'))
      .where('seq', '<', 9)
      .executeTakeFirstOrThrow();
    expect(n).toBe(0);
    expect(await log.countHistory({ clientId: 'client-1000' })).toBe(0);
    expect(await log.countHistory({ resourceName: 'cart', clientId: 'client-b', to: 1_030 })).toBe(2);
    expect(await log.applyRetention({ limits: { ...unlimited, maxCount: 20 } })).toBe(16);
    expect((await log.readTotals()).observations).toBe(20);
    await log.unpin((await log.pins())[0]?.id ?? 0);
    expect(await log.applyRetention({ limits: { ...unlimited, maxCount: 0 } })).toBe(4);
    // The ids of texts that were deleted are not used again.
    expect(await log.append({ observations: story(1_000, 'client-1000') })).toBe(65);
    expect(await log.countHistory({ clientId: 'client-1000' })).toBe(8);
    expect(await log.countHistory({ version: 'v2' })).toBe(2 * 2 + 2);
  });

  it.runIf(engine === 'sqlite')('deletes until the used size is within its limit', async () => {
    const store = await open();
    const log = new ObservationLog(store, systemClock);
    for (let at = 0; at < 200; at++) await log.append({ observations: oddObservations(at * 1_000) });
    const { newestSeq } = await log.readTotals();
    await log.advanceCheckpoint(newestSeq);
    const { used } = await store.size();
    const maxBytes = (used ?? 0) * 0.7;
    await log.applyRetention({ limits: { ...unlimited, olderThan: -1e12, maxBytes } });
    const after = await store.size();
    expect(after.used).toBeLessThanOrEqual(maxBytes);
    const { observations } = await log.readTotals();
    expect(observations).toBeGreaterThan(newestSeq / 4);
    expect(observations).toBeLessThan(newestSeq);
  });
});
