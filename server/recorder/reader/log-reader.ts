import { existsSync } from 'node:fs';
import type { EpochMs } from '@/lib/xds/units';
import type { Body } from '../../observe';
import { LogBlocks } from '../blocks/log-blocks';
import { readBodies } from '../bodies/read-bodies';
import { withDamageNamed } from '../database/damaged-file';
import { SqlFile } from '../database/sql-file';
import { RecorderError } from '../recorder-error';
import { type HistoryBase, readHistoryBase } from './read-history-base';

/**
 * Reads the log beside the recorder that writes it: a connection of its own, for a thread of its own. It sees what is
 * committed, and never writes.
 */
export class LogReader {
  readonly #sql: SqlFile;
  #log: LogBlocks | undefined;
  /** Of the file when `#log` was made. */
  #version: number | null = null;

  /** Precondition: the recorder has opened the recording. */
  constructor(private readonly file: string) {
    // SQLite would make a new one.
    if (!existsSync(file))
      throw new RecorderError('FILE_MISSING', `${file}: expected a recording, found none`);
    this.#sql = new SqlFile(file);
    this.#sql.exec('PRAGMA query_only = ON');
    this.#sql.all('PRAGMA busy_timeout = 5000');
  }

  /** All of it as of one moment: what is written or deleted meanwhile changes nothing. Keep it to some seconds. */
  read<T>(work: (log: LogBlocks) => T): T {
    return withDamageNamed(this.file, () => this.#readWithin(work));
  }

  #readWithin<T>(work: (log: LogBlocks) => T): T {
    return this.#sql.snapshot(() => {
      const version = this.#sql.number('SELECT data_version AS n FROM pragma_data_version');
      if (this.#log === undefined || version !== this.#version) this.#log = new LogBlocks(this.#sql);
      this.#version = version;
      return work(this.#log);
    });
  }

  readBodies(hashes: readonly string[]): Body[] {
    return withDamageNamed(this.file, () => readBodies(this.#sql, hashes));
  }

  readHistoryBase(clientId: string, until: EpochMs, from?: EpochMs): HistoryBase | undefined {
    return this.read((log) => readHistoryBase(this.#sql, log, clientId, until, from));
  }

  close(): void {
    this.#sql.close();
  }
}
