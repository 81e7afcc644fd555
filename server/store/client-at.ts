import { sql } from 'kysely';
import { foldObservation, type World } from '@/lib/observation/fold';
import type { Observation } from '@/lib/observation/observation';
import type { EpochMs } from '@/lib/xds/units';
import { inSlices } from '../workers/threads/in-slices';
import { readChain, seqOnlyKinds } from './client-followers';
import { restoreClient } from './client-snapshot';
import { seqOfClient } from './filter';
import type { ClientAt } from './history-query';
import { findUntil, readNewestSeq } from './log-parts';
import { kindNumber } from './observation-row';
import { readLines } from './payloads';
import { readGaps } from './ranges';
import type { StoreDatabase } from './schema';
import { storedKinds } from './stored-kinds';
import { type TextIds, textKey } from './texts';

/** What a client at a moment consists of, as the store has it: it can be folded in another thread. */
export interface StoredClientAt {
  readonly clientId: string;
  readonly snapshots: readonly Uint8Array[];
  /** The observations after the snapshots that change more than the seq of the client, by seq. */
  readonly later: readonly { readonly seq: number; readonly json: string }[];
  /** The newest observation after the snapshots that changes only the seq of the client; 0 if there is none. */
  readonly newestOther: number;
  readonly beginsAt: EpochMs;
  readonly incomplete: string;
}

const seqOnly = seqOnlyKinds.map(kindNumber);
const foldedKinds = storedKinds.map(kindNumber).filter((kind) => !seqOnly.includes(kind));

/** Returns undefined if the log has no observation of the client until then. */
export async function readStoredClientAt(
  store: StoreDatabase,
  texts: TextIds,
  clientId: string,
  at: EpochMs | { readonly seq: number },
): Promise<StoredClientAt | undefined> {
  const { db } = store;
  const client = await findClient(store, texts, clientId);
  if (client === undefined) return undefined;
  // What is appended meanwhile must not be missed by one statement and read by a later one.
  const until =
    typeof at === 'number' ? await findUntil(db, client, at) : Math.min(at.seq, await readNewestSeq(db));
  if (until === undefined) return undefined;
  const { base, snapshots } = await readSnapshots(store, client, until);
  const baseSeq = base?.seq ?? 0;
  const ofClient = db
    .selectFrom('observations')
    .where('client', '=', client)
    .where('seq', '>', baseSeq)
    .where('seq', '<=', until);
  const places = await ofClient
    .select('seq')
    .select((eb) =>
      eb
        .selectFrom('payloads')
        .select((max) => max.fn.max('first_seq').as('payload'))
        .whereRef('first_seq', '<=', 'observations.seq')
        .as('payload'),
    )
    .where('kind', 'in', foldedKinds)
    .orderBy('seq')
    .execute();
  const later: { readonly seq: number; readonly json: string }[] = [];
  await readLines(db, places, (json, index) => {
    later.push({ seq: places[index]?.seq ?? 0, json });
    return true;
  });
  const other = await ofClient
    .select('seq')
    .where('kind', 'in', seqOnly)
    .orderBy(seqOfClient, 'desc')
    .limit(1)
    .executeTakeFirst();
  const first = base
    ? undefined
    : await ofClient.select('at').orderBy(seqOfClient).limit(1).executeTakeFirst();
  if (base === undefined && first === undefined) return undefined;
  return {
    ...{ clientId, snapshots, later, newestOther: other?.seq ?? 0 },
    beginsAt: base?.begins_at ?? first?.at ?? 0,
    incomplete: await describeMissing(store, { client, baseSeq, until }),
  };
}

/** Yields to the event loop. */
export async function foldClientAt({
  clientId,
  snapshots,
  later,
  newestOther,
  beginsAt,
  incomplete,
}: StoredClientAt): Promise<ClientAt | undefined> {
  const world: World = new Map();
  const known = await restoreClient(snapshots);
  if (known !== undefined) world.set(clientId, known);
  await inSlices(later, ({ seq, json }) => {
    foldObservation(world, { ...(JSON.parse(json) as Observation), seq });
  });
  const client = world.get(clientId);
  if (client === undefined) return undefined;
  client.seq = Math.max(client.seq, newestOther);
  return { client, seq: client.seq, beginsAt, incomplete };
}

async function findClient(
  { db }: StoreDatabase,
  texts: TextIds,
  clientId: string,
): Promise<number | undefined> {
  const key = textKey('client', clientId);
  return (await texts.find(db, [key])).get(key);
}

/** Returns the newest snapshot at or before a seq in which the client exists. */
function findSnapshot({ db }: StoreDatabase, client: number, until: number) {
  return db
    .selectFrom('client_snapshots')
    .select(['seq', 'base_seq', 'begins_at'])
    .where('client', '=', client)
    .where('seq', '<=', until)
    .where(sql<number>`length(bytes)`, '>', 0)
    .orderBy('seq', 'desc')
    .limit(1)
    .executeTakeFirst();
}

async function readSnapshots(store: StoreDatabase, client: number, until: number) {
  for (;;) {
    const base = await findSnapshot(store, client, until);
    if (base === undefined) return { base, snapshots: [] };
    const { seq, base_seq: baseSeq } = base;
    const snapshots = await readChain(store.db, { client, baseSeq, seq });
    // Retention may have deleted all of them in between.
    if (snapshots.length > 0) return { base, snapshots };
  }
}

/**
 * Returns a sentence about the observations of a client that the log lacks between its newest snapshot and a seq, or "" if it is
 * complete. Retention deletes them only after it stored the client at the last of what it deletes (base-roller.ts).
 */
async function describeMissing(
  { db }: StoreDatabase,
  { client, baseSeq, until }: { readonly client: number; readonly baseSeq: number; readonly until: number },
): Promise<string> {
  const gap = (await readGaps(db)).findLast(({ fromSeq, toSeq }) => fromSeq <= until && toSeq > baseSeq);
  if (gap) return `observations ${gap.fromSeq} to ${gap.toSeq} were not recorded: ${gap.reason}`;
  const next = await db
    .selectFrom('client_snapshots')
    .leftJoin('observations', 'observations.seq', 'client_snapshots.seq')
    .select('observations.seq as observed')
    .where('client_snapshots.client', '=', client)
    .where('client_snapshots.seq', '>', until)
    .orderBy('client_snapshots.seq')
    .limit(1)
    .executeTakeFirst();
  if (next === undefined || next.observed !== null) return '';
  const { n } = await db
    .selectFrom('observations')
    .select((eb) => eb.fn.countAll<number>().as('n'))
    .where('seq', '>', baseSeq)
    .where('seq', '<=', until)
    .executeTakeFirstOrThrow();
  return n === until - baseSeq ? '' : 'some of what was observed before is no longer in the log';
}

/** Where the history of a client begins. */
export interface StoredHistoryBase {
  readonly snapshots: readonly Uint8Array[];
  /** The seq of the newest observation in the fold. */
  readonly seq: number;
  readonly at: EpochMs;
  /** The log has older observations of the client. */
  readonly hasOlder: boolean;
}

/** Observations of the client between the base and the end. */
const observationsBack = 16_384;

/**
 * Returns the base for the history of a client up to `until`: just before `from` or, without it, before the newest part of the
 * history. undefined if the history begins with the client's first observation in the log.
 */
export async function readHistoryBase(
  store: StoreDatabase,
  texts: TextIds,
  clientId: string,
  until: EpochMs,
  from?: EpochMs,
): Promise<StoredHistoryBase | undefined> {
  const { db } = store;
  const client = await findClient(store, texts, clientId);
  const oldest = await db
    .selectFrom('observations')
    .select(['seq', 'at'])
    .orderBy('seq')
    .limit(1)
    .executeTakeFirst();
  if (client === undefined || oldest === undefined) return undefined;
  const newest = await findUntil(db, client, from ?? until);
  const back =
    newest === undefined || from !== undefined
      ? { seq: newest ?? 0 }
      : await db
          .selectFrom('observations')
          .select('seq')
          .where('client', '=', client)
          .where('seq', '<=', newest)
          .orderBy('seq', 'desc')
          .offset(observationsBack)
          .limit(1)
          .executeTakeFirst();
  const near = back === undefined ? undefined : await readSnapshots(store, client, back.seq);
  const { base, snapshots } =
    near?.base === undefined ? await readSnapshots(store, client, oldest.seq - 1) : near;
  if (base === undefined) return undefined;
  const { seq } = base;
  const at = await db
    .selectFrom('observations')
    .select('at')
    .where('seq', '<=', seq)
    .orderBy('seq', 'desc')
    .limit(1)
    .executeTakeFirst();
  return {
    ...{ snapshots, seq, at: at?.at ?? oldest.at, hasOlder: seq >= oldest.seq },
  };
}
