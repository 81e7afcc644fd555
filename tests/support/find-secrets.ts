import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { constants, unzipSync } from 'node:zlib';
import Database from 'libsql';
import type { PlantedSecret } from './builders/secret-kinds';

/** Finds every planted secret in one pass: as it is, in base64, in hexadecimal and in UTF-16. */
export class SecretSearch {
  /** Keyed by the hash of the first eight bytes. */
  readonly #forms = new Map<number, { readonly kind: string; readonly form: Buffer }[]>();
  /** Marks the low 24 bits of these hashes, which excludes nearly all other bytes. */
  readonly #starts = new Uint8Array(1 << 24);
  /** The places of each kind that was found. */
  readonly leaks = new Map<string, Set<string>>();
  bytes = 0;

  constructor(planted: readonly PlantedSecret[]) {
    for (const { kind, secret } of planted) {
      for (const form of formsOf(secret)) {
        const start = hashAt(form, 0);
        const same = this.#forms.get(start);
        if (same === undefined) this.#forms.set(start, [{ kind, form }]);
        else same.push({ kind, form });
        this.#starts[start & 0xffffff] = 1;
      }
    }
  }

  look(where: string, content: string | Uint8Array): void {
    const bytes = Buffer.from(content);
    this.bytes += bytes.length;
    for (let at = 0; at + keyBytes <= bytes.length; at++) {
      const start = hashAt(bytes, at);
      if (this.#starts[start & 0xffffff] === 0) continue;
      for (const { kind, form } of this.#forms.get(start) ?? []) {
        if (bytes.subarray(at, at + form.length).equals(form)) this.#add(kind, where);
      }
    }
  }

  #add(kind: string, where: string): void {
    const places = this.leaks.get(kind);
    if (places === undefined) this.leaks.set(kind, new Set([where]));
    else places.add(where);
  }
}

const keyBytes = 8;

function hashAt(bytes: Buffer, at: number): number {
  const [first, second] = [wordAt(bytes, at), wordAt(bytes, at + 4)];
  return Math.imul(first ^ Math.imul(second, 0x9e3779b1), 0x85ebca6b) >>> 0;
}

function wordAt(bytes: Buffer, at: number): number {
  return (
    (bytes[at] ?? 0) |
    ((bytes[at + 1] ?? 0) << 8) |
    ((bytes[at + 2] ?? 0) << 16) |
    ((bytes[at + 3] ?? 0) << 24)
  );
}

/** The middle of the base64 of a text depends only on its offset in a group of three bytes. */
function formsOf(secret: string): Buffer[] {
  const bytes = Buffer.from(secret);
  const inBase64 = [0, 1, 2].map((skipped) => {
    const text = Buffer.concat([Buffer.alloc(skipped), bytes])
      .toString('base64')
      .replace(/=+$/, '');
    return Buffer.from(text.slice(4, -2));
  });
  return [bytes, ...inBase64, Buffer.from(bytes.toString('hex')), Buffer.from(secret, 'utf16le')];
}

/** All bytes of a data directory: files, and each column of each table, inflated if it is deflated. */
export function* readDataDirectory(dir: string): Generator<readonly [where: string, bytes: Buffer]> {
  for (const name of readdirSync(dir, { recursive: true, encoding: 'utf8' })) {
    const file = path.join(dir, name);
    if (!statSync(file).isFile()) continue;
    const bytes = readFileSync(file);
    yield [name, bytes];
    if (bytes.subarray(0, 15).toString('latin1') === 'SQLite format 3') yield* readTables(file, name);
    else for (const unpacked of unpackAll(bytes)) yield [`${name}, unpacked`, unpacked];
  }
}

function* readTables(file: string, name: string): Generator<readonly [where: string, bytes: Buffer]> {
  const database = new Database(file);
  const tables = database.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").all() as {
    name: string;
  }[];
  for (const { name: table } of tables) {
    for (const row of database.prepare(`SELECT * FROM "${table}"`).all() as Record<string, unknown>[]) {
      for (const [column, value] of Object.entries(row)) {
        const where = `${name} ${table}.${column}`;
        if (typeof value === 'string') yield [where, Buffer.from(value)];
        else if (value instanceof ArrayBuffer || value instanceof Uint8Array) {
          const bytes = Buffer.from(value instanceof ArrayBuffer ? new Uint8Array(value) : value);
          yield [where, bytes];
          for (const unpacked of unpackAll(bytes)) yield [`${where}, inflated`, unpacked];
        }
      }
    }
  }
  database.close();
}

/** The unpacked content of every place with a header of zlib or gzip. */
function* unpackAll(bytes: Buffer): Generator<Buffer> {
  for (let at = 0; at + 2 < bytes.length; at++) {
    const unpacked = unpack(bytes, at);
    if (unpacked !== undefined && unpacked.length > 0) yield unpacked;
  }
}

function unpack(bytes: Buffer, at: number): Buffer | undefined {
  const start = bytes.readUInt16BE(at);
  // RFC 1950, 2.2: deflate with a window of 32 kB and no dictionary, and the check of the header.
  const isZlib = start >>> 8 === 0x78 && start % 31 === 0 && (start & 0x20) === 0;
  if (!isZlib && start !== 0x1f8b) return undefined;
  try {
    // The data may end early or be damaged after a part that can be read.
    return unzipSync(bytes.subarray(at), { finishFlush: constants.Z_SYNC_FLUSH });
  } catch {
    // These bytes are not compressed.
    return undefined;
  }
}
