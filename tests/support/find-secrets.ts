import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { gunzipSync, inflateRawSync } from 'node:zlib';
import Database from 'libsql';
import type { PlantedSecret } from './secret-kinds';

/** Looks for every planted secret in what comes out: as it is, in base64, in hexadecimal and in UTF-16. */
export class SecretSearch {
  readonly #forms: readonly { readonly kind: string; readonly form: Buffer }[];
  /** "kind: where", once each. */
  readonly leaks = new Set<string>();
  bytes = 0;

  constructor(planted: readonly PlantedSecret[]) {
    this.#forms = planted.flatMap(({ kind, secret }) => formsOf(secret).map((form) => ({ kind, form })));
  }

  look(where: string, content: string | Uint8Array): void {
    const bytes = Buffer.from(content);
    this.bytes += bytes.length;
    // 14 characters of each form, by a number: thousands of searches through megabytes would take minutes.
    for (const kind of this.#index.find(bytes)) this.leaks.add(`${kind}: ${where}`);
  }

  readonly #index = new FormIndex(() => this.#forms);
}

/** Of text that begins anywhere in a group of three bytes the middle of its base64 is always the same. */
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

const keyBytes = 8;

/** Finds any of thousands of texts in one pass: by their first eight bytes, and then as a whole. */
class FormIndex {
  #byStart: Map<bigint, { readonly kind: string; readonly form: Buffer }[]> | undefined;
  #starts = new Uint8Array(65_536);

  constructor(private readonly forms: () => readonly { readonly kind: string; readonly form: Buffer }[]) {}

  find(bytes: Buffer): Set<string> {
    const found = new Set<string>();
    const byStart = this.#build();
    for (let at = 0; at + keyBytes <= bytes.length; at++) {
      if (this.#starts[((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0)] === 0) continue;
      for (const { kind, form } of byStart.get(bytes.readBigUInt64BE(at)) ?? []) {
        if (bytes.subarray(at, at + form.length).equals(form)) found.add(kind);
      }
    }
    return found;
  }

  #build(): Map<bigint, { readonly kind: string; readonly form: Buffer }[]> {
    if (this.#byStart !== undefined) return this.#byStart;
    this.#byStart = new Map();
    for (const each of this.forms()) {
      const start = each.form.readBigUInt64BE(0);
      this.#byStart.set(start, [...(this.#byStart.get(start) ?? []), each]);
      this.#starts[((each.form[0] ?? 0) << 8) | (each.form[1] ?? 0)] = 1;
    }
    return this.#byStart;
  }
}

/** Every byte of a data directory: files as they are, and each column of each table, inflated where it is deflated. */
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

/** What begins anywhere in the bytes and can be unpacked; what is behind it is looked at, too. */
function* unpackAll(bytes: Buffer): Generator<Buffer> {
  for (let at = 0; at < bytes.length; ) {
    const unpacked = unpack(bytes.subarray(at));
    if (unpacked === undefined || unpacked.bytes.length < 16) {
      at += 1;
      continue;
    }
    yield unpacked.bytes;
    at += Math.max(1, unpacked.read);
  }
}

function unpack(bytes: Buffer): { readonly bytes: Buffer; readonly read: number } | undefined {
  if (bytes[0] === 0x1f && bytes[1] === 0x8b) return attempt(() => gunzipSync(bytes), bytes);
  return attempt(() => {
    const { buffer, engine } = inflateRawSync(bytes, { info: true }) as unknown as {
      buffer: Buffer;
      engine: { bytesWritten: number };
    };
    return { bytes: buffer, read: engine.bytesWritten };
  }, bytes);
}

function attempt(
  read: () => Buffer | { readonly bytes: Buffer; readonly read: number },
  bytes: Buffer,
): { readonly bytes: Buffer; readonly read: number } | undefined {
  try {
    const unpacked = read();
    return Buffer.isBuffer(unpacked) ? { bytes: unpacked, read: bytes.length } : unpacked;
  } catch {
    // It is not packed there.
    return undefined;
  }
}
