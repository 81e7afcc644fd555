import { undecodable } from '../database/damaged-file';
import type { SqlFile } from '../database/sql-file';
import type { BroughtBody } from '../writer/batch-builder';
import { deflateBytes, inflateBytes } from './packing';

/** Where a body is: from `from` on in what the pack inflates to. */
export interface PackPlace {
  readonly packId: number;
  readonly from: number;
}

/** Inflated. What is alike is deflated together; and who reads one body inflates this much. */
const packSize = 16 * 1024;

/** Gathers bodies into packs. Inside a transaction; finish() must be called before its end. */
export class BodyPacker {
  #packId: number;
  #pieces: Uint8Array[] = [];
  #size = 0;

  constructor(private readonly sql: SqlFile) {
    this.#packId = (sql.number('SELECT max(id) AS n FROM body_packs') ?? 0) + 1;
  }

  /** Returns where it goes. The bytes must stay as they are until finish(). */
  add(bytes: Uint8Array): PackPlace {
    if (this.#size > 0 && this.#size + bytes.byteLength > packSize) this.finish();
    const place = { packId: this.#packId, from: this.#size };
    this.#pieces.push(bytes);
    this.#size += bytes.byteLength;
    return place;
  }

  finish(): void {
    if (this.#pieces.length === 0) return;
    this.sql.run('INSERT INTO body_packs (id, size, bytes) VALUES (?, ?, ?)', [
      this.#packId,
      this.#size,
      deflateBytes(Buffer.concat(this.#pieces, this.#size)),
    ]);
    this.#packId += 1;
    this.#pieces = [];
    this.#size = 0;
  }
}

/** Neighbours in a pack are mostly of one kind: who sorts by type and size packs better. */
export function byKind(a: BroughtBody, b: BroughtBody): number {
  if (a.typeUrl !== b.typeUrl) return a.typeUrl < b.typeUrl ? -1 : 1;
  return a.to - a.from - (b.to - b.from);
}

export function readPack(sql: SqlFile, id: number): Buffer {
  const row = sql.first<{ bytes: ArrayBuffer }>('SELECT bytes FROM body_packs WHERE id = ?', [id]);
  if (!row) throw undecodable(`pack ${id} of bodies is missing`);
  return inflateBytes(row.bytes);
}

/**
 * After bodies of these packs went: deletes the packs that hold no other, and writes what is left of those that are
 * mostly empty into new ones. Inside a transaction.
 */
export function tidyPacks(sql: SqlFile, packIds: ReadonlySet<number>): void {
  const packer = new BodyPacker(sql);
  for (const id of packIds) {
    const left = sql.all<{ id: number; size: number; packFrom: number }>(
      'SELECT id, size, pack_from AS packFrom FROM bodies WHERE pack_id = ? ORDER BY pack_from',
      [id],
    );
    const size = sql.number('SELECT size AS n FROM body_packs WHERE id = ?', [id]) ?? 0;
    const held = left.reduce((sum, body) => sum + body.size, 0);
    if (held * 4 > size) continue;
    if (left.length > 0) {
      const pack = readPack(sql, id);
      for (const body of left) {
        const bytes = pack.subarray(body.packFrom, body.packFrom + body.size);
        const { packId, from } = packer.add(bytes);
        sql.run('UPDATE bodies SET pack_id = ?, pack_from = ? WHERE id = ?', [packId, from, body.id]);
      }
    }
    sql.run('DELETE FROM body_packs WHERE id = ?', [id]);
  }
  packer.finish();
}
