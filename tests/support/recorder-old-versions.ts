import { deflateRawSync } from 'node:zlib';
import Database from 'libsql';
import { unpackPart } from '@/server/recorder/block-parts';
import { partId } from '@/server/recorder/block-store';
import { ByteReader, ByteWriter } from '@/server/recorder/byte-writer';
import { decodeRows, unpackRows } from '@/server/recorder/encoded-rows';
import { plainObservation } from '@/server/recorder/log-row';
import { inflateBytes } from '@/server/recorder/packing';
import { RowDecoder } from '@/server/recorder/row-decoder';
import { StoredVocabulary } from '@/server/recorder/vocabulary';

interface IndexRow {
  readonly first: number;
  readonly terms: ArrayBuffer;
  readonly hashes: ArrayBuffer;
}

interface PartsRow {
  readonly first: number;
  readonly parts: string;
  readonly vocabulary: ArrayBuffer;
}

interface BodyRow {
  readonly id: number;
  readonly size: number;
  readonly start: number;
  readonly bytes: ArrayBuffer;
}

export const oldVersions = [2, 3, 4] as const;

/** Makes a closed recording what an older version of the schema had made of the same observations. */
export function turnIntoVersion(version: (typeof oldVersions)[number], file: string): void {
  const sql = new Database(file);
  sql.exec('BEGIN');
  writeTexts(sql);
  sql.exec('ALTER TABLE block_index DROP COLUMN vocabulary; DROP TABLE waiting;');
  if (version < 4) sql.exec('ALTER TABLE block_index DROP COLUMN churn;');
  if (version < 3) leaveVersion3(sql);
  sql.exec(`PRAGMA user_version = ${version}; COMMIT;`);
  sql.close();
}

/** Hashes among the terms, and each body by itself. */
function leaveVersion3(sql: Database.Database): void {
  const blocks = sql.prepare('SELECT first_seq AS first, terms, hashes FROM block_index').all() as IndexRow[];
  for (const { first, terms, hashes } of blocks) {
    sql
      .prepare('UPDATE block_index SET terms = ? WHERE first_seq = ?')
      .run([withHashes(new Uint8Array(terms), new Uint32Array(hashes)), first]);
  }
  const bodies = sql
    .prepare(
      `SELECT b.id AS id, b.size AS size, b.pack_from AS start, p.bytes AS bytes
         FROM bodies b JOIN body_packs p ON p.id = b.pack_id`,
    )
    .all() as BodyRow[];
  for (const { id, size, start, bytes } of bodies) {
    const body = inflateBytes(new Uint8Array(bytes)).subarray(start, start + size);
    const isLong = size >= 256;
    sql
      .prepare('INSERT INTO body_bytes VALUES (?, ?, ?)')
      .run([id, isLong ? 1 : 0, isLong ? deflateRawSync(body) : body]);
  }
  sql.exec(`
    DROP INDEX bodies_by_pack;
    ALTER TABLE bodies DROP COLUMN pack_id;
    ALTER TABLE bodies DROP COLUMN pack_from;
    ALTER TABLE block_index DROP COLUMN hashes;
    DROP TABLE body_packs;
  `);
}

/** JSON instead of rows. */
function writeTexts(sql: Database.Database): void {
  const blocks = sql
    .prepare('SELECT first_seq AS first, parts, vocabulary FROM block_index')
    .all() as PartsRow[];
  for (const { first, parts, vocabulary } of blocks) {
    const decoder = new RowDecoder(new StoredVocabulary(inflateBytes(new Uint8Array(vocabulary))));
    const counts = JSON.parse(parts) as number[];
    for (const [part, count] of counts.entries()) {
      const id = partId(first, part);
      const { bytes } = sql.prepare('SELECT bytes FROM block_parts WHERE id = ?').get(id) as {
        bytes: Buffer;
      };
      const { rows, starts } = unpackPart(bytes, count);
      const texts = Array.from(starts, (start) => JSON.stringify(decoder.decode(rows, start)));
      sql
        .prepare('UPDATE block_parts SET bytes = ? WHERE id = ?')
        .run([deflateRawSync(texts.join('\n')), id]);
    }
  }
  sql.exec('CREATE TABLE recent (seq INTEGER PRIMARY KEY, json NOT NULL)');
  const waiting = sql.prepare('SELECT bytes FROM waiting').all() as { bytes: ArrayBuffer }[];
  for (const { bytes } of waiting) {
    for (const row of decodeRows(unpackRows(inflateBytes(new Uint8Array(bytes))))) {
      sql.prepare('INSERT INTO recent VALUES (?, ?)').run([row.seq, JSON.stringify(plainObservation(row))]);
    }
  }
}

/** The terms' first format has the hashes in front. */
function withHashes(terms: Uint8Array, hashes: Uint32Array): Uint8Array {
  const reader = new ByteReader(inflateBytes(terms));
  const writer = new ByteWriter();
  if (reader.varint() !== 2) throw new Error('expected terms of the second format');
  const offsets = Array.from({ length: reader.varint() }, () => reader.varint());
  const ids = Array.from({ length: offsets.reduce((sum, held) => sum + held, 0) }, () => reader.varint());
  writer.varint(1);
  writer.varint(hashes.length);
  let before = 0;
  for (const hash of hashes) {
    writer.varint(hash - before);
    before = hash;
  }
  for (const value of [offsets.length, ...offsets, ...ids]) writer.varint(value);
  return deflateRawSync(writer.finish());
}
