import { createHash } from 'node:crypto';
import type { Kysely } from 'kysely';
import { boundedCache } from '../bounded-cache';
import { type StoreTables, type TextRole, textRoles } from './schema';
import { bytesOfText, textOfBytes } from './text-bytes';

const maxCached = 200_000;
/** Longer texts, such as long errors, are looked up each time. */
const maxCachedChars = 1_000;
const atOnce = 400;

/** A text in a role, as one string. */
export type TextKey = string;

export function textKey(role: TextRole, text: string): TextKey {
  return `${textRoles.indexOf(role)}${text}`;
}

/** The ids of texts. They are cached until retention deletes texts (log_heads.texts_version). */
export class TextIds {
  readonly #ids = boundedCache<number>(maxCached);
  readonly #texts = boundedCache<string>(maxCached);
  #version = 0;

  /** Must be called with the newest version, and after a transaction was rolled back, in which ids may have been assigned. */
  forget(version = this.#version): void {
    this.#version = version;
    this.#ids.clear();
    this.#texts.clear();
  }

  /** Forgets all if texts were deleted since. */
  follow(version: number): void {
    if (version !== this.#version) this.forget(version);
  }

  /** Returns the ids of all keys, and stores those that are new. */
  async assign(
    trx: Kysely<StoreTables>,
    keys: ReadonlySet<TextKey>,
    version: number,
  ): Promise<Map<TextKey, number>> {
    this.follow(version);
    const found = await this.find(trx, keys);
    const missing = new Map<string, TextKey>();
    for (const key of keys) if (!found.has(key)) missing.set(hashOf(key).toString('hex'), key);
    const rows = [...missing].map(([hash, key]) => ({
      role: Number(key[0]),
      hash: Buffer.from(hash, 'hex'),
      text: bytesOfText(key.slice(1)),
    }));
    for (let from = 0; from < rows.length; from += atOnce) {
      const some = rows.slice(from, from + atOnce);
      const added = await trx.insertInto('texts').values(some).returning(['id', 'hash']).execute();
      for (const { id, hash } of added) this.#add(found, missing.get(hash.toString('hex')) ?? '', id);
    }
    // Keys with the same hash differ in what UTF-8 cannot represent.
    for (const key of keys) {
      const id = found.get(key) ?? found.get(missing.get(hashOf(key).toString('hex')) ?? '');
      if (id !== undefined) found.set(key, id);
    }
    return found;
  }

  /** Returns the ids of those keys that are stored. */
  async find(db: Kysely<StoreTables>, keys: Iterable<TextKey>): Promise<Map<TextKey, number>> {
    const found = new Map<TextKey, number>();
    const unknown = new Map<string, TextKey>();
    for (const key of keys) {
      const id = this.#ids.get(key);
      if (id === undefined) unknown.set(hashOf(key).toString('hex'), key);
      else found.set(key, id);
    }
    const hashes = [...unknown.keys()].map((hash) => Buffer.from(hash, 'hex'));
    for (let from = 0; from < hashes.length; from += atOnce) {
      const some = hashes.slice(from, from + atOnce);
      const rows = await db.selectFrom('texts').select(['id', 'hash']).where('hash', 'in', some).execute();
      for (const { id, hash } of rows) this.#add(found, unknown.get(hash.toString('hex')) ?? '', id);
    }
    return found;
  }

  #add(found: Map<TextKey, number>, key: TextKey, id: number): void {
    found.set(key, id);
    if (key.length <= maxCachedChars) this.#ids.set(key, id);
  }

  /** Returns the texts of ids. */
  async textsOf(db: Kysely<StoreTables>, ids: Iterable<number | null>): Promise<Map<number, string>> {
    const found = new Map<number, string>();
    const unknown = new Set<number>();
    for (const id of ids) {
      const text = id === null ? undefined : this.#texts.get(String(id));
      if (text !== undefined && id !== null) found.set(id, text);
      else if (id !== null) unknown.add(id);
    }
    const list = [...unknown];
    for (let from = 0; from < list.length; from += atOnce) {
      const some = list.slice(from, from + atOnce);
      const rows = await db.selectFrom('texts').select(['id', 'text']).where('id', 'in', some).execute();
      for (const { id, text: bytes } of rows) {
        const text = textOfBytes(bytes);
        found.set(id, text);
        if (text.length <= maxCachedChars) this.#texts.set(String(id), text);
      }
    }
    return found;
  }
}

function hashOf(key: TextKey): Buffer {
  return createHash('sha256').update(key).digest().subarray(0, 16);
}
