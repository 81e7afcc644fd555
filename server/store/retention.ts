import { type ExpressionBuilder, sql } from 'kysely';
import type { BaseRoller } from './base-roller';
import type { Bodies } from './bodies';
import { countMinutes, subtractDensities } from './densities';
import { shortenParts } from './log-parts';
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

export interface RetentionLimits {
  /** Observations made before this moment are deleted. */
  readonly olderThan: number;
  /** While the recording is larger, its oldest observations are deleted regardless of age. */
  readonly maxBytes: number;
  /** While there are more observations, the oldest ones are deleted regardless of age. */
  readonly maxCount: number;
}

/** The oldest part of the log, which exceeds the limits. Both ends are included. */
interface RetentionPlan {
  readonly fromSeq: number;
  readonly untilSeq: number;
}

/** The steps of a round, which take some 10 ms each. They may be taken in another thread. */
export interface RetentionSteps {
  /** `isFirst`: it is the first of its round. */
  deleteOldest(limits: RetentionLimits, isFirst: boolean): Promise<number>;
  findUnnamedBodies(limit: number): Promise<readonly string[]>;
  deleteUnnamedBodies(hashes: readonly string[]): Promise<number>;
  shrink(): Promise<boolean>;
}

export interface RetentionRound {
  readonly limits: RetentionLimits;
  /** Must make the next emission of these bodies contain their bytes, and resolve when earlier ones are written. */
  readonly forgetBodies?: (hashes: readonly string[]) => Promise<unknown>;
  /** Checked between two steps. */
  readonly isCancelled?: () => boolean;
}

/**
 * Brings the log within its limits, oldest first: deletes observations, then the bodies that only they named, repeatedly while it
 * is too large, and at last returns free space to the file system. Returns the number of deleted observations. A body that was
 * found unnamed may be named again by an emission that assumes that it is stored: bodies are first forgotten, and all appended
 * observations are written; then those that are still unnamed are deleted.
 */
export async function runRetention(
  steps: RetentionSteps,
  { limits, forgetBodies, isCancelled = () => false }: RetentionRound,
): Promise<number> {
  let deleted = 0;
  for (let isFirst = true; ; isFirst = false) {
    const observations = await steps.deleteOldest(limits, isFirst);
    const unnamed = await steps.findUnnamedBodies(bodiesAtOnce);
    if (unnamed.length > 0) await forgetBodies?.(unnamed);
    const bodies = unnamed.length > 0 ? await steps.deleteUnnamedBodies(unnamed) : 0;
    deleted += observations;
    if (isCancelled()) return deleted;
    if (observations === 0 && bodies === 0) break;
  }
  while ((await steps.shrink()) && !isCancelled());
  return deleted;
}

interface RetentionParts {
  readonly store: StoreDatabase;
  readonly bodies: Bodies;
  readonly bases: BaseRoller;
  /** Lets others work between two steps. */
  readonly pause: () => Promise<void>;
}

/** Deletes the oldest observations, but nothing after the newest checkpoint, and nothing that is pinned. */
export class Retention implements RetentionSteps {
  readonly #store: StoreDatabase;
  readonly #bodies: Bodies;
  readonly #bases: BaseRoller;
  readonly #pause: () => Promise<void>;
  #unswept = 0;

  constructor({ store, bodies, bases, pause }: RetentionParts) {
    this.#store = store;
    this.#bodies = bodies;
    this.#bases = bases;
    this.#pause = pause;
  }

  /**
   * Deletes some of the oldest observations that exceed the limits, and returns their number.
   */
  async deleteOldest(limits: RetentionLimits, isFirst: boolean): Promise<number> {
    const plan = await this.#plan(limits, isFirst ? (await this.#count()) * leastShare : 0);
    if (plan === undefined) {
      if (this.#unswept > 0 && this.#unswept >= (await this.#count()) * sweptShare) await this.#sweep();
      return 0;
    }
    await this.#bases.roll(plan.fromSeq, plan.untilSeq, (await this.#count()) / 2);
    let deleted = 0;
    for (let from = plan.fromSeq; from <= plan.untilSeq; from += rowsAtOnce) {
      deleted += await this.#deleteBetween(from, Math.min(plan.untilSeq, from + rowsAtOnce - 1));
      await this.#pause();
    }
    this.#unswept += deleted;
    return deleted;
  }

  /**
   * Returns bodies that no observation, pinned or not, and nothing after the checkpoint can name. Whoever assumes that they are
   * stored must forget them before deleteUnnamedBodies() is called.
   */
  async findUnnamedBodies(limit: number): Promise<string[]> {
    const keptFrom = await this.#keptFrom();
    return keptFrom === undefined ? [] : this.#bodies.findUnnamed(this.#store.db, keptFrom, limit);
  }

  /** Deletes those that are still unnamed, because one may have been named since. Returns their number. */
  async deleteUnnamedBodies(hashes: readonly string[]): Promise<number> {
    const keptFrom = await this.#keptFrom();
    return keptFrom === undefined ? 0 : this.#bodies.deleteUnnamed(this.#store.db, hashes, keptFrom);
  }

  shrink(): Promise<boolean> {
    return this.#store.shrink();
  }

  /** Returns the least seq that can name a body. undefined if it is not known, because a body may have been named in a gap. */
  async #keptFrom(): Promise<number | undefined> {
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
    if ((await totalGaps(db)).newestSeq > checkpoint_seq) return undefined;
    return Math.min(oldest ?? checkpoint_seq, checkpoint_seq);
  }

  /** Returns undefined if no more than `least` observations exceed the limits. */
  async #plan(
    { olderThan, maxBytes, maxCount }: RetentionLimits,
    least: number,
  ): Promise<RetentionPlan | undefined> {
    const { db } = this.#store;
    const heads = await db.selectFrom('log_heads').select('checkpoint_seq').executeTakeFirstOrThrow();
    const oldest = await db
      .selectFrom('observations')
      .select(['seq', 'at'])
      .where('seq', '<=', heads.checkpoint_seq)
      .where((eb) => eb.not(isPinned(eb)))
      .orderBy('seq')
      .limit(plannedAtOnce)
      .execute();
    const [count, { used }] = [await this.#count(), await this.#store.size()];
    const share = used > maxBytes ? (used - maxBytes) / used : 0;
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
      await shortenParts(trx, fromSeq, untilSeq);
      await trx.deleteFrom('gaps').where('to_seq', '<=', untilSeq).execute();
      return Number(numDeletedRows);
    });
  }

  /** Deletes the terms of deleted observations, and then the texts that nothing refers to. */
  async #sweep(): Promise<void> {
    const { db } = this.#store;
    const { last } = await db
      .selectFrom('texts')
      .select((eb) => eb.fn.coalesce(eb.fn.max('id'), eb.lit(0)).as('last'))
      .executeTakeFirstOrThrow();
    for (let from = 0; from <= last; from += textsAtOnce) {
      await this.#sweepTexts(from, from + textsAtOnce);
      await this.#pause();
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
