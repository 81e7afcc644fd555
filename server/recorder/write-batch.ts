import type { Body } from '@/server/observe';
import type { LogRow } from './block-columns';
import { BodyPacker, byKind } from './body-packs';
import { type BodyTouches, touchBodies } from './body-touches';
import { type BlockChange, type LogBlocks, logRowOf } from './log-blocks';
import { namedHashes } from './named-hashes';
import type { SqlFile } from './sql-file';

/** One observation as the worker gets it. */
export interface ObservationRow {
  readonly seq: number;
  readonly json: string;
  /** Those that it names and that may be new; what it names besides is there. */
  readonly bodies: readonly Body[];
}

/** Observations that could not be recorded, both ends included. */
export interface Gap {
  readonly fromSeq: number;
  readonly toSeq: number;
  readonly fromAt: number;
  readonly toAt: number;
  readonly reason: string;
}

export interface WriteBatch {
  readonly observations: readonly ObservationRow[];
  readonly gaps: readonly Gap[];
}

/** What a batch changed, for what is kept in memory beside the file. */
export interface Written {
  readonly change: BlockChange;
  /** Those that were not in the log already. */
  readonly rows: readonly LogRow[];
  readonly bodies: number;
}

/** All of the batch in one transaction. Repeating a batch that was committed already changes nothing. */
export function writeBatch(sql: SqlFile, log: LogBlocks, touches: BodyTouches, batch: WriteBatch): Written {
  const rows = batch.observations.map(({ seq, json }) => logRowOf(seq, json));
  const named = new Map<string, number>();
  for (const { seq, observation } of rows) for (const hash of namedHashes(observation)) named.set(hash, seq);
  return sql.transaction(() => {
    const bodies = insertBodies(sql, touches, named, batch.observations);
    touchBodies(sql, touches, named);
    const newest = log.newestSeq;
    const change = log.write(rows);
    for (const gap of batch.gaps) insertGap(sql, gap);
    return { change, rows: rows.filter(({ seq }) => seq > newest), bodies };
  });
}

/** Returns how many were not there. MUTATES `named`: those that were there are named again. */
function insertBodies(
  sql: SqlFile,
  touches: BodyTouches,
  named: Map<string, number>,
  rows: readonly ObservationRow[],
): number {
  const brought = rows.flatMap(({ seq, bodies }) => bodies.map((body) => ({ ...body, seq })));
  if (brought.length === 0) return 0;
  const packer = new BodyPacker(sql);
  let inserted = 0;
  for (const { hash, typeUrl, bytes, seq } of brought.sort(byKind)) {
    const { packId, from } = packer.placeFor(bytes);
    const { changes } = sql.run(
      `INSERT INTO bodies (hash, type_url, size, last_seq, pack_id, pack_from) VALUES (?, ?, ?, ?, ?, ?)
         ON CONFLICT (hash, type_url) DO NOTHING`,
      [hash, typeUrl, bytes.byteLength, seq, packId, from],
    );
    if (changes > 0) {
      packer.take(bytes);
      inserted += 1;
      touches.set(hash, seq);
    } else {
      named.set(hash, Math.max(seq, named.get(hash) ?? 0));
    }
  }
  packer.finish();
  return inserted;
}

function insertGap(sql: SqlFile, { fromSeq, toSeq, fromAt, toAt, reason }: Gap): void {
  sql.run('INSERT OR REPLACE INTO gaps VALUES (?, ?, ?, ?, ?)', [fromSeq, toSeq, fromAt, toAt, reason]);
}
