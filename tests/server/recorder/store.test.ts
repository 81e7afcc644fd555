import path from 'node:path';
import { expect, it } from 'vitest';
import type { Sighting } from '@/server/observe';
import { BatchBuilder, type Gap, type WriteBatch } from '@/server/recorder/batch-builder';
import { parseClientTexts } from '@/server/recorder/client-texts';
import { openStore } from '@/server/recorder/store';
import { bodyOf, sightingOf } from '@/tests/support/recorder-sightings';
import { tempDataDir } from '@/tests/support/recorder-temp-dir';

function newStore() {
  const file = path.join(tempDataDir(), 'recording.sqlite');
  return { file, store: openStore(file) };
}

function batchOf(sightings: readonly Sighting[], gaps: readonly Gap[] = [], firstSeq = 1): WriteBatch {
  const builder = new BatchBuilder();
  for (const [index, { observation, bodies }] of sightings.entries()) {
    builder.add(firstSeq + index, observation, bodies);
  }
  return builder.finish(gaps);
}

function manyOf(from: number, count: number): WriteBatch {
  const sightings = Array.from({ length: count }, (_, index) => sightingOf(from + index, null));
  return batchOf(sightings, [], from);
}

it('a batch that comes a second time changes nothing: it was committed, and the acknowledgement was lost', () => {
  const { file, store } = newStore();
  const batch = batchOf([sightingOf(1, 'a'), sightingOf(2, 'b')]);
  const first = store.write(batch);
  expect(first).toMatchObject({ observations: 2, bodies: 2, newestSeq: 2, oldestAt: 1 });
  expect(store.write(batch)).toEqual(first);
  store.close();
  const again = openStore(file);
  expect(again.totals()).toMatchObject({ observations: 2, bodies: 2 });
  again.close();
});

it('a batch that fails in the middle leaves nothing of itself', () => {
  const { store } = newStore();
  const torn = { ...sightingOf(2, 'b'), bodies: [{ ...bodyOf('b'), typeUrl: null as never }] };
  expect(() => store.write(batchOf([sightingOf(1, 'a'), torn]))).toThrow('NOT NULL');
  expect(store.totals()).toMatchObject({ observations: 0, bodies: 0 });
  expect(store.write(batchOf([sightingOf(1, 'a')]))).toMatchObject({
    observations: 1,
    bodies: 1,
  });
  store.close();
});

it('numbers go on after a gap that nothing followed', () => {
  const { store } = newStore();
  const gap = { fromSeq: 2, toSeq: 9, fromAt: 2, toAt: 9, reason: 'full' };
  store.write(batchOf([sightingOf(1, 'a')], [gap]));
  expect(store.totals().newestSeq).toBe(9);
  store.close();
});

it('no body goes after a gap until a checkpoint says what the state came to be', () => {
  const { store } = newStore();
  store.write(batchOf([sightingOf(1, 'a'), sightingOf(2, 'b')]));
  store.completeCheckpoint(store.beginCheckpoint(2, 0));
  const gap = { fromSeq: 3, toSeq: 4, fromAt: 3, toAt: 4, reason: 'full' };
  store.write(batchOf([], [gap]));
  const plan = store.planRetention({ olderThan: 100, maxBytes: 1e9, maxCount: 1e9 });
  for (const clientId of plan?.clientIds ?? []) store.rollBase(clientId, plan?.untilSeq ?? 0);
  expect(store.deleteObservations(plan?.untilSeq ?? 0)).toBe(2);
  expect(store.findUnnamedBodies(100)).toEqual([]);
  const id = store.beginCheckpoint(5, 0);
  store.addCheckpointChunks(id, [{ clientId: 'c', json: '{}', hashes: [bodyOf('a').hash] }]);
  store.completeCheckpoint(id);
  expect(store.findUnnamedBodies(100).map(({ hash }) => hash)).toEqual([bodyOf('b').hash]);
  store.close();
});

it('a checkpoint that was left half written does not count, and goes with the next one', () => {
  const { store } = newStore();
  store.completeCheckpoint(store.beginCheckpoint(1, 0));
  const half = store.beginCheckpoint(2, 0);
  store.addCheckpointChunks(half, [{ clientId: 'c', json: '{}', hashes: [] }]);
  expect(store.findNewestCheckpoint()).toMatchObject({ seq: 1 });
  const newest = store.beginCheckpoint(3, 0);
  store.completeCheckpoint(newest);
  while (store.deleteStaleCheckpoints(1));
  expect(store.findNewestCheckpoint()).toEqual({ id: newest, seq: 3 });
  expect(store.readCheckpoint(half, 0, 10).chunks).toEqual([]);
  store.close();
});

it('a restart does not begin to count anew: a snapshot is due when 1,024 observations came in both lives', () => {
  const { file, store } = newStore();
  expect(store.write(manyOf(1, 1_000)).snapshotsDue).toBe(0);
  store.close();
  const again = openStore(file);
  expect(again.write(manyOf(1_001, 23)).snapshotsDue).toBe(0);
  expect(again.write(manyOf(1_024, 1)).snapshotsDue).toBe(1);
  expect(again.storeSnapshot()).toBe(false);
  expect(again.write(manyOf(1_025, 1)).snapshotsDue).toBe(0);
  again.close();
});

it('the telling of a long past begins with a snapshot, of a short one with the first observation', () => {
  const { store } = newStore();
  for (let snapshot = 0; snapshot < 18; snapshot++) {
    store.write(manyOf(1 + 1_024 * snapshot, 1_024));
    while (store.storeSnapshot());
  }
  const base = store.readHistoryBase('client-a', 1e9);
  expect(base).toMatchObject({ seq: 2 * 1_024, at: 2 * 1_024, hasOlder: true });
  expect(store.readHistoryBase('client-a', 1e9, 5_000)).toMatchObject({ seq: 4 * 1_024, at: 4 * 1_024 });
  expect(store.readHistoryBase('client-a', 1e9, 1_000)).toBeUndefined();
  const told = base && parseClientTexts(base.texts);
  expect(told).toMatchObject(store.readClientAt('client-a', { seq: 2 * 1_024 })?.outline.client ?? {});
  expect(told?.reports.size).toBe(1);
  expect(store.readHistoryBase('client-a', 16_000)).toBeUndefined();
  expect(store.readHistoryBase('stranger', 1e9)).toBeUndefined();
  store.close();
});
