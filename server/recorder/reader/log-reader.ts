import type { EpochMs } from '@/lib/xds/units';
import type { Body } from '../../observe';
import { LogBlocks } from '../blocks/log-blocks';
import { withDamageNamed } from '../damaged-file';
import { type HistoryBase, readHistoryBase } from '../snapshots/read-history-base';
import { openSqliteLogToRead } from '../sqlite/sqlite-log';
import type { LogStorage } from '../storage/log-storage';

/** Several threads and jobs have a reader. */
const cachedBytes = 32 * 1024 * 1024;

/** Reads committed data in another thread than the recorder's, over a read-only connection of its own. */
export class LogReader {
  readonly #file: string;

  #storage: LogStorage | undefined;
  #log: LogBlocks | undefined;
  /** LogStorage.version() as of `#log`. */
  #version = 0;

  /** Each read requires that the recorder has opened the recording. */
  constructor(file: string) {
    this.#file = file;
  }

  /** `work` reads as of one moment. It should take seconds at most: the write-ahead log cannot shrink meanwhile. */
  read<T>(work: (log: LogBlocks) => T): T {
    return this.#read((storage) => {
      const version = storage.version();
      const isKnown = this.#log !== undefined;
      this.#log ??= new LogBlocks(storage.blocks, cachedBytes);
      if (isKnown && version !== this.#version) this.#log.readAgain();
      this.#version = version;
      return work(this.#log);
    });
  }

  /** The keys are hashes. `pending` are bodies that are not written yet. */
  readBodies(hashes: Iterable<string>, pending: readonly Body[] = []): Map<string, Body> {
    const found = new Map(pending.map((body) => [body.hash, body]));
    const written = [...new Set(hashes)].filter((hash) => !found.has(hash));
    if (written.length === 0) return found;
    for (const body of this.#read(({ bodies }) => bodies.readMany(written))) found.set(body.hash, body);
    return found;
  }

  readHistoryBase(clientId: string, until: EpochMs, from?: EpochMs): HistoryBase | undefined {
    return this.read((log) => readHistoryBase(this.#opened(), log, clientId, until, from));
  }

  close(): void {
    this.#storage?.abandon();
  }

  #opened(): LogStorage {
    this.#storage ??= openSqliteLogToRead(this.#file);
    return this.#storage;
  }

  #read<T>(work: (storage: LogStorage) => T): T {
    return withDamageNamed(this.#file, () => {
      const storage = this.#opened();
      return storage.snapshot(() => work(storage));
    });
  }
}
