import type { EpochMs } from '@/lib/xds/units';
import type { BlockMeta } from '../blocks/block-meta';
import type { LogBlock } from '../blocks/log-block';
import type { LogBlocks } from '../blocks/log-blocks';
import type { SqlFile } from '../database/sql-file';

/** A range of the log that somebody keeps, whatever the retention's limits say. */
export interface Pin {
  readonly id: number;
  /** Both included. */
  readonly from: EpochMs;
  readonly to: EpochMs;
  /** null: everybody's. */
  readonly clientId: string | null;
  readonly label: string;
  readonly createdAt: EpochMs;
}

/** Each keeps blocks from being deleted, and is looked at for each block. */
export const maxPins = 200;

export function readPins(sql: SqlFile): Pin[] {
  return sql.all<Pin>(
    `SELECT id, from_at AS "from", to_at AS "to", client_id AS clientId, label, created_at AS createdAt
       FROM pins ORDER BY from_at, id`,
  );
}

/** undefined: there are maxPins already. */
export function addPin(sql: SqlFile, pin: Omit<Pin, 'id'>): Pin | undefined {
  if ((sql.number('SELECT count(*) AS n FROM pins') ?? 0) >= maxPins) return undefined;
  const { from, to, clientId, label, createdAt } = pin;
  const { lastInsertRowid: id } = sql.run(
    'INSERT INTO pins (from_at, to_at, client_id, label, created_at) VALUES (?, ?, ?, ?, ?)',
    [from, to, clientId, label, createdAt],
  );
  return { id, ...pin };
}

/** Whether it was there. What it kept goes with the next round of retention. */
export function removePin(sql: SqlFile, id: number): boolean {
  return sql.run('DELETE FROM pins WHERE id = ?', [id]).changes > 0;
}

/** Is anything of the block in one of the ranges? */
export function isInPin(
  pins: readonly Pin[],
  { fromAt, toAt }: Pick<BlockMeta, 'fromAt' | 'toAt'>,
  read: () => LogBlock,
): boolean {
  return pins.some(
    ({ from, to, clientId }) =>
      toAt >= from && fromAt <= to && (clientId === null || read().numberOf(clientId) !== undefined),
  );
}

/** Blocks that no range keeps any longer may go again. */
export function releaseBlocks(sql: SqlFile, log: LogBlocks): void {
  const pins = readPins(sql);
  const released = log.metas.filter((meta) => meta.isPinned && !isInPin(pins, meta, () => log.block(meta)));
  if (released.length === 0) return;
  sql.transaction(() => {
    for (const { firstSeq } of released) {
      sql.run('UPDATE blocks SET pinned = 0 WHERE first_seq = ?', [firstSeq]);
      sql.run('DELETE FROM pinned_bodies WHERE first_seq = ?', [firstSeq]);
    }
  });
  log.applyBlocks(
    released.map((meta) => ({ ...meta, isPinned: false })),
    released,
  );
}

/** Keeps a block beyond the retention's limits, with the bodies of `hashes`. */
export function pinBlock(sql: SqlFile, log: LogBlocks, meta: BlockMeta, hashes: Iterable<string>): void {
  sql.transaction(() => {
    sql.run('UPDATE blocks SET pinned = 1 WHERE first_seq = ?', [meta.firstSeq]);
    for (const hash of hashes) {
      sql.run('INSERT OR IGNORE INTO pinned_bodies (hash, first_seq) VALUES (?, ?)', [hash, meta.firstSeq]);
    }
  });
  log.applyBlocks([{ ...meta, isPinned: true }], [meta]);
}
