import type { LoadSeries } from '@/lib/load/load-series';
import { floorTo, type LoadSpan, minuteMs } from '@/lib/load/plan-load-reading';
import type { EpochMs } from '@/lib/xds/units';
import { OpenFiles } from '../open-files';
import type { LoadStorage, LoadTier, ShardBlock, StoredSums } from '../storage/load-storage';
import { loadFormat } from './load-schema';
import { openDatabase } from './open-database';
import { bytesOf, type SqlFile, type SqlText, type SqlValue, textOf } from './sql-file';

const tiers = { minutes: 1, hours: 2 };
const rowsAtOnce = 2_000;

/** Opens or creates a file of load; errors are those of openSqliteLog(). */
export function openSqliteLoad<T>(file: string, load: (storage: LoadStorage) => T): T {
  return openDatabase({ file, wasOpen: false, format: loadFormat }, (sql) => load(storageOf(sql, file)));
}

type Blob<Row> = Row & { readonly bytes: ArrayBuffer };

function storageOf(sql: SqlFile, file: string): LoadStorage {
  const files = new OpenFiles([file, `${file}-wal`, `${file}-shm`]);
  const blocks = <Row>(text: string, values: readonly SqlValue[] = []) =>
    sql.all<Blob<Row>>(text, values).map((row) => ({ ...row, bytes: bytesOf(row.bytes) }));
  const addSums = (tier: LoadTier, beginsAt: EpochMs, sums: Iterable<ShardBlock>): void => {
    for (const [shard, bytes] of sums) {
      sql.run('INSERT INTO rolled (tier, shard, begins_at, rolled, bytes) VALUES (?, ?, ?, 0, ?)', [
        ...[tiers[tier], shard, beginsAt],
        bytes,
      ]);
    }
  };
  const raiseReach = (tier: number, from: EpochMs): void => {
    sql.run(
      `INSERT INTO reach (tier, from_at) VALUES (?, ?)
         ON CONFLICT (tier) DO UPDATE SET from_at = max(from_at, excluded.from_at)`,
      [tier, from],
    );
  };
  return {
    transaction: (work) => sql.transaction(work),
    addSeries: (all) =>
      sql.transaction(() => {
        for (const { id, shard, series } of all) {
          const { clientId, clusterName } = series.scope;
          sql.run(
            'INSERT OR IGNORE INTO series (id, shard, client_id, cluster, json) VALUES (?, ?, ?, ?, ?)',
            [...[id, shard, clientId, clusterName], JSON.stringify(series)],
          );
        }
      }),
    readSeries({ cluster, clientId }, whose) {
      const conditions = whose === 'all' ? [] : [whose === 'fleet' ? 'id < 0' : 'id > 0'];
      if (cluster !== undefined) conditions.push('cluster = ?');
      if (clientId !== undefined) conditions.push('client_id = ?');
      const where = conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`;
      return sql
        .all<{ id: number; shard: number; json: SqlText }>(
          `SELECT id, shard, json FROM series ${where} ORDER BY id`,
          [cluster, clientId].filter((value) => value !== undefined),
        )
        .map(({ id, shard, json }) => ({ id, shard, ...(JSON.parse(textOf(json)) as LoadSeries) }));
    },
    nextRawId: () => (sql.number('SELECT max(id) AS n FROM raw') ?? 0) + 1,
    appendRaw: ({ id, minute, bytes, firstAt, lastAt, fleet }) =>
      sql.transaction(() => {
        sql.run('INSERT INTO raw (id, minute, rolled, bytes) VALUES (?, ?, 0, ?)', [id, minute, bytes]);
        sql.run('INSERT INTO raw_times (id, first_at, last_at) VALUES (?, ?, ?)', [id, firstAt, lastAt]);
        sql.run('INSERT INTO fleet (raw_id, minute, rolled, bytes) VALUES (?, ?, 0, ?)', [id, minute, fleet]);
      }),
    readOpenRaw: () => blocks('SELECT minute, bytes FROM raw WHERE rolled = 0 ORDER BY id'),
    readRaw: ({ from, to }) =>
      blocks<{ minute: EpochMs; rolled: number }>(
        `SELECT minute, rolled, bytes FROM raw JOIN raw_times USING (id)
           WHERE rolled IN (0, 1) AND minute >= ? AND minute < ? AND first_at < ? AND last_at >= ?`,
        [floorTo(from, minuteMs), to, to, from],
      ).map(({ rolled, ...row }) => ({ ...row, isOpen: rolled === 0 })),
    readFleet: ({ from, to }, which) =>
      blocks('SELECT minute, bytes FROM fleet WHERE rolled IN (0, ?) AND minute >= ? AND minute < ?', [
        which === 'open' ? 0 : 1,
        from,
        to,
      ]),
    closeMinute: (minute, sums, fleet) =>
      sql.transaction(() => {
        sql.run('DELETE FROM fleet WHERE rolled = 0 AND minute = ?', [minute]);
        sql.run('INSERT INTO fleet (raw_id, minute, rolled, bytes) VALUES (NULL, ?, 1, ?)', [minute, fleet]);
        addSums('minutes', minute, sums);
        sql.run('UPDATE raw SET rolled = 1 WHERE rolled = 0 AND minute = ?', [minute]);
      }),
    findOpenSums: () =>
      sql.first(
        `SELECT begins_at AS beginsAt, shard FROM rolled WHERE tier = 1 AND rolled = 0 ORDER BY begins_at LIMIT 1`,
      ),
    closeHour: (hour, sums, minutes) =>
      sql.transaction(() => {
        addSums('hours', hour, sums);
        for (const id of minutes) sql.run('UPDATE rolled SET rolled = 1 WHERE id = ?', [id]);
      }),
    readSums: (tier, shards, { from, to }, which) =>
      blocks<StoredSums>(
        `SELECT id, begins_at AS beginsAt, bytes FROM rolled
           WHERE tier = ? AND shard IN (SELECT value FROM json_each(?)) AND begins_at >= ? AND begins_at < ?
             ${which === 'open' ? 'AND rolled = 0' : ''}`,
        [tiers[tier], JSON.stringify([...new Set(shards)]), from, to],
      ),
    reach() {
      const rows = sql.all<{ tier: number; fromAt: number }>('SELECT tier, from_at AS fromAt FROM reach');
      const from = (wanted: number): EpochMs => rows.find(({ tier }) => tier === wanted)?.fromAt ?? 0;
      return { raw: from(0), minutes: from(tiers.minutes), hours: from(tiers.hours) };
    },
    findRaw(from) {
      // There is one query per value, because the index begins with `rolled`.
      const found = [0, 1].map((rolled) =>
        sql.number('SELECT min(minute) AS n FROM raw WHERE rolled = ? AND minute >= ?', [rolled, from]),
      );
      const moments = found.filter((at) => at !== null);
      return moments.length === 0 ? null : Math.min(...moments);
    },
    findSums: (tier, { from, to }: LoadSpan) =>
      sql.number(
        'SELECT min(begins_at) AS n FROM rolled WHERE tier = ? AND begins_at >= ? AND begins_at < ?',
        [...[tiers[tier], from, to]],
      ),
    oldest: () => ({
      raw: sql.number('SELECT min(minute) AS n FROM raw WHERE rolled = 1'),
      minutes: sql.number('SELECT min(begins_at) AS n FROM rolled WHERE tier = 1 AND rolled = 1'),
      hours: sql.number('SELECT min(begins_at) AS n FROM rolled WHERE tier = 2'),
    }),
    deleteRaw: (before) =>
      sql.transaction(() => {
        const old = 'SELECT id FROM raw WHERE rolled = 1 AND minute < ? ORDER BY id LIMIT ?';
        sql.run(`DELETE FROM raw_times WHERE id IN (${old})`, [before, rowsAtOnce]);
        sql.run('DELETE FROM fleet WHERE rolled = 1 AND minute < ?', [before]);
        const { changes } = sql.run(`DELETE FROM raw WHERE id IN (${old})`, [before, rowsAtOnce]);
        if (changes > 0) raiseReach(0, before);
        return changes > 0;
      }),
    deleteSums: (tier, before) =>
      sql.transaction(() => {
        const { changes } = sql.run(
          `DELETE FROM rolled WHERE id IN
             (SELECT id FROM rolled WHERE tier = ? AND begins_at < ? AND (tier = 2 OR rolled = 1) LIMIT ?)`,
          [tiers[tier], before, rowsAtOnce],
        );
        if (changes > 0) raiseReach(tiers[tier], before);
        return changes > 0;
      }),
    usedBytes: () => sql.size().usedBytes,
    shrink: (pages) => sql.shrink(pages),
    assertInPlace: () => files.assertInPlace(),
    close: () => sql.closeWhole(),
  };
}
