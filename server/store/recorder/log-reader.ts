import { existsSync } from 'node:fs';
import { systemClock } from '@/server/observe';
import type { Body } from '../../observe';
import { ObservationLog } from '../log';
import { openPostgres } from '../open-postgres';
import { openSqlite } from '../open-sqlite';
import { isStoreUrl, nameOfStore } from '../store-url';
import { damageOf } from './damaged-file';
import { RecorderError } from './recorder-error';

/** Reads committed data in another thread than the recorder's, over a connection of its own. */
export class LogReader {
  readonly #file: string;
  #opened: OpenLog | undefined;
  /** Reads of one connection take turns. */
  #last: Promise<unknown> = Promise.resolve();

  /** The path of a recording, which the recorder must have opened before each read, or the URL of a shared store. */
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
    await this.#opened?.close();
  }

  async #readNow<T>(work: (log: ObservationLog) => Promise<T>): Promise<T> {
    try {
      this.#opened ??= isStoreUrl(this.#file) ? await openShared(this.#file) : await this.#open();
      return await this.#opened.asOfNow(async (log) => {
        await log.forgetDeletedTexts();
        return work(log);
      });
    } catch (error) {
      throw damageOf(nameOfStore(this.#file), error);
    }
  }

  async #open(): Promise<OpenLog> {
    if (!existsSync(this.#file)) {
      throw new RecorderError('FILE_MISSING', `${this.#file}: expected a recording, found none`);
    }
    const database = await openSqlite({ file: this.#file, isReadOnly: true });
    const log = new ObservationLog(database, systemClock);
    return { asOfNow: (work) => database.asOfNow(() => work(log)), close: () => database.close() };
  }
}

interface OpenLog {
  asOfNow<T>(work: (log: ObservationLog) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

async function openShared(url: string): Promise<OpenLog> {
  const database = await openPostgres({ url, maxConnections: 1 });
  return {
    asOfNow: (work) => database.asOfNow((then) => work(new ObservationLog(then, systemClock))),
    close: () => database.close(),
  };
}

function ignore(): void {}
