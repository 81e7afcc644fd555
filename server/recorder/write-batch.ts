import type { Body } from '@/server/observe';
import { packBytes, packJson } from './packing';
import type { SqlFile } from './sql-file';

/** One observation as the worker gets it: its JSON, and what to filter by. */
export interface ObservationRow {
  readonly seq: number;
  readonly at: number;
  readonly kind: string;
  readonly vantage: string;
  readonly sourceId: string;
  readonly clientId: string | null;
  readonly typeUrl: string | null;
  readonly json: string;
  /** Every body that it names, whether or not it brings the bytes. */
  readonly hashes: readonly string[];
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

/** How much a batch added; the store keeps totals with it. */
export interface Written {
  readonly observations: number;
  readonly bodies: number;
}

/** All of the batch in one transaction. Repeating a batch that was committed already changes nothing. */
export function writeBatch(sql: SqlFile, batch: WriteBatch): Written {
  return sql.transaction(() => {
    let observations = 0;
    let bodies = 0;
    for (const row of batch.observations) {
      for (const body of row.bodies) bodies += insertBody(sql, body, row.seq);
      touchBodies(sql, row.hashes, row.seq);
      observations += insertObservation(sql, row);
    }
    for (const gap of batch.gaps) insertGap(sql, gap);
    return { observations, bodies };
  });
}

function insertObservation(sql: SqlFile, row: ObservationRow): number {
  return sql.run('INSERT INTO observations VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (seq) DO NOTHING', [
    row.seq,
    row.at,
    row.kind,
    row.vantage,
    row.sourceId,
    row.clientId,
    row.typeUrl,
    row.json.length,
    packJson(row.json),
  ]).changes;
}

function insertBody(sql: SqlFile, { hash, typeUrl, bytes }: Body, seq: number): number {
  const { changes, lastInsertRowid } = sql.run(
    'INSERT INTO bodies (hash, type_url, size, last_seq) VALUES (?, ?, ?, ?) ON CONFLICT (hash, type_url) DO NOTHING',
    [hash, typeUrl, bytes.byteLength, seq],
  );
  if (changes === 0) {
    touchBodies(sql, [hash], seq);
    return 0;
  }
  const packed = packBytes(bytes);
  sql.run('INSERT INTO body_bytes (body_id, encoding, bytes) VALUES (?, ?, ?)', [
    lastInsertRowid,
    packed.encoding,
    packed.bytes,
  ]);
  return 1;
}

/** Notes that these bodies are named at `seq`, so that retention keeps them as long as what names them. */
export function touchBodies(sql: SqlFile, hashes: readonly string[], seq: number): void {
  for (const hash of hashes) {
    sql.run('UPDATE bodies SET last_seq = ? WHERE hash = ? AND last_seq < ?', [seq, hash, seq]);
  }
}

function insertGap(sql: SqlFile, { fromSeq, toSeq, fromAt, toAt, reason }: Gap): void {
  sql.run('INSERT OR REPLACE INTO gaps VALUES (?, ?, ?, ?, ?)', [fromSeq, toSeq, fromAt, toAt, reason]);
}
