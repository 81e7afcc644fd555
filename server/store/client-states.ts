import { sql } from 'kysely';
import type { Recorded } from '@/lib/observation/observation';
import type { KnownSource } from '@/lib/observation/source-directory';
import type { EpochMs } from '@/lib/xds/units';
import type { Bodies } from './bodies';
import type { CheckpointedClient, CheckpointPage, CheckpointStore } from './checkpoints';
import { ClientFollowers, readChain } from './client-followers';
import { packText } from './client-snapshot';
import { seqOfClient } from './filter';
import { totalGaps } from './ranges';
import type { StoreDatabase, StoreTransaction } from './schema';
import { bytesOfText, textOfBytes } from './text-bytes';
import { type TextIds, textKey } from './texts';

/** Observations that wait in memory, with the rows that they changed. */
const maxQueued = 16_384;
const staleAtOnce = 1_000;
const sourcesKey = bytesOfText('log/sources');
const none = new Uint8Array();

export interface ClientStatesParts {
  readonly store: StoreDatabase;
  readonly texts: TextIds;
  readonly bodies: Bodies;
  /** Reads some observations after a seq, oldest first. */
  readonly readAfter: (seq: number) => Promise<readonly Recorded[]>;
}

/**
 * The snapshots of clients. Observations are folded some time after they were appended, in the order of the log: from memory
 * if they wait there, else from the log, beginning at the newest checkpoint. After a gap, only the next checkpoint has the states.
 */
export class ClientStates implements CheckpointStore {
  readonly #parts: ClientStatesParts;
  #followers: ClientFollowers | undefined;
  #queue: (readonly Recorded[])[] = [];
  #queued = 0;
  /** The newest observation that this process has appended. Absent at the start: the log is read to its end first. */
  #newestSeq: number | undefined;

  constructor(parts: ClientStatesParts) {
    this.#parts = parts;
  }

  /** Keeps all snapshots that a checkpoint would replace. */
  async keepBases(): Promise<void> {
    await this.#parts.store.db.updateTable('client_snapshots').set({ is_checkpoint: 0 }).execute();
  }

  /** All observations up to this seq were folded. undefined if that is not known. */
  get reached(): number | undefined {
    return this.#followers?.reached;
  }

  /** Must be called with each batch that was appended. */
  note(observations: readonly Recorded[]): void {
    this.#newestSeq = observations.at(-1)?.seq ?? this.#newestSeq;
    if (this.#followers === undefined) return;
    this.#queue.push(observations);
    this.#queued += sizeOf(observations);
    if (this.#queued > maxQueued) this.#clearQueue();
  }

  #clearQueue(): void {
    this.#queue = [];
    this.#queued = 0;
  }

  /** Must be called after a gap was stored, and before what was not folded is deleted: begins again at the checkpoint. */
  reset(): void {
    this.#followers = undefined;
    this.#clearQueue();
  }

  /** Begins again if observations up to this seq, which are about to be deleted, were not folded. */
  skipTo(seq: number): void {
    if ((this.#followers?.reached ?? seq) < seq) this.reset();
  }

  /** Forgets those of these clients that have no observations after a seq: they were removed. */
  forgetUntil(clientIds: readonly string[], seq: number): void {
    this.#followers?.forgetUntil(clientIds, seq);
  }

  /** The seq of the whole snapshot that the next one of the client is read with. */
  baseSeqOf(clientId: string): number | undefined {
    return this.#followers?.baseSeqOf(clientId);
  }

  /** Folds some observations or stores some snapshots, in some 10 ms. Returns whether there is more to do. Calls must not overlap. */
  async step(): Promise<boolean> {
    const followers = await this.#begun();
    if (followers === undefined) return false;
    if (followers.due > 0) {
      await followers.storeDue();
      return true;
    }
    if (followers.reached === this.#newestSeq) return false;
    const next = this.#takeQueued(followers.reached) ?? (await this.#parts.readAfter(followers.reached));
    if (next.length === 0) return false;
    await followers.follow(next);
    return true;
  }

  async #begun(): Promise<ClientFollowers | undefined> {
    if (this.#followers !== undefined) return this.#followers;
    const { store, texts } = this.#parts;
    const heads = await store.db.selectFrom('log_heads').select('checkpoint_seq').executeTakeFirstOrThrow();
    const reached = heads.checkpoint_seq;
    if ((await totalGaps(store.db)).newestSeq > reached) return undefined;
    this.#followers = new ClientFollowers(store, texts, { reached });
    return this.#followers;
  }

  /** Returns the next batch if it is in memory. */
  #takeQueued(reached: number): readonly Recorded[] | undefined {
    const next = this.#queue[0];
    if (next === undefined) return undefined;
    if ((next[0]?.seq ?? 0) > reached + 1) return undefined;
    this.#queue.shift();
    this.#queued -= sizeOf(next);
    return (next.at(-1)?.seq ?? 0) <= reached ? this.#takeQueued(reached) : next;
  }

  async beginCheckpoint(): ReturnType<CheckpointStore['beginCheckpoint']> {
    const { db } = this.#parts.store;
    const heads = await db.selectFrom('log_heads').select('checkpoint_seq').executeTakeFirstOrThrow();
    const isWhole = (await totalGaps(db)).newestSeq <= heads.checkpoint_seq;
    const since = isWhole ? heads.checkpoint_seq : 0;
    const others = await db
      .selectFrom('client_snapshots as s')
      .innerJoin('texts as t', 't.id', 's.client')
      .select('t.text')
      .distinct()
      .where('s.seq', '>', since)
      .execute();
    return { since, others: others.map(({ text }) => textOfBytes(text)) };
  }

  /** Stores clients as of a seq. They are a checkpoint once it is complete. */
  async addToCheckpoint(seq: number, clients: readonly CheckpointedClient[]): Promise<void> {
    const { store, texts, bodies } = this.#parts;
    const packed = clients.map(({ clientId, firstSeenAt, snapshot }) => ({
      ...{ clientId, firstSeenAt },
      row: {
        ...{ seq, base_seq: seq, rows: snapshot.rows, kept_until: seq, is_checkpoint: 1 },
        bytes: packText(snapshot),
      },
    }));
    await store.db
      .transaction()
      .execute(async (trx) => {
        // Whoever appends waits until the end of the transaction.
        const { texts_version } = await trx
          .updateTable('log_heads')
          .set((eb) => ({ texts_version: eb.ref('texts_version') }))
          .returning('texts_version')
          .executeTakeFirstOrThrow();
        const keys = new Set(clients.map(({ clientId }) => textKey('client', clientId)));
        const ids = await texts.assign(trx, keys, texts_version);
        const idOf = (clientId: string): number => ids.get(textKey('client', clientId)) ?? 0;
        const begins = await readBegins(
          trx,
          clients.map(({ clientId }) => idOf(clientId)),
        );
        const rows = packed.map(({ clientId, firstSeenAt, row }) => {
          const client = idOf(clientId);
          return { ...row, client, begins_at: begins.get(client) ?? Math.floor(firstSeenAt) };
        });
        // What is there has the same state, unless the client was removed.
        await trx
          .insertInto('client_snapshots')
          .values(rows)
          .onConflict((conflict) =>
            conflict
              .columns(['client', 'seq'])
              .doUpdateSet((eb) => ({
                ...{ base_seq: eb.ref('excluded.base_seq'), rows: eb.ref('excluded.rows') },
                ...{ kept_until: eb.ref('excluded.kept_until'), bytes: eb.ref('excluded.bytes') },
                ...{ is_checkpoint: eb.ref('excluded.is_checkpoint') },
                begins_at: eb.ref('excluded.begins_at'),
              }))
              .where(sql`length(client_snapshots.bytes)`, '=', 0),
          )
          .execute();
        await bodies.keep(trx, [...new Set(clients.flatMap(({ hashes }) => hashes))], seq);
      })
      .catch((error: unknown) => {
        texts.forget();
        bodies.forget();
        throw error;
      });
  }

  /** All clients that changed since the newest checkpoint were added, and these were removed. */
  async completeCheckpoint(
    seq: number,
    { removed, sources }: { readonly removed: readonly string[]; readonly sources: readonly KnownSource[] },
  ): Promise<void> {
    const { store, texts } = this.#parts;
    const ids = await texts.find(
      store.db,
      removed.map((clientId) => textKey('client', clientId)),
    );
    await store.db.transaction().execute(async (trx) => {
      for (const client of ids.values()) {
        await trx
          .insertInto('client_snapshots')
          .values({
            ...{ client, seq, base_seq: seq, rows: 0, begins_at: 0 },
            ...{ kept_until: seq, is_checkpoint: 0, bytes: none },
          })
          // Later snapshots may need what is there.
          .onConflict((conflict) => conflict.columns(['client', 'seq']).doNothing())
          .execute();
      }
      const json = bytesOfText(JSON.stringify(sources));
      await trx
        .insertInto('state')
        .values({ key: sourcesKey, json, version: 1 })
        .onConflict((conflict) =>
          conflict.column('key').doUpdateSet((eb) => ({ json, version: eb('state.version', '+', 1) })),
        )
        .execute();
      await trx
        .updateTable('log_heads')
        .set({ checkpoint_seq: seq })
        .where('checkpoint_seq', '<', seq)
        .execute();
    });
    this.forgetUntil(removed, seq);
  }

  /** Deletes some snapshots that a newer checkpoint replaced. Returns whether there may be more. */
  async deleteStaleCheckpoints(): Promise<boolean> {
    const { numDeletedRows } = await this.#parts.store.db
      .deleteFrom('client_snapshots')
      .where('is_checkpoint', '=', sql.lit(1))
      .where((eb) =>
        eb(
          eb.refTuple('client', 'seq'),
          'in',
          eb
            .selectFrom('client_snapshots as s')
            .select(['s.client', 's.seq'])
            .where('s.is_checkpoint', '=', sql.lit(1))
            .where((each) =>
              each.exists(
                each
                  .selectFrom('client_snapshots as n')
                  .select('n.seq')
                  .whereRef('n.client', '=', 's.client')
                  .whereRef('n.seq', '>', 's.seq')
                  .where('n.seq', '<=', each.selectFrom('log_heads').select('checkpoint_seq'))
                  .where('n.is_checkpoint', '=', sql.lit(1)),
              ),
            )
            .limit(staleAtOnce)
            .$asTuple('client', 'seq'),
        ),
      )
      .executeTakeFirstOrThrow();
    return numDeletedRows === BigInt(staleAtOnce);
  }

  async findCheckpoint(): Promise<
    { readonly seq: number; readonly sources: readonly KnownSource[] } | undefined
  > {
    const { db } = this.#parts.store;
    const stored = await db
      .selectFrom('state')
      .select('json')
      .where('key', '=', sourcesKey)
      .executeTakeFirst();
    if (stored === undefined) return undefined;
    const { checkpoint_seq: seq } = await db
      .selectFrom('log_heads')
      .select('checkpoint_seq')
      .executeTakeFirstOrThrow();
    return { seq, sources: JSON.parse(textOfBytes(stored.json)) as KnownSource[] };
  }

  /** Reads the clients of the checkpoint at `seq`, in the order of their ids in the store. */
  async readCheckpoint(seq: number, after: number, limit: number): Promise<CheckpointPage> {
    const { db } = this.#parts.store;
    const bases = await db
      .selectFrom('client_snapshots as s')
      .select(['s.client', 's.seq', 's.base_seq', 's.bytes'])
      .where('s.client', '>', after)
      .where('s.seq', '=', (eb) =>
        eb
          .selectFrom('client_snapshots as n')
          .select((max) => max.fn.max('n.seq').as('seq'))
          .whereRef('n.client', '=', 's.client')
          .where('n.seq', '<=', seq),
      )
      .orderBy('s.client')
      .limit(limit)
      .execute();
    const clients: (readonly Uint8Array[])[] = [];
    for (const { client, seq, base_seq: baseSeq, bytes } of bases) {
      if (bytes.byteLength === 0) continue;
      clients.push(baseSeq === seq ? [bytes] : await readChain(db, { client, baseSeq, seq }));
    }
    return { clients, next: bases.length === limit ? (bases.at(-1)?.client ?? null) : null };
  }
}

/** Returns when each of the clients was observed first: as snapshots have it, or by its oldest observation. */
async function readBegins(
  trx: StoreTransaction,
  clients: readonly number[],
): Promise<ReadonlyMap<number, EpochMs>> {
  const known = await trx
    .selectFrom('client_snapshots as s')
    .select(['s.client', 's.begins_at'])
    .where('s.client', 'in', clients)
    .where('s.seq', '=', (eb) =>
      eb
        .selectFrom('client_snapshots as n')
        .select((max) => max.fn.max('n.seq').as('seq'))
        .whereRef('n.client', '=', 's.client')
        .where('n.begins_at', '>', 0),
    )
    .execute();
  const begins = new Map(known.map(({ client, begins_at }) => [client, begins_at]));
  const others = clients.filter((client) => !begins.has(client));
  if (others.length === 0) return begins;
  const observed = await trx
    .selectFrom('texts')
    .select((eb) => [
      'id',
      eb
        .selectFrom('observations')
        .select('at')
        .whereRef('client', '=', 'texts.id')
        .orderBy(seqOfClient)
        .limit(1)
        .as('at'),
    ])
    .where('id', 'in', others)
    .execute();
  for (const { id, at } of observed) if (at !== null) begins.set(id, at);
  return begins;
}

function sizeOf(observations: readonly Recorded[]): number {
  let size = observations.length;
  for (const observation of observations) {
    if ('changed' in observation) size += observation.changed.length;
    if ('resources' in observation) size += observation.resources.length;
  }
  return size;
}
