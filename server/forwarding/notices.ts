import { randomUUID } from 'node:crypto';
import { log } from '../logger';
import type { Clock } from '../observe';
import { type Notice, notify, parseNotice } from '../store/notify';
import type { StoreDatabase } from '../store/schema';
import { pause } from './pause';

interface NoticesParts {
  readonly clock: Clock;
  readonly database: StoreDatabase;
  /** Called with each notice, and without one after each connection, before which notices may have been lost. */
  readonly onNotice: (notice?: Notice) => void;
}

const proveEveryMs = 30_000;
/** A notice arrives within milliseconds, or not at all. */
const proofMs = 5_000;
const retryMs = { afterFailure: 1_000, withoutProof: 30_000 };

/**
 * Listens for changes of a shared store. Whether notices arrive is measured by a notice to itself, on another connection:
 * PgBouncer in transaction mode accepts LISTEN, but its clients receive nothing.
 */
export class Notices {
  readonly #parts: NoticesParts;
  readonly #closing = new AbortController();
  #isReceiving: boolean | undefined;
  #running: Promise<void> | undefined;

  constructor(parts: NoticesParts) {
    this.#parts = parts;
  }

  /** If it is false, changes are found by reading alone. undefined: not known while there is no connection. */
  get isReceiving(): boolean | undefined {
    return this.#isReceiving;
  }

  start(): void {
    this.#running ??= this.#run();
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { signal } = this.#closing;
    while (!signal.aborted) {
      // The reader of the store reports that it cannot be reached.
      const delayMs = await this.#listen().catch(() => this.#lost());
      await pause(this.#parts.clock, delayMs, signal);
    }
  }

  /** Resolves with the time until the next attempt when the connection has ended, or notices do not arrive. */
  async #listen(): Promise<number> {
    const { database, onNotice, clock } = this.#parts;
    if (database.listen === undefined)
      throw new Error(`expected a store with notices, got ${database.engine}`);
    let proof = '';
    let proven = new AbortController();
    const ending = new AbortController();
    const end = (): void => {
      ending.abort();
      proven.abort();
    };
    const connection = await database.listen((text) => {
      if (text === proof) proven.abort();
      else onNotice(parseNotice(text));
    }, end);
    this.#closing.signal.addEventListener('abort', end);
    // It may have been closed while it connected.
    if (this.#closing.signal.aborted) end();
    try {
      for (;;) {
        if (ending.signal.aborted) return this.#lost();
        proven = new AbortController();
        proof = `proof ${randomUUID()}`;
        await database.db.transaction().execute((trx) => notify(trx, database, 'proof', proof.slice(6)));
        await pause(clock, proofMs, proven.signal);
        if (ending.signal.aborted) return this.#lost();
        if (!proven.signal.aborted) break;
        if (this.#isReceiving !== true) onNotice();
        this.#isReceiving = true;
        await pause(clock, proveEveryMs, ending.signal);
      }
      if (this.#isReceiving !== false)
        log(
          'warn',
          'store',
          'notices of PostgreSQL do not arrive, as behind PgBouncer in transaction mode: the store is read each second',
        );
      this.#isReceiving = false;
      return retryMs.withoutProof;
    } finally {
      this.#closing.signal.removeEventListener('abort', end);
      await connection.close();
    }
  }

  #lost(): number {
    this.#isReceiving = undefined;
    return retryMs.afterFailure;
  }
}
