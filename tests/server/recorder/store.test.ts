import path from 'node:path';
import { expect, it } from 'vitest';
import { encodeBatch, type ObservationRow } from '@/server/recorder/batch-encoding';
import { openStore } from '@/server/recorder/store';
import { bodyOf, sightingOf } from '@/tests/support/recorder-sightings';
import { tempDataDir } from '@/tests/support/recorder-temp-dir';

function newStore() {
  const file = path.join(tempDataDir(), 'recording.sqlite');
  return { file, store: openStore(file) };
}

function rowOf(seq: number, content: string, more: Partial<ObservationRow> = {}): ObservationRow {
  const { observation, bodies } = sightingOf(seq, content);
  return { seq, json: JSON.stringify(observation), bodies, ...more };
}

it('a batch that comes a second time changes nothing: it was committed, and the acknowledgement was lost', () => {
  const { file, store } = newStore();
  const batch = encodeBatch({ observations: [rowOf(1, 'a'), rowOf(2, 'b')], gaps: [] });
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
  const torn = rowOf(2, 'b', { bodies: [{ ...bodyOf('b'), typeUrl: null as never }] });
  expect(() => store.write(encodeBatch({ observations: [rowOf(1, 'a'), torn], gaps: [] }))).toThrow(
    'NOT NULL',
  );
  expect(store.totals()).toMatchObject({ observations: 0, bodies: 0 });
  expect(store.write(encodeBatch({ observations: [rowOf(1, 'a')], gaps: [] }))).toMatchObject({
    observations: 1,
    bodies: 1,
  });
  store.close();
});

it('numbers go on after a gap that nothing followed', () => {
  const { store } = newStore();
  const gap = { fromSeq: 2, toSeq: 9, fromAt: 2, toAt: 9, reason: 'full' };
  store.write(encodeBatch({ observations: [rowOf(1, 'a')], gaps: [gap] }));
  expect(store.totals().newestSeq).toBe(9);
  store.close();
});

it('no body goes after a gap until a checkpoint says what the state came to be', () => {
  const { store } = newStore();
  store.write(encodeBatch({ observations: [rowOf(1, 'a'), rowOf(2, 'b')], gaps: [] }));
  store.completeCheckpoint(store.beginCheckpoint(2, 0));
  const gap = { fromSeq: 3, toSeq: 4, fromAt: 3, toAt: 4, reason: 'full' };
  store.write(encodeBatch({ observations: [], gaps: [gap] }));
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
