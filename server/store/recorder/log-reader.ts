import { existsSync } from 'node:fs';
import { systemClock } from '@/server/observe';
import type { Body } from '../../observe';
import { ObservationLog } from '../log';
import { openSqlite, type SqliteStore } from '../open-sqlite';
import { damageOf } from './damaged-file';
import { RecorderError } from './recorder-error';

/** Reads committed data in another thread than the recorder's, over a read-only connection of its own. */
export class LogReader {
  readonly #file: string;
  #opened: { readonly database: SqliteStore; readonly log: ObservationLog } | undefined;
  /** Reads of one connection take turns. */
  #last: Promise<unknown> = Promise.resolve();

  /** Each read requires that the recorder has opened the recording. */
  constructor(file: string) {
    this.#file = file;
  }

  /** `work` reads as of one moment. It should take seconds at most: the write-ahead log cannot shrink meanwhile. */
  read<T>(work: (log: ObservationLog) => Promise<T>): Promise<T> {
    const read = this.#last.then(() => this.#readNow(work));
    this.#last = read.catch(ignore);
    return read;
  }

  /** The keys are hashes. `pending` are bodies that are not written yet. */
  async readBodies(hashes: Iterable<string>, pending: readonly Body[] = []): Promise<Map<string, Body>> {
    const found = new Map(pending.map((body) => [body.hash, body]));
    const written = [...new Set(hashes)].filter((hash) => !found.has(hash));
    if (written.length === 0) return found;
    for (const [hash, body] of await this.read((log) => log.readBodies(written))) found.set(hash, body);
    return found;
  }

  async close(): Promise<void> {
    await this.#last;
    await this.#opened?.database.close();
  }

  async #readNow<T>(work: (log: ObservationLog) => Promise<T>): Promise<T> {
    try {
      this.#opened ??= await this.#open();
      const { database, log } = this.#opened;
      return await database.asOfNow(async () => {
        await log.forgetDeletedTexts();
        return work(log);
      });
    } catch (error) {
      throw damageOf(this.#file, error);
    }
  }

  async #open() {
    if (!existsSync(this.#file)) {
      throw new RecorderError('FILE_MISSING', `${this.#file}: expected a recording, found none`);
    }
    const database = await openSqlite({ file: this.#file, isReadOnly: true });
    return { database, log: new ObservationLog(database, systemClock) };
  }
}

function ignore(): void {}
