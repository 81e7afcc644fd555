import { sql } from 'kysely';
import type { EpochMs } from '@/lib/xds/units';
import { createTables, dropTables, type TableList } from './create-tables';
import { deflateBytes, inflateBytes } from './deflate';
import { notify } from './notify';
import type { StoreDatabase, StoreEngine, StoreTransaction } from './schema';
import { bytesOfText, textOfBytes } from './text-bytes';

const tables: TableList = {
  fleet_questions: [{ id: 'bytes', asked_at: 'big', question: 'bytes', answer: 'bytes?' }, 'id'],
};

export function createQuestionTable(trx: StoreTransaction, engine: StoreEngine): Promise<void> {
  return createTables(trx, engine, tables);
}

export function dropQuestionTable(trx: StoreTransaction): Promise<void> {
  return dropTables(trx, tables);
}

interface FleetText {
  readonly id: string;
  readonly json: string;
}

/** Limits the questions that are read at a time. */
const mostAtOnce = 64;

/**
 * Questions that processes ask the one that folds the fleet, with its answers, both as JSON. PostgreSQL only: the others are notified, with
 * the topics "ask" and "answer". A question that a power cut loses is asked again by its reader.
 */
export class FleetQuestions {
  readonly #store: StoreDatabase;

  constructor(store: StoreDatabase) {
    this.#store = store;
  }

  ask({ id, json }: FleetText, askedAt: EpochMs): Promise<void> {
    const row = { id: bytesOfText(id), asked_at: askedAt, question: packed(json), answer: null };
    return this.#write('ask', (trx) => trx.insertInto('fleet_questions').values(row).execute());
  }

  answer({ id, json }: FleetText): Promise<void> {
    return this.#write('answer', (trx) =>
      trx
        .updateTable('fleet_questions')
        .set({ answer: packed(json) })
        .where('id', '=', bytesOfText(id))
        .execute(),
    );
  }

  /** Returns questions that have no answer, the oldest first. */
  async listOpen(): Promise<FleetText[]> {
    const rows = await this.#store.db
      .selectFrom('fleet_questions')
      .select(['id', 'question'])
      .where('answer', 'is', null)
      .orderBy('asked_at')
      .limit(mostAtOnce)
      .execute();
    return rows.map(({ id, question }) => ({ id: textOfBytes(id), json: unpacked(question) }));
  }

  /** Returns those of the answers that are there, and deletes them. */
  async takeAnswers(ids: readonly string[]): Promise<FleetText[]> {
    const rows = await this.#store.db
      .deleteFrom('fleet_questions')
      .where('id', 'in', ids.map(bytesOfText))
      .where('answer', 'is not', null)
      .returning(['id', 'answer'])
      .execute();
    return rows.flatMap(({ id, answer }) =>
      answer === null ? [] : [{ id: textOfBytes(id), json: unpacked(answer) }],
    );
  }

  async forget(id: string): Promise<void> {
    await this.#store.db.deleteFrom('fleet_questions').where('id', '=', bytesOfText(id)).execute();
  }

  /** Deletes what was asked before a moment: whoever asked has ended, or no longer waits. */
  async forgetBefore(askedAt: EpochMs): Promise<void> {
    await this.#store.db.deleteFrom('fleet_questions').where('asked_at', '<', askedAt).execute();
  }

  async #write(topic: 'ask' | 'answer', change: (trx: StoreTransaction) => Promise<unknown>): Promise<void> {
    await this.#store.db.transaction().execute(async (trx) => {
      await sql`set local synchronous_commit = off`.execute(trx);
      await change(trx);
      await notify(trx, this.#store, topic);
    });
  }
}

function packed(json: string): Uint8Array {
  return deflateBytes(json);
}

function unpacked(bytes: Uint8Array): string {
  return textOfBytes(inflateBytes(bytes));
}
