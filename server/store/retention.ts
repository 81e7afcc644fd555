import { type ExpressionBuilder, sql } from 'kysely';
import type { RetentionLimits } from '../recorder/retention/retention';
import { nextTurn } from '../threads/in-slices';
import type { BaseRoller } from './base-roller';
import type { Bodies } from './bodies';
import { countMinutes, subtractDensities } from './densities';
import { totalGaps } from './ranges';
import { type StoreDatabase, type StoreTables, type TextRole, textRoles } from './schema';

/** Observations whose clients are folded together. */
const plannedAtOnce = 5_000;
/** Observations of one transaction, which takes some 10 ms. */
const rowsAtOnce = 500;
/** Less than this part of the log is not deleted: each time, the clients that it is about get a snapshot. */
const leastShare = 1 / 64;
/** Terms and texts of deleted observations are deleted once this part of the log was. They answer nothing until then. */
const sweptShare = 1 / 16;
/** Texts of one step. */
const textsAtOnce = 2_000;
const bodiesAtOnce = 500;

/** The oldest part of the log, which exceeds the limits. Both ends are included. */
interface RetentionPlan {
  readonly fromSeq: number;
  readonly untilSeq: number;
}

export interface RetentionRound {
  readonly limits: RetentionLimits;
  /** Called with the hashes of deleted bodies: whoever assumes that they are stored must send them again. */
  readonly onBodiesDeleted?: (hashes: readonly string[]) => void;
  /** Checked between two steps. */
  readonly isCancelled?: () => boolean;
}

interface RetentionParts {
  readonly store: StoreDatabase;
  readonly bodies: Bodies;
  readonly bases: BaseRoller;
}

/** Deletes the oldest observations, but nothing after the newest checkpoint, and nothing that is pinned. */
export class Retention {
  readonly #store: StoreDatabase;
  readonly #bodies: Bodies;
  readonly #bases: BaseRoller;
  #unswept = 0;

  constructor({ store, bodies, bases }: RetentionParts) {
    this.#store = store;
    this.#bodies = bodies;
    this.#bases = bases;
  }

  /**
   * Brings the log within its limits in steps, between which others write, and returns the number of deleted observations.
   * The limit of bytes has no effect where the used size is not known.
   */
  async run({
    limits,
    onBodiesDeleted = () => undefined,
    isCancelled = () => false,
  }: RetentionRound): Promise<number> {
    let deleted = 0;
    let least = (await this.#count()) * leastShare;
    for (let afterSeq = 0; !isCancelled(); ) {
      const plan = await this.#plan(limits, afterSeq, least);
      if (plan === undefined) break;
      least = 0;
      await this.#bases.roll(plan.fromSeq, plan.untilSeq, (await this.#count()) / 2);
      for (let from = plan.fromSeq; from <= plan.untilSeq && !isCancelled(); from += rowsAtOnce) {
        deleted += await this.#deleteBetween(from, Math.min(plan.untilSeq, from + rowsAtOnce - 1));
        await nextTurn();
      }
      afterSeq = plan.untilSeq;
    }
    this.#unswept += deleted;
    if (this.#unswept > 0 && this.#unswept >= (await this.#count()) * sweptShare)
      await this.#sweep(isCancelled);
    await this.#deleteBodies(isCancelled, onBodiesDeleted);
    if (deleted > 0) await this.#store.shrink();
    return deleted;
  }

  /** Deletes bodies that no observation, pinned or not, and nothing after the checkpoint can name. */
  async #deleteBodies(
    isCancelled: () => boolean,
    onBodiesDeleted: (hashes: readonly string[]) => void,
  ): Promise<void> {
    const { db } = this.#store;
    const { checkpoint_seq, oldest } = await db
      .selectFrom('log_heads')
      .select((eb) => [
        'checkpoint_seq',
        eb
          .selectFrom('observations')
          .select((min) => min.fn.min('seq').as('oldest'))
          .as('oldest'),
      ])
      .executeTakeFirstOrThrow();
    // A body may have been named in a gap since the checkpoint.
    if ((await totalGaps(db)).newestSeq > checkpoint_seq) return;
    const keptFrom = Math.min(oldest ?? checkpoint_seq, checkpoint_seq);
    for (let hashes = ['']; hashes.length > 0 && !isCancelled(); ) {
      hashes = await this.#bodies.deleteUnnamed(db, keptFrom, bodiesAtOnce);
      if (hashes.length > 0) onBodiesDeleted(hashes);
      await nextTurn();
    }
  }

  /** Returns undefined if no more than `least` observations exceed the limits. */
  async #plan(
    { olderThan, maxBytes, maxCount }: RetentionLimits,
    afterSeq: number,
    least: number,
  ): Promise<RetentionPlan | undefined> {
    const { db } = this.#store;
    const heads = await db.selectFrom('log_heads').select('checkpoint_seq').executeTakeFirstOrThrow();
    const oldest = await db
      .selectFrom('observations')
      .select(['seq', 'at'])
      .where('seq', '>', afterSeq)
      .where('seq', '<=', heads.checkpoint_seq)
      .where((eb) => eb.not(isPinned(eb)))
      .orderBy('seq')
      .limit(plannedAtOnce)
      .execute();
    const [count, { used }] = [await this.#count(), await this.#store.size()];
    const share = used !== null && used > maxBytes ? (used - maxBytes) / used : 0;
    // Half of what the sizes suggest: bodies that only these observations name are deleted with them.
    const bySize = share > 0 ? Math.ceil(count * Math.max(leastShare, share / 2)) : 0;
    const excess = Math.max(bySize, count - maxCount);
    const kept = oldest.findIndex(({ at }, index) => index >= excess && at >= olderThan);
    const doomed = kept < 0 ? oldest : oldest.slice(0, kept);
    const [first, last] = [doomed[0], doomed.at(-1)];
    if (first === undefined || last === undefined) return undefined;
    if (doomed.length < least && doomed.length < plannedAtOnce) return undefined;
    const ats = doomed.map(({ at }) => at);
    const pinned = await this.#firstPinned(first.seq, last.seq, [Math.min(...ats), Math.max(...ats)]);
    return { fromSeq: first.seq, untilSeq: Math.min(last.seq, pinned - 1) };
  }

  /** Returns the first observation between two seqs with which a pinned range begins: its clients' states before must be stored. */
  async #firstPinned(
    fromSeq: number,
    untilSeq: number,
    [fromAt, toAt]: readonly [number, number],
  ): Promise<number> {
    const { db } = this.#store;
    let first = Number.MAX_SAFE_INTEGER;
    const pins = await db
      .selectFrom('pins')
      .select('id')
      .where('to_at', '>=', fromAt)
      .where('from_at', '<=', toAt)
      .execute();
    for (const { id } of pins) {
      const ofPin = db
        .selectFrom('observations')
        .select('seq')
        .where((eb) => isPinned(eb, id))
        .orderBy('seq')
        .limit(1);
      const earlier = await ofPin.where('seq', '<', fromSeq).executeTakeFirst();
      if (earlier !== undefined) continue;
      const found = await ofPin.where('seq', '>', fromSeq).where('seq', '<=', untilSeq).executeTakeFirst();
      first = Math.min(first, found?.seq ?? first);
    }
    return first;
  }

  #count(): Promise<number> {
    return countMinutes(this.#store.db, {});
  }

  #deleteBetween(fromSeq: number, untilSeq: number): Promise<number> {
    return this.#store.db.transaction().execute(async (trx) => {
      const doomed = trx
        .selectFrom('observations')
        .where('seq', '>=', fromSeq)
        .where('seq', '<=', untilSeq)
        .where((eb) => eb.not(isPinned(eb)));
      await subtractDensities(trx, doomed);
      const { numDeletedRows } = await trx
        .deleteFrom('observations')
        .where('seq', '>=', fromSeq)
        .where('seq', '<=', untilSeq)
        .where((eb) => eb.not(isPinned(eb)))
        .executeTakeFirstOrThrow();
      for (const table of ['payloads', 'log_parts'] as const) {
        const end = table === 'payloads' ? sql`payloads.first_seq + payloads.count - 1` : sql`last_seq`;
        await trx
          .deleteFrom(table)
          .where('first_seq', '<=', untilSeq)
          .where((eb) =>
            eb.not(
              eb.exists(
                eb
                  .selectFrom('observations')
                  .select('seq')
                  .whereRef('seq', '>=', sql.ref(`${table}.first_seq`))
                  .where(sql<boolean>`seq <= ${end}`),
              ),
            ),
          )
          .execute();
      }
      await trx.deleteFrom('gaps').where('to_seq', '<=', untilSeq).execute();
      return Number(numDeletedRows);
    });
  }

  /** Deletes the terms of deleted observations, and then the texts that nothing refers to. */
  async #sweep(isCancelled: () => boolean): Promise<void> {
    const { db } = this.#store;
    const { last } = await db
      .selectFrom('texts')
      .select((eb) => eb.fn.coalesce(eb.fn.max('id'), eb.lit(0)).as('last'))
      .executeTakeFirstOrThrow();
    for (let from = 0; from <= last; from += textsAtOnce) {
      if (isCancelled()) return;
      await this.#sweepTexts(from, from + textsAtOnce);
      await nextTurn();
    }
    this.#unswept = 0;
  }

  #sweepTexts(from: number, to: number): Promise<void> {
    const without = (
      eb: ExpressionBuilder<StoreTables, 'texts'>,
      roles: readonly TextRole[],
      references: readonly ('terms' | 'stream' | 'client' | 'snapshots')[],
    ) => {
      const found = {
        terms: eb.selectFrom('terms').select('seq').whereRef('terms.text', '=', 'texts.id'),
        stream: eb.selectFrom('observations').select('seq').whereRef('stream', '=', 'texts.id'),
        client: eb.selectFrom('observations').select('seq').whereRef('client', '=', 'texts.id'),
        snapshots: eb.selectFrom('client_snapshots').select('seq').whereRef('client', '=', 'texts.id'),
      };
      return eb.and([
        eb(
          'role',
          'in',
          roles.map((role) => textRoles.indexOf(role)),
        ),
        ...references.map((name) => eb.not(eb.exists(found[name]))),
      ]);
    };
    return this.#store.db.transaction().execute(async (trx) => {
      // Writers wait for this row, and then forget the ids that they know.
      await trx
        .updateTable('log_heads')
        .set((eb) => ({ texts_version: eb('texts_version', '+', 1) }))
        .execute();
      await trx
        .deleteFrom('terms')
        .where('text', '>=', from)
        .where('text', '<', to)
        .where((eb) =>
          eb.not(
            eb.exists(
              eb.selectFrom('observations').select('seq').whereRef('observations.seq', '=', 'terms.seq'),
            ),
          ),
        )
        .execute();
      await trx
        .deleteFrom('texts')
        .where('id', '>=', from)
        .where('id', '<', to)
        .where((eb) =>
          eb.or([
            without(eb, ['name', 'version', 'error'], ['terms']),
            without(eb, ['stream'], ['stream']),
            without(eb, ['client'], ['client', 'snapshots']),
          ]),
        )
        .execute();
    });
  }
}

/** Returns the condition that a pin, or the pin with this id, retains an observation. */
function isPinned(eb: ExpressionBuilder<StoreTables, 'observations'>, id?: number) {
  return eb.exists(
    eb
      .selectFrom('pins')
      .leftJoin('texts as of', 'of.id', 'observations.client')
      .select('pins.id')
      .whereRef('observations.at', '>=', 'pins.from_at')
      .whereRef('observations.at', '<=', 'pins.to_at')
      .where((pin) =>
        pin.or([pin('pins.client_id', 'is', null), pin('pins.client_id', '=', pin.ref('of.text'))]),
      )
      .$if(id !== undefined, (query) => query.where('pins.id', '=', id ?? 0)),
  );
}
