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
 * Reads the log beside the recorder that writes it: a connection of its own, for a thread of its own, which is opened with
 * the first read. It sees what is committed, and never writes.
 */
export class LogReader {
  #opened: SqlFile | undefined;
  #log: LogBlocks | undefined;
  /** Of the file when `#log` was made. */
  #version: number | null = null;

  /** Precondition of each read: the recorder has opened the recording. */
  constructor(private readonly file: string) {}

  /** All of it as of one moment: what is written or deleted meanwhile changes nothing. Keep it to some seconds. */
  read<T>(work: (log: LogBlocks) => T): T {
    return withDamageNamed(this.file, () => this.#readWithin(work));
  }

  /** By hash. `pending`: bodies that are not written yet. */
  readBodies(hashes: Iterable<string>, pending: readonly Body[] = []): Map<string, Body> {
    const found = new Map(pending.map((body) => [body.hash, body]));
    const written = [...new Set(hashes)].filter((hash) => !found.has(hash));
    if (written.length === 0) return found;
    // As of one moment: retention may delete or repack what is read.
    const stored = withDamageNamed(this.file, () => this.#sql.snapshot(() => readBodies(this.#sql, written)));
    for (const body of stored) found.set(body.hash, body);
    return found;
  }

  readHistoryBase(clientId: string, until: EpochMs, from?: EpochMs): HistoryBase | undefined {
    return this.read((log) => readHistoryBase(this.#sql, log, clientId, until, from));
  }

  close(): void {
    this.#opened?.close();
  }

  get #sql(): SqlFile {
    this.#opened ??= this.#open();
    return this.#opened;
  }

  #open(): SqlFile {
    // SQLite would make a new one.
    if (!existsSync(this.file))
      throw new RecorderError('FILE_MISSING', `${this.file}: expected a recording, found none`);
    const sql = new SqlFile(this.file);
    sql.exec('PRAGMA query_only = ON');
    sql.all('PRAGMA busy_timeout = 5000');
    return sql;
  }

  #readWithin<T>(work: (log: LogBlocks) => T): T {
    return this.#sql.snapshot(() => {
      const version = this.#sql.number('SELECT data_version AS n FROM pragma_data_version');
      if (this.#log === undefined || version !== this.#version) this.#log = new LogBlocks(this.#sql);
      this.#version = version;
      return work(this.#log);
    });
  }
}
