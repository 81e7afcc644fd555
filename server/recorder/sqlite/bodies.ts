import { by } from '@/lib/collections/compare';
import { boundedCache } from '../../bounded-cache';
import type { Body } from '../../observe';
import { undecodable } from '../damaged-file';
import { deflateBytes, inflateBytes } from '../deflate';
import type { BodyStore, NewBody, UnnamedBody } from '../storage/immutable-stores';
import { bytesOf, type SqlFile, type SqlText, type SqlValue, textOf } from './sql-file';

/** Size before deflation. Similar bodies are deflated together, and reading one body inflates a whole pack. */
const packSize = 16 * 1024;
/** Rows per INSERT statement: with one row each, calls to SQLite cost more than the insertion. */
const rowsAtOnce = 64;
const maxKnownLeases = 100_000;
/** A body that is named repeatedly is updated once in at most this many observations. */
const maxLease = 10_000;

interface BodyRow {
  hash: SqlText;
  typeUrl: SqlText;
  size: number;
  packId: number;
  packFrom: number;
}

const columns = `
  SELECT hash, type_url AS typeUrl, size, pack_id AS packId, pack_from AS packFrom FROM bodies`;
const isUnnamed = `last_seq < ?
  AND NOT EXISTS (SELECT 1 FROM permalink_bodies p WHERE p.hash = bodies.hash)
  AND NOT EXISTS (SELECT 1 FROM pinned_bodies p WHERE p.hash = bodies.hash)`;
const insertOne = insertText(1);
const insertMany = insertText(rowsAtOnce);

function insertText(rows: number): string {
  const values = new Array<string>(rows).fill('(?, ?, ?, ?, ?, ?)').join(', ');
  return `INSERT INTO bodies (hash, type_url, size, last_seq, pack_id, pack_from) VALUES ${values}
            ON CONFLICT (hash, type_url) DO NOTHING`;
}

/** A body named at `seq` is kept somewhat longer than necessary, so that its row is written less often. */
function leaseFrom(seq: number): number {
  return seq + Math.min(maxLease, Math.floor(seq / 16));
}

export class SqliteBodies implements BodyStore {
  readonly #sql: SqlFile;

  /** Lower bounds of last_seq by hash, for bodies that were named recently. */
  readonly #leases = boundedCache<number>(maxKnownLeases);

  constructor(sql: SqlFile) {
    this.#sql = sql;
  }

  /** Must be called after a transaction that was rolled back: leases may have been rolled back with it. */
  forgetLeases(): void {
    this.#leases.clear();
  }

  count(): number {
    return this.#sql.number('SELECT count(*) AS n FROM bodies') ?? 0;
  }

  insert(bodies: readonly NewBody[]): number {
    if (bodies.length === 0) return 0;
    return this.#sql.transaction(() => {
      const known = this.#findKnown(bodies);
      const packer = new BodyPacker(this.#sql);
      const rows: SqlValue[][] = [];
      for (const body of [...bodies].sort(byKind)) {
        const { hash, typeUrl, seq, bytes } = body;
        if (known.has(keyOf(body))) {
          this.keep(hash, seq);
          continue;
        }
        known.add(keyOf(body));
        const { packId, from } = packer.add(bytes);
        this.#leases.set(hash, leaseFrom(seq));
        rows.push([hash, typeUrl, bytes.byteLength, leaseFrom(seq), packId, from]);
      }
      packer.finish();
      let inserted = 0;
      for (let from = 0; from < rows.length; from += rowsAtOnce) {
        const some = rows.slice(from, from + rowsAtOnce);
        // A statement for each other number of rows would occupy memory.
        if (some.length === rowsAtOnce) inserted += this.#sql.run(insertMany, some.flat()).changes;
        else for (const row of some) inserted += this.#sql.run(insertOne, row).changes;
      }
      return inserted;
    });
  }

  #findKnown(bodies: readonly NewBody[]): Set<string> {
    const found = this.#sql.all<Pick<BodyRow, 'hash' | 'typeUrl'>>(
      'SELECT hash, type_url AS typeUrl FROM bodies WHERE hash IN (SELECT value FROM json_each(?))',
      [JSON.stringify(bodies.map(({ hash }) => hash))],
    );
    return new Set(found.map(({ hash, typeUrl }) => keyOf({ hash: textOf(hash), typeUrl: textOf(typeUrl) })));
  }

  keep(hash: string, seq: number): void {
    if ((this.#leases.get(hash) ?? 0) < seq) this.#keepUntil(hash, leaseFrom(seq));
  }

  renew(hashes: Iterable<string>, seq: number): number {
    const until = leaseFrom(seq) + 1;
    for (const hash of hashes) if ((this.#leases.get(hash) ?? 0) < until) this.#keepUntil(hash, until);
    return until;
  }

  #keepUntil(hash: string, until: number): void {
    this.#sql.run('UPDATE bodies SET last_seq = ? WHERE hash = ? AND last_seq < ?', [until, hash, until]);
    this.#leases.set(hash, until);
  }

  read(hash: string, typeUrl: string | undefined): Body | undefined {
    const row =
      typeUrl === undefined
        ? this.#sql.first<BodyRow>(`${columns} WHERE hash = ? ORDER BY id LIMIT 1`, [hash])
        : this.#sql.first<BodyRow>(`${columns} WHERE hash = ? AND type_url = ?`, [hash, typeUrl]);
    return row && bodyOf(row, readPack(this.#sql, row.packId));
  }

  readMany(hashes: readonly string[]): Body[] {
    const rows = this.#sql.all<BodyRow>(
      `${columns} WHERE id IN
         (SELECT min(id) FROM bodies WHERE hash IN (SELECT value FROM json_each(?)) GROUP BY hash)`,
      [JSON.stringify(hashes)],
    );
    rows.sort(by(({ packId }) => packId));
    let newest: { readonly id: number; readonly bytes: Buffer } | undefined;
    return rows.map((row) => {
      if (newest?.id !== row.packId) newest = { id: row.packId, bytes: readPack(this.#sql, row.packId) };
      return bodyOf(row, newest.bytes);
    });
  }

  findUnnamed(keptFrom: number, limit: number): UnnamedBody[] {
    return this.#sql
      .all<{ id: number; hash: SqlText }>(`SELECT id, hash FROM bodies WHERE ${isUnnamed} LIMIT ?`, [
        keptFrom,
        limit,
      ])
      .map(({ id, hash }) => ({ id, hash: textOf(hash) }));
  }

  deleteUnnamed(ids: readonly number[], keptFrom: number): number {
    return this.#sql.transaction(() => {
      const list = JSON.stringify(ids);
      const packs = this.#sql.all<{ id: number }>(
        'SELECT DISTINCT pack_id AS id FROM bodies WHERE id IN (SELECT value FROM json_each(?))',
        [list],
      );
      const { changes } = this.#sql.run(
        `DELETE FROM bodies WHERE id IN (SELECT value FROM json_each(?)) AND ${isUnnamed}`,
        [list, keptFrom],
      );
      tidyPacks(
        this.#sql,
        packs.map(({ id }) => id),
      );
      return changes;
    });
  }
}

function keyOf({ hash, typeUrl }: Pick<Body, 'hash' | 'typeUrl'>): string {
  return `${hash} ${typeUrl}`;
}

/** Similar neighbours in a pack compress better. */
function byKind(a: Body, b: Body): number {
  if (a.typeUrl !== b.typeUrl) return a.typeUrl < b.typeUrl ? -1 : 1;
  return a.bytes.byteLength - b.bytes.byteLength;
}

function bodyOf({ hash, typeUrl, size, packFrom }: BodyRow, pack: Buffer): Body {
  const bytes = new Uint8Array(pack.subarray(packFrom, packFrom + size));
  return { hash: textOf(hash), typeUrl: textOf(typeUrl), bytes };
}

/** Collects bodies into packs; finish() must be called within the same transaction. */
class BodyPacker {
  readonly #sql: SqlFile;

  #packId: number;
  #pieces: Uint8Array[] = [];
  #size = 0;

  constructor(sql: SqlFile) {
    this.#sql = sql;

    this.#packId = (sql.number('SELECT max(id) AS n FROM body_packs') ?? 0) + 1;
  }

  /** Returns the place of the body: an offset in the inflated pack. `bytes` must not change until finish(). */
  add(bytes: Uint8Array): { readonly packId: number; readonly from: number } {
    if (this.#size > 0 && this.#size + bytes.byteLength > packSize) this.finish();
    const place = { packId: this.#packId, from: this.#size };
    this.#pieces.push(bytes);
    this.#size += bytes.byteLength;
    return place;
  }

  finish(): void {
    if (this.#pieces.length === 0) return;
    this.#sql.run('INSERT INTO body_packs (id, size, bytes) VALUES (?, ?, ?)', [
      ...[this.#packId, this.#size],
      deflateBytes(Buffer.concat(this.#pieces, this.#size)),
    ]);
    this.#packId += 1;
    this.#pieces = [];
    this.#size = 0;
  }
}

function readPack(sql: SqlFile, id: number): Buffer {
  const row = sql.first<{ bytes: ArrayBuffer }>('SELECT bytes FROM body_packs WHERE id = ?', [id]);
  if (!row) throw undecodable(`pack ${id} of bodies is missing`);
  return inflateBytes(bytesOf(row.bytes));
}

/** Deletes empty packs, and rewrites those that are mostly empty, after bodies of these packs were deleted. */
function tidyPacks(sql: SqlFile, packIds: readonly number[]): void {
  const packer = new BodyPacker(sql);
  for (const id of packIds) {
    const kept = sql.all<{ id: number; size: number; packFrom: number }>(
      'SELECT id, size, pack_from AS packFrom FROM bodies WHERE pack_id = ? ORDER BY pack_from',
      [id],
    );
    const size = sql.number('SELECT size AS n FROM body_packs WHERE id = ?', [id]) ?? 0;
    const used = kept.reduce((sum, body) => sum + body.size, 0);
    if (used * 4 > size) continue;
    if (kept.length > 0) {
      const pack = readPack(sql, id);
      for (const body of kept) {
        const { packId, from } = packer.add(pack.subarray(body.packFrom, body.packFrom + body.size));
        sql.run('UPDATE bodies SET pack_id = ?, pack_from = ? WHERE id = ?', [packId, from, body.id]);
      }
    }
    sql.run('DELETE FROM body_packs WHERE id = ?', [id]);
  }
  packer.finish();
}
