import type { Kysely } from 'kysely';
import type { EpochMs } from '@/lib/xds/units';
import type { Body } from '../observe';
import type { Bodies } from './bodies';
import { deflateBytes, inflateBytes } from './deflate';
import type { StoreDatabase, StoreTables } from './schema';
import { bytesOfText, textOfBytes } from './text-bytes';

export interface StoredPermalink {
  readonly id: string;
  readonly createdAt: EpochMs;
  readonly json: string;
}

export interface PermalinkTotals {
  readonly count: number;
  /** Size of the stored contents, without the bodies that they name. */
  readonly sizeBytes: number;
}

const atOnce = 400;

/**
 * The bodies of `hashes` are never deleted; those of `bodies` are stored before, if they are not there. Returns undefined, and stores nothing, if there are `limit` permalinks already.
 */
export function savePermalink(
  { db }: StoreDatabase,
  { id, createdAt, json }: StoredPermalink,
  hashes: readonly string[],
  limit: number,
  bodies?: { readonly store: Bodies; readonly added: readonly Body[] },
): Promise<PermalinkTotals | undefined> {
  return db.transaction().execute(async (trx) => {
    if (bodies !== undefined) await bodies.store.store(trx, bodies.added, []);
    if ((await totalPermalinks(trx)).count >= limit) return undefined;
    const content = deflateBytes(json);
    await trx
      .insertInto('permalinks')
      .values({ id: bytesOfText(id), created_at: Math.floor(createdAt), content })
      .execute();
    const holder = bytesOfText(`permalink:${id}`);
    const rows = [...new Set(hashes)].map((hash) => ({ hash: Buffer.from(hash, 'hex'), holder }));
    for (let from = 0; from < rows.length; from += atOnce) {
      await trx
        .insertInto('body_holders')
        .values(rows.slice(from, from + atOnce))
        .execute();
    }
    return totalPermalinks(trx);
  });
}

export async function readPermalink({ db }: StoreDatabase, id: string): Promise<StoredPermalink | undefined> {
  const row = await db
    .selectFrom('permalinks')
    .select(['created_at', 'content'])
    .where('id', '=', bytesOfText(id))
    .executeTakeFirst();
  return row && { id, createdAt: row.created_at, json: textOfBytes(inflateBytes(row.content)) };
}

/** Returns the ids of some permalinks, in the order of their bytes, and the bodies that each holds. */
export async function listPermalinks(
  { db }: StoreDatabase,
  after: string,
  limit: number,
): Promise<{ readonly id: string; readonly hashes: readonly string[] }[]> {
  const rows = await db
    .selectFrom('permalinks')
    .select('id')
    .where('id', '>', bytesOfText(after))
    .orderBy('id')
    .limit(limit)
    .execute();
  const found: { readonly id: string; readonly hashes: readonly string[] }[] = [];
  for (const row of rows) {
    const id = textOfBytes(row.id);
    const held = await db
      .selectFrom('body_holders')
      .select('hash')
      .where('holder', '=', bytesOfText(`permalink:${id}`))
      .execute();
    found.push({ id, hashes: held.map(({ hash }) => hash.toString('hex')) });
  }
  return found;
}

export async function totalPermalinks(db: Kysely<StoreTables>): Promise<PermalinkTotals> {
  return db
    .selectFrom('permalinks')
    .select((eb) => [
      eb.fn.countAll<number>().as('count'),
      eb.fn.coalesce(eb.fn.sum<number>(eb.fn<number>('length', ['content'])), eb.lit(0)).as('sizeBytes'),
    ])
    .executeTakeFirstOrThrow();
}
