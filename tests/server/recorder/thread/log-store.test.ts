import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Emission } from '@/server/observe';
import { HeldBodies } from '@/server/recorder/bodies/held-bodies';
import { LogReader } from '@/server/recorder/reader/log-reader';
import { parseClientTexts } from '@/server/recorder/snapshots/client-texts';
import { parseChanges } from '@/server/store/row-columns';
import { chunkIdsOf } from '@/server/recorder/snapshots/stored-rows';
import { SqlFile } from '@/server/recorder/sqlite/sql-file';
import { openSqliteLog } from '@/server/recorder/sqlite/sqlite-log';
import type { Gap } from '@/server/store/ranges';
import { logStoreOf } from '@/server/recorder/thread/log-store';
import { BatchBuilder, type WriteBatch } from '@/server/recorder/writer/batch-builder';
import { bodyOf, emissionOf } from '@/tests/support/builders/recorder-emissions';
import { tempDataDir } from '@/tests/support/recorder-temp-dir';

const openStore = (file: string) =>
  openSqliteLog(file, false, (storage) => logStoreOf(storage, new HeldBodies()));

function newStore() {
  const file = path.join(tempDataDir(), 'recording.sqlite');
  return { file, store: openStore(file) };
}

function batchOf(emissions: readonly Emission[], gaps: readonly Gap[] = [], firstSeq = 1): WriteBatch {
  const builder = new BatchBuilder();
  for (const [index, { observation, bodies }] of emissions.entries()) {
    builder.add(firstSeq + index, observation, bodies);
  }
  return builder.finish(gaps);
}

function manyOf(from: number, count: number): WriteBatch {
  const emissions = Array.from({ length: count }, (_, index) => emissionOf(from + index, null));
  return batchOf(emissions, [], from);
}

it('a repeated batch changes nothing, as after a lost acknowledgement', () => {
  const { file, store } = newStore();
  const batch = batchOf([emissionOf(1, 'a'), emissionOf(2, 'b')]);
  const first = store.write([batch]);
  expect(first.totals).toMatchObject({ observations: 2, bodies: 2, newestSeq: 2, oldestAt: 1 });
  expect(store.write([batch])).toEqual(first);
  store.close();
  const again = openStore(file);
  expect(again.totals()).toMatchObject({ observations: 2, bodies: 2 });
  again.close();
});

it('a batch that fails in the middle writes nothing', () => {
  const { store } = newStore();
  const torn = { ...emissionOf(2, 'b'), bodies: [{ ...bodyOf('b'), typeUrl: null as never }] };
  expect(() => store.write([batchOf([emissionOf(1, 'a'), torn])])).toThrow('NOT NULL');
  expect(store.totals()).toMatchObject({ observations: 0, bodies: 0 });
  expect(store.write([batchOf([emissionOf(1, 'a')])]).totals).toMatchObject({
    observations: 1,
    bodies: 1,
  });
  store.close();
});

it('numbering continues after a gap at the end, and the next process reports the gap', () => {
  const { file, store } = newStore();
  expect(store.totals().gaps).toEqual({ count: 0, observations: 0, newestAt: null });
  const gap = { fromSeq: 2, toSeq: 9, fromAt: 2, toAt: 9, reason: 'full' };
  store.write([batchOf([emissionOf(1, 'a')], [gap])]);
  expect(store.totals().newestSeq).toBe(9);
  store.close();
  const again = openStore(file);
  expect(again.totals().gaps).toEqual({ count: 1, observations: 8, newestAt: 9 });
  again.close();
});

it('no body is deleted after a gap until there is a checkpoint', () => {
  const { store } = newStore();
  store.write([batchOf([emissionOf(1, 'a'), emissionOf(2, 'b')])]);
  store.completeCheckpoint(store.beginCheckpoint(2, 0));
  const gap = { fromSeq: 3, toSeq: 4, fromAt: 3, toAt: 4, reason: 'full' };
  store.write([batchOf([], [gap])]);
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

it('an incomplete checkpoint does not count, and is deleted after the next one', () => {
  const { store } = newStore();
  store.completeCheckpoint(store.beginCheckpoint(1, 0));
  const half = store.beginCheckpoint(2, 0);
  store.addCheckpointChunks(half, [{ clientId: 'c', json: '{}', hashes: [] }]);
  expect(store.findNewestCheckpoint()).toMatchObject({ seq: 1 });
  const newest = store.beginCheckpoint(3, 0);
  store.completeCheckpoint(newest);
  while (store.deleteStaleCheckpoints(1));
  expect(store.findNewestCheckpoint()).toEqual({ id: newest, seq: 3 });
  expect(store.readCheckpoint(half, 0, 10, 1).chunks).toEqual([]);
  store.close();
});

it('a snapshot is due after 1,024 observations, including those before a restart', () => {
  const { file, store } = newStore();
  expect(store.write([manyOf(1, 1_000)]).totals.snapshotsDue).toBe(0);
  store.close();
  const again = openStore(file);
  expect(again.write([manyOf(1_001, 23)]).totals.snapshotsDue).toBe(0);
  expect(again.write([manyOf(1_024, 1)]).totals.snapshotsDue).toBe(1);
  expect(again.storeSnapshots().snapshotsDue).toBe(0);
  expect(again.write([manyOf(1_025, 1)]).totals.snapshotsDue).toBe(0);
  again.close();
});

it('a long history begins with a snapshot, a short one with the first observation', () => {
  const { file, store } = newStore();
  const log = new LogReader(file);
  for (let snapshot = 0; snapshot < 18; snapshot++) {
    store.write([manyOf(1 + 1_024 * snapshot, 1_024)]);
    while (store.storeSnapshots().snapshotsDue > 0);
  }
  const base = log.readHistoryBase('client-a', 1e9);
  expect(base).toMatchObject({ seq: 2 * 1_024, at: 2 * 1_024, hasOlder: true });
  expect(log.readHistoryBase('client-a', 1e9, 5_000)).toMatchObject({ seq: 4 * 1_024, at: 4 * 1_024 });
  expect(log.readHistoryBase('client-a', 1e9, 1_000)).toBeUndefined();
  const reported = base && parseClientTexts(base.texts);
  expect(reported).toMatchObject(store.readClientAt('client-a', { seq: 2 * 1_024 })?.outline.client ?? {});
  expect(reported?.reports.size).toBe(1);
  expect(log.readHistoryBase('client-a', 16_000)).toBeUndefined();
  expect(log.readHistoryBase('stranger', 1e9)).toBeUndefined();
  log.close();
  store.close();
});

describe('in a rush', () => {
  const rows = 600;
  /** Three batches at once, which are not followed while they are written. */
  const rush = (from: number) => [0, 1, 2].map((step) => changesOf(from + step * rows, rows));
  const moments = [1, 599, 1_024, 1_025, 2_000, 3 * rows, 5 * rows, 6 * rows];

  it('snapshots are made later, with the same content as those made while writing', () => {
    const { file, store } = newStore();
    const { file: calmFile, store: calm } = newStore();
    for (const from of [1, 1 + 3 * rows]) {
      expect(store.write(rush(from)).totals).toMatchObject({
        snapshotsDue: 0,
        notFollowed: from + 3 * rows - 1,
      });
      for (const batch of rush(from)) {
        calm.write([batch]);
        while (calm.storeSnapshots().snapshotsDue > 0);
      }
    }
    const log = new LogReader(file);
    expect(log.readHistoryBase('client-a', 1e9)).toBeUndefined();
    log.close();
    const before = moments.map((seq) => clientAt(store, seq));
    let left = store.storeSnapshots();
    while (left.notFollowed > 0 || left.snapshotsDue > 0) left = store.storeSnapshots();
    const same = moments.map((seq) => clientAt(calm, seq));
    expect(before).toEqual(same);
    expect(moments.map((seq) => clientAt(store, seq))).toEqual(same);
    expect(snapshotsIn(file)).toBeGreaterThan(1);
    expect(snapshotsIn(file)).toBe(snapshotsIn(calmFile));
    // From here on, observations are followed while they are written.
    expect(store.write([manyOf(1 + 6 * rows, 10)]).totals.notFollowed).toBe(0);
    store.close();
    calm.close();
  });

  it('snapshots that continuous writes delay are made later, at the right observations', () => {
    const { file, store } = newStore();
    for (let step = 0; step < 12; step++) store.write([changesOf(1 + step * rows, rows)]);
    let left = store.totals();
    expect(left.notFollowed).toBeGreaterThan(0);
    while (left.notFollowed > 0 || left.snapshotsDue > 0) left = store.storeSnapshots();
    expect(snapshotsIn(file)).toBeGreaterThanOrEqual(5);
    expect(clientAt(store, 3_000)?.seq).toBe(3_000);
    store.close();
  });

  it('observations written meanwhile are followed afterwards', () => {
    const { file, store } = newStore();
    store.write(rush(1));
    store.storeSnapshots();
    expect(store.write([manyOf(1 + 3 * rows, rows)]).totals.notFollowed).toBeGreaterThan(rows);
    let left = store.storeSnapshots();
    while (left.notFollowed > 0 || left.snapshotsDue > 0) left = store.storeSnapshots();
    expect(clientAt(store, 4 * rows)?.seq).toBe(4 * rows);
    expect(snapshotsIn(file)).toBeGreaterThan(0);
    store.close();
  });

  it('a failed write does not affect what is to be followed', () => {
    const { store } = newStore();
    store.write(rush(1));
    const torn = { ...emissionOf(1, 'b'), bodies: [{ ...bodyOf('b'), typeUrl: null as never }] };
    expect(() => store.write([batchOf([torn], [], 1 + 3 * rows)])).toThrow('NOT NULL');
    expect(store.totals().notFollowed).toBe(3 * rows);
    store.close();
  });

  it('deleted observations are no longer followed', () => {
    const { store } = newStore();
    store.write(rush(1));
    store.completeCheckpoint(store.beginCheckpoint(2 * rows, 0));
    store.rollBase('client-a', 2 * rows);
    expect(store.totals().notFollowed).toBe(0);
    store.deleteObservations(2 * rows);
    store.write(rush(1 + 3 * rows));
    let left = store.storeSnapshots();
    while (left.notFollowed > 0 || left.snapshotsDue > 0) left = store.storeSnapshots();
    expect(clientAt(store, 6 * rows)?.seq).toBe(6 * rows);
    store.close();
  });
});

type Store = ReturnType<typeof newStore>['store'];

/** Everything that the store returns of the client, whatever it is read from. */
function clientAt(store: Store, seq: number) {
  const found = store.readClientAt('client-a', { seq });
  if (!found) return undefined;
  const { client, reports } = found.outline;
  const chunkOf = (id: number) => store.readChunks([id])[0] ?? '';
  const texts = reports.map(({ key, report, rows: { stored, changed } }) => ({
    key,
    report,
    rows: rowsOf([...(stored === null ? [] : chunkIdsOf(stored).map(chunkOf)), ...changed]),
  }));
  return { ...client, texts };
}

function rowsOf(texts: readonly string[]) {
  const rows = new Map<string, unknown>();
  for (const text of texts) for (const [key, row] of parseChanges(text)) rows.set(key, row);
  return rows;
}

function snapshotsIn(file: string): number {
  const sql = new SqlFile(file);
  const count = sql.number('SELECT count(*) AS n FROM snapshots') ?? 0;
  sql.close();
  return count;
}

/** Each observation changes one of 50 resources, and has its body. */
function changesOf(from: number, count: number): WriteBatch {
  const emissions = Array.from({ length: count }, (_, index) => {
    const seq = from + index;
    return emissionOf(seq, `content ${seq}`, 'client-a', `cluster-${seq % 50}`);
  });
  return batchOf(emissions, [], from);
}
