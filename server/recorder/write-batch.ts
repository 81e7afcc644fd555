import type { Body } from '@/server/observe';
import type { LogRow } from './block-columns';
import { type BodyTouches, touchBodies } from './body-touches';
import { type BlockChange, type LogBlocks, logRowOf } from './log-blocks';
import { namedHashes } from './named-hashes';
import { packBytes } from './packing';
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
    let bodies = 0;
    for (const row of batch.observations) {
      for (const body of row.bodies) {
        if (insertBody(sql, body, row.seq)) {
          bodies += 1;
          touches.set(body.hash, row.seq);
        } else {
          named.set(body.hash, Math.max(row.seq, named.get(body.hash) ?? 0));
        }
      }
    }
    touchBodies(sql, touches, named);
    const newest = log.newestSeq;
    const change = log.write(rows);
    for (const gap of batch.gaps) insertGap(sql, gap);
    return { change, rows: rows.filter(({ seq }) => seq > newest), bodies };
  });
}

/** false: it was there. */
function insertBody(sql: SqlFile, { hash, typeUrl, bytes }: Body, seq: number): boolean {
  const { changes, lastInsertRowid } = sql.run(
    'INSERT INTO bodies (hash, type_url, size, last_seq) VALUES (?, ?, ?, ?) ON CONFLICT (hash, type_url) DO NOTHING',
    [hash, typeUrl, bytes.byteLength, seq],
  );
  if (changes === 0) return false;
  const packed = packBytes(bytes);
  sql.run('INSERT INTO body_bytes (body_id, encoding, bytes) VALUES (?, ?, ?)', [
    lastInsertRowid,
    packed.encoding,
    packed.bytes,
  ]);
  return true;
}

function insertGap(sql: SqlFile, { fromSeq, toSeq, fromAt, toAt, reason }: Gap): void {
  sql.run('INSERT OR REPLACE INTO gaps VALUES (?, ?, ?, ?, ?)', [fromSeq, toSeq, fromAt, toAt, reason]);
}
