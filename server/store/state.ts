import * as z from 'zod';
import { messageOf } from '@/lib/format/message-of';
import { Turns } from '../turns';
import { nextTurn, sliceMs } from '../workers/threads/in-slices';
import { notify } from './notify';
import type { StoreDatabase, StoreTransaction } from './schema';
import { bytesOfText, textOfBytes } from './text-bytes';

interface Stored<T> {
  readonly value: T;
  /** 1 for the first value of a key; each change adds 1. */
  readonly version: number;
}

export interface StateChange {
  readonly key: string;
  /** Anything that JSON can express; undefined removes the key. */
  readonly value: unknown;
  /** The version that the change replaces; 0 if the key must not exist. Absent: any. */
  readonly expectedVersion?: number;
}

/** `conflict`: the key whose version was not the expected one; nothing was written. `version` is 0 if the key does not exist. */
export type StateWritten =
  | { readonly ok: true }
  | { readonly ok: false; readonly conflict: { readonly key: string; readonly version: number } };

interface StateStoreOptions {
  readonly database: StoreDatabase;
  /** Called with a sentence about a value that was set aside. */
  readonly onDamage: (message: string) => void;
  /** Called before a value is set aside. Throws if that must not happen. */
  readonly assertMayBeSetAside?: (key: string, reason: string) => void;
  /** Called before each transaction that writes. Throws if what is written would be lost. */
  readonly assertWritable?: () => void;
  /** Explains an error of the engine. */
  readonly explain?: (error: unknown) => unknown;
}

const maxKeyBytes = 1_000;
/** The names of set aside values begin with it. */
const damagedPrefix = 'damaged/';

class Conflict extends Error {
  readonly conflict: { readonly key: string; readonly version: number };

  constructor(key: string, version: number) {
    super(`version ${version} of ${key}`);
    this.conflict = { key, version };
  }
}

/**
 * Small values by key, as JSON with a version. A value that its schema does not accept is reported, and renamed to
 * "damaged/KEY", so that it neither ends a start nor is overwritten. All methods reject with the errors of the engine.
 */
export class StateStore {
  readonly #options: StateStoreOptions;
  /** Changes are written one after the other, and all of them before the end. */
  readonly #turns = new Turns();

  constructor(options: StateStoreOptions) {
    this.#options = options;
  }

  async get<T>(key: string, schema: z.ZodType<T>): Promise<Stored<T> | undefined> {
    const row = await this.#options.database.db
      .selectFrom('state')
      .select(['json', 'version'])
      .where('key', '=', bytesOfText(key))
      .executeTakeFirst();
    return row === undefined ? undefined : this.#read(key, row, schema);
  }

  /** Sorted by the bytes of the keys. The keys are without the prefix. */
  async list<T>(prefix: string, schema: z.ZodType<T>): Promise<(Stored<T> & { readonly key: string })[]> {
    const rows = await this.#options.database.db
      .selectFrom('state')
      .select(['key', 'json', 'version'])
      .where('key', '>=', bytesOfText(prefix))
      .where('key', '<', afterPrefix(prefix))
      .orderBy('key')
      .execute();
    const found: (Stored<T> & { readonly key: string })[] = [];
    for (const { key: bytes, ...row } of rows) {
      const key = textOfBytes(bytes);
      const stored = await this.#read(key, row, schema);
      if (stored !== undefined) found.push({ key: key.slice(prefix.length), ...stored });
    }
    return found;
  }

  /** Changes one value. */
  put(key: string, value: unknown, expectedVersion?: number): Promise<StateWritten> {
    return this.write([{ key, value, ...(expectedVersion !== undefined && { expectedVersion }) }]);
  }

  /** Writes all changes, or none if the version of one is not the expected one. Other work runs in between. */
  write(changes: Iterable<StateChange>): Promise<StateWritten> {
    return this.#turns.take(async () => {
      try {
        await this.#transact(async (trx) => {
          let startedAt = performance.now();
          for (const change of changes) {
            await apply(trx, change);
            if (performance.now() - startedAt < sliceMs) continue;
            await nextTurn();
            startedAt = performance.now();
          }
        });
        return { ok: true };
      } catch (error) {
        if (error instanceof Conflict) return { ok: false, conflict: error.conflict };
        throw error;
      }
    });
  }

  /** Waits for what is being written, and closes the database. */
  async close(): Promise<void> {
    await this.#turns.take(() => this.#options.database.close());
  }

  async #transact(work: (trx: StoreTransaction) => Promise<void>): Promise<void> {
    const { assertWritable, database, explain } = this.#options;
    assertWritable?.();
    try {
      await database.db.transaction().execute(async (trx) => {
        await work(trx);
        await notify(trx, database, 'state');
      });
    } catch (error) {
      throw error instanceof Conflict ? error : (explain?.(error) ?? error);
    }
  }

  async #read<T>(
    key: string,
    { json, version }: { readonly json: Uint8Array; readonly version: number },
    schema: z.ZodType<T>,
  ): Promise<Stored<T> | undefined> {
    try {
      return { value: schema.parse(JSON.parse(textOfBytes(json))), version };
    } catch (error) {
      const reason = messageOf(error).replace(/\s+/g, ' ').slice(0, 300);
      this.#options.assertMayBeSetAside?.(key, reason);
      const aside = await this.#setAside(key);
      this.#options.onDamage(
        `the value ${JSON.stringify(key)} of the state cannot be read (${reason}) and is now ${JSON.stringify(aside)}; it begins anew`,
      );
      return undefined;
    }
  }

  /** Renames the values of these keys, and of those below them ("KEY/..."), to "damaged/KEY". */
  async setAside(keys: readonly string[]): Promise<void> {
    for (const key of keys) {
      const below = await this.list(`${key}/`, z.unknown());
      for (const each of below) await this.#setAside(`${key}/${each.key}`);
      await this.#setAside(key);
    }
  }

  /** Renames a value, if there is one, to a key that is free. */
  #setAside(key: string): Promise<string> {
    return this.#turns.take(async () => {
      let aside = `${damagedPrefix}${key}`;
      await this.#transact(async (trx) => {
        for (let n = 2; await exists(trx, aside); n++) aside = `${damagedPrefix}${key}/${n}`;
        await trx
          .updateTable('state')
          .set({ key: bytesOfText(aside) })
          .where('key', '=', bytesOfText(key))
          .execute();
      });
      return aside;
    });
  }
}

async function apply(trx: StoreTransaction, { key, value, expectedVersion }: StateChange): Promise<void> {
  assertKey(key);
  const bytes = bytesOfText(key);
  const row = await trx.selectFrom('state').select('version').where('key', '=', bytes).executeTakeFirst();
  const version = row?.version ?? 0;
  if (expectedVersion !== undefined && expectedVersion !== version) throw new Conflict(key, version);
  if (value === undefined) {
    const { numDeletedRows } = await trx
      .deleteFrom('state')
      .where('key', '=', bytes)
      .where('version', '=', version)
      .executeTakeFirst();
    if (Number(numDeletedRows) !== Math.min(version, 1)) throw new Conflict(key, version + 1);
    return;
  }
  const json = bytesOfText(JSON.stringify(value));
  // Another process may have changed the row since it was read: then no row is written.
  const written =
    version === 0
      ? await trx
          .insertInto('state')
          .values({ key: bytes, json, version: 1 })
          .onConflict((conflict) => conflict.column('key').doNothing())
          .executeTakeFirst()
      : await trx
          .updateTable('state')
          .set({ json, version: version + 1 })
          .where('key', '=', bytes)
          .where('version', '=', version)
          .executeTakeFirst();
  const count = 'numUpdatedRows' in written ? written.numUpdatedRows : written.numInsertedOrUpdatedRows;
  if (Number(count ?? 0) !== 1) throw new Conflict(key, version + 1);
}

async function exists(trx: StoreTransaction, key: string): Promise<boolean> {
  const row = await trx
    .selectFrom('state')
    .select('version')
    .where('key', '=', bytesOfText(key))
    .executeTakeFirst();
  return row !== undefined;
}

/** The least key that does not begin with the prefix and follows all that do. UTF-8 does not contain the byte 0xff. */
function afterPrefix(prefix: string): Buffer {
  return Buffer.concat([bytesOfText(prefix), Buffer.from([0xff])]);
}

function assertKey(key: string): void {
  const bytes = bytesOfText(key).byteLength;
  if (bytes > 0 && bytes <= maxKeyBytes) return;
  throw new RangeError(`expected a key of 1 to ${maxKeyBytes} bytes, got ${bytes}`);
}
