import type { ExpressionBuilder, Kysely } from 'kysely';
import type { Recorded } from '@/lib/observation/observation';
import { boundedCache } from '../bounded-cache';
import { sha256 } from '../codec/sha256';
import type { Body } from '../observe';
import { deflateBytes, inflateBytes } from './deflate';
import { namedHashes } from './named-hashes';
import type { StoreTables, StoreTransaction } from './schema';
import { bytesOfText, textOfBytes } from './text-bytes';

const atOnce = 400;
const maxKnownLeases = 100_000;
/** A body that is named repeatedly is updated once in at most this many observations. */
const maxLease = 10_000;

/** A body named at `seq` is kept somewhat longer than necessary, so that its row is written less often. */
function leaseFrom(seq: number): number {
  return seq + Math.min(maxLease, Math.floor(seq / 16));
}

/**
 * Resource bodies by hash and type URL, each stored once. Instead of references, each has one number: at least the seq of
 * the newest observation that names it.
 */
export class Bodies {
  /** Lower bounds of last_seq by hash, for bodies that were named recently. */
  readonly #leases = boundedCache<number>(maxKnownLeases);

  /** Must be called after a transaction was rolled back, and after bodies were deleted. */
  forget(): void {
    this.#leases.clear();
  }

  /** Stores those bodies that are new, and keeps those that the observations name. Returns the number of the former. */
  async store(
    trx: StoreTransaction,
    bodies: readonly Body[],
    observations: readonly Recorded[],
  ): Promise<number> {
    const named = new Map<string, number>();
    for (const observation of observations) {
      for (const hash of namedHashes(observation)) named.set(hash, observation.seq);
    }
    const newest = observations.at(-1)?.seq ?? 0;
    const leaseOf = ({ hash }: Body): number => leaseFrom(named.get(hash) ?? newest);
    const unique = new Map(bodies.map((body) => [keyOf(body), body]));
    let inserted = 0;
    for (const some of inParts([...unique.values()])) {
      const known = await trx
        .selectFrom('bodies')
        .select(['hash', 'type_url'])
        .where('hash', 'in', some.map(hashOf))
        .execute();
      for (const row of known)
        unique.delete(keyOf({ hash: row.hash.toString('hex'), typeUrl: textOfBytes(row.type_url) }));
      const rows = some.filter((body) => unique.has(keyOf(body))).map((body) => rowOf(body, leaseOf(body)));
      if (rows.length > 0) await trx.insertInto('bodies').values(rows).execute();
      inserted += rows.length;
    }
    for (const body of unique.values()) this.#leases.set(body.hash, leaseOf(body));
    for (const { hash } of bodies) if (!named.has(hash)) named.set(hash, newest);
    const due = [...named].filter(([hash, seq]) => (this.#leases.get(hash) ?? 0) < seq);
    await this.keep(
      trx,
      due.map(([hash]) => hash),
      leaseFrom(newest),
    );
    return inserted;
  }

  /** Keeps bodies at least as long as the log has observations up to a seq. */
  async keep(trx: StoreTransaction, hashes: readonly string[], until: number): Promise<void> {
    const due = hashes.filter((hash) => (this.#leases.get(hash) ?? 0) < until);
    for (const some of inParts(due)) {
      await trx
        .updateTable('bodies')
        .set({ last_seq: until })
        .where(
          'hash',
          'in',
          some.map((hash) => Buffer.from(hash, 'hex')),
        )
        .where('last_seq', '<', until)
        .execute();
      for (const hash of some) this.#leases.set(hash, until);
    }
  }

  async count(db: Kysely<StoreTables>): Promise<number> {
    const { n } = await db
      .selectFrom('bodies')
      .select((eb) => eb.fn.countAll<number>().as('n'))
      .executeTakeFirstOrThrow();
    return n;
  }

  /**
   * Returns those of the bodies that are stored, each with any of its types. They are kept as if the next observation named
   * them, so that retention deletes none before it is stored.
   */
  async renew(db: Kysely<StoreTables>, hashes: ReadonlySet<string>): Promise<Set<string>> {
    const kept = new Set<string>();
    const { seq } = await db.selectFrom('log_heads').select('seq').executeTakeFirstOrThrow();
    for (const some of inParts([...hashes])) {
      const isOne = (eb: ExpressionBuilder<StoreTables, 'bodies'>) =>
        eb(
          'hash',
          'in',
          some.map((hash) => Buffer.from(hash, 'hex')),
        );
      const renewed = db.updateTable('bodies').set({ last_seq: seq }).where('last_seq', '<', seq);
      const rows = [
        ...(await db.selectFrom('bodies').select('hash').where('last_seq', '>=', seq).where(isOne).execute()),
        ...(await renewed.where(isOne).returning('hash').execute()),
      ];
      for (const { hash } of rows) kept.add(hash.toString('hex'));
    }
    return kept;
  }

  /** Returns at most one body per hash; unknown hashes are left out. Without a type URL, the type may be any. */
  async read(
    db: Kysely<StoreTables>,
    hashes: Iterable<string>,
    typeUrl?: string,
  ): Promise<Map<string, Body>> {
    const found = new Map<string, Body>();
    for (const some of inParts([...new Set(hashes)])) {
      const rows = await db
        .selectFrom('bodies')
        .select(['hash', 'type_url', 'size', 'bytes'])
        .where(
          'hash',
          'in',
          some.map((hash) => Buffer.from(hash, 'hex')),
        )
        .$if(typeUrl !== undefined, (query) => query.where('type_url', '=', bytesOfText(typeUrl ?? '')))
        .orderBy('type_url', 'desc')
        .execute();
      for (const { hash: stored, type_url, size, bytes } of rows) {
        const hash = stored.toString('hex');
        const body = new Uint8Array(bytes.byteLength < size ? inflateBytes(bytes) : bytes);
        // A flipped bit of a body that is stored as it is, is found by nothing else.
        const sum = sha256(body);
        if (sum !== hash) throw new RangeError(`expected a body with the SHA-256 ${hash}, got ${sum}`);
        found.set(hash, { hash, typeUrl: textOfBytes(type_url), bytes: body });
      }
    }
    return found;
  }

  /** Returns bodies that nothing with a seq of `keptFrom` or later names, and no holder. */
  async findUnnamed(db: Kysely<StoreTables>, keptFrom: number, limit: number): Promise<string[]> {
    const found = await db
      .selectFrom('bodies')
      .select('hash')
      .where((eb) => isUnnamed(eb, keptFrom))
      .limit(limit)
      .execute();
    return [...new Set(found.map(({ hash }) => hash.toString('hex')))];
  }

  /** Deletes those that are still unnamed. Returns their number. */
  async deleteUnnamed(db: Kysely<StoreTables>, hashes: readonly string[], keptFrom: number): Promise<number> {
    let deleted = 0;
    for (const some of inParts(hashes)) {
      const { numDeletedRows } = await db
        .deleteFrom('bodies')
        .where(
          'hash',
          'in',
          some.map((hash) => Buffer.from(hash, 'hex')),
        )
        .where((eb) => isUnnamed(eb, keptFrom))
        .executeTakeFirstOrThrow();
      deleted += Number(numDeletedRows);
    }
    this.forget();
    return deleted;
  }
}

function isUnnamed(eb: ExpressionBuilder<StoreTables, 'bodies'>, keptFrom: number) {
  const holders = eb.selectFrom('body_holders as h').select('h.hash').whereRef('h.hash', '=', 'bodies.hash');
  return eb.and([eb('last_seq', '<', keptFrom), eb.not(eb.exists(holders))]);
}

function keyOf({ hash, typeUrl }: Pick<Body, 'hash' | 'typeUrl'>): string {
  return `${hash} ${typeUrl}`;
}

function hashOf({ hash }: Body): Buffer {
  return Buffer.from(hash, 'hex');
}

function rowOf(body: Body, lease: number) {
  const deflated = deflateBytes(body.bytes);
  return {
    hash: hashOf(body),
    type_url: bytesOfText(body.typeUrl),
    size: body.bytes.byteLength,
    last_seq: lease,
    bytes: deflated.byteLength < body.bytes.byteLength ? deflated : body.bytes,
  };
}

function* inParts<T>(values: readonly T[]): Generator<T[]> {
  for (let from = 0; from < values.length; from += atOnce) yield values.slice(from, from + atOnce);
}
