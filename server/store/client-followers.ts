import { byDescending } from '@/lib/collections/compare';
import type { ClientState } from '@/lib/observation/client-state';
import { foldObservation, type World } from '@/lib/observation/fold';
import type { Observation, Recorded } from '@/lib/observation/observation';
import type { EpochMs } from '@/lib/xds/units';
import { clearRows, forgetRows, formatState, packText, restoreClient, restoreHead } from './client-snapshot';
import type { StoreDatabase, StoreTransaction } from './schema';
import { type TextIds, textKey } from './texts';

/** What is known of a client's fold, which is in `#world` once the log has its state. */
interface Follower {
  /** The id of its text. */
  readonly client: number;
  readonly beginsAt: EpochMs;
  /** All observations up to this seq are in its newest snapshot. 0: there is none. */
  seq: number;
  /** The seq of the whole snapshot that the newest one is read with; 0 if the next one must be whole. */
  baseSeq: number;
  /** The number of rows in the whole snapshot, and in those on top of it. */
  held: number;
  layered: number;
  layers: number;
  /** Observations that were folded since the newest snapshot, and the rows that they changed. */
  observations: number;
  rows: number;
}

/** Reading a moment folds at most this many observations, each of which may be in a payload of its own. */
const everyObservations = 128;
const everyRows = 1_024;
/** A snapshot is whole if there are this many on top of a whole one, or if they have this part of its rows. */
const mostLayers = 40;
const layeredShare = 1 / 2;
const leastLayered = 1_024;
/** Fewer rows are not worth a snapshot on top of them. */
const leastHeld = 64;
const storedAtOnce = 8;
const maxFollowers = 50_000;
/** Limits the changed rows of all clients that are in memory for the next snapshots. */
const maxRows = 200_000;
const atOnce = 400;

/** Folding these changes nothing but the seq of the client. */
export const seqOnlyKinds: readonly Observation['kind'][] = [
  'response-received',
  'copies-dropped',
  'interop-step',
  'server-switched',
];
const seqOnly: ReadonlySet<string> = new Set(seqOnlyKinds);

/** Folds the observations of all clients in the order of the log, and stores snapshots of those that are due. */
export class ClientFollowers {
  readonly #store: StoreDatabase;
  readonly #texts: TextIds;
  readonly #newestBase: number;
  readonly #followers = new Map<string, Follower>();
  readonly #world: World = new Map();
  readonly #due = new Set<string>();
  #rows = 0;
  #reached: number;

  /** With `newestBase`, snapshots after that seq are not used, and stay as they are. */
  constructor(
    store: StoreDatabase,
    texts: TextIds,
    {
      reached,
      newestBase = Number.MAX_SAFE_INTEGER,
    }: { readonly reached: number; readonly newestBase?: number },
  ) {
    this.#store = store;
    this.#texts = texts;
    this.#reached = reached;
    this.#newestBase = newestBase;
  }

  /** All observations up to this seq were folded. */
  get reached(): number {
    return this.#reached;
  }

  /** So many changes are in memory that snapshots must be stored. */
  get isFull(): boolean {
    return this.#followers.size > maxFollowers || this.#rows > maxRows;
  }

  get due(): number {
    return this.#due.size;
  }

  get clientIds(): IterableIterator<string> {
    return this.#followers.keys();
  }

  /** The seq of the whole snapshot that the next snapshot of the client is read with. */
  baseSeqOf(clientId: string): number | undefined {
    return this.#followers.get(clientId)?.baseSeq;
  }

  /** Folds observations, which must follow those that were folded before. */
  async follow(observations: readonly Recorded[]): Promise<void> {
    await this.#begin(observations);
    for (const observation of observations) {
      if (observation.seq <= this.#reached) continue;
      this.#reached = observation.seq;
      if ('clientId' in observation) this.#fold(observation);
    }
    this.#makeRoom();
  }

  #fold(observation: Recorded & { readonly clientId: string }): void {
    const { clientId, seq } = observation;
    const follower = this.#followers.get(clientId);
    if (follower === undefined || seq <= follower.seq) return;
    const state = this.#world.get(clientId);
    if (seqOnly.has(observation.kind)) {
      if (state !== undefined) state.seq = seq;
      return;
    }
    if (observation.kind === 'stream-opened' && observation.cacheEmpty === true && state !== undefined) {
      clearRows(state, observation.sourceId);
    }
    foldObservation(this.#world, observation);
    const rows = 'changed' in observation ? observation.changed.length + observation.removed.length : 0;
    follower.observations += 1;
    follower.rows += rows;
    this.#rows += rows;
    if (follower.observations >= everyObservations || follower.rows >= everyRows) this.#due.add(clientId);
  }

  /** Reads the newest snapshots of clients that are not followed yet. */
  async #begin(observations: readonly Recorded[]): Promise<void> {
    const { db } = this.#store;
    const firstAt = new Map<string, EpochMs>();
    for (const observation of observations) {
      if (!('clientId' in observation) || this.#followers.has(observation.clientId)) continue;
      if (!firstAt.has(observation.clientId)) firstAt.set(observation.clientId, Math.floor(observation.at));
    }
    const ids = await this.#texts.find(
      db,
      Array.from(firstAt.keys(), (clientId) => textKey('client', clientId)),
    );
    const unknown = [...firstAt].flatMap(([clientId, at]) => {
      const client = ids.get(textKey('client', clientId));
      return client === undefined ? [] : [{ clientId, at, client }];
    });
    for (let from = 0; from < unknown.length; from += atOnce) {
      const some = unknown.slice(from, from + atOnce);
      const bases = await readBases(
        db,
        some.map(({ client }) => client),
        this.#newestBase,
      );
      for (const { clientId, at, client } of some) {
        const base = bases.get(client);
        const follower = { client, seq: base?.seq ?? 0, observations: 0, rows: 0 };
        if (base === undefined || base.bytes.byteLength === 0) {
          this.#followers.set(clientId, {
            ...{ ...follower, beginsAt: at, baseSeq: 0, held: 0, layered: 0, layers: 0 },
          });
          continue;
        }
        this.#world.set(clientId, restoreHead(base.bytes));
        this.#followers.set(clientId, {
          ...{ ...follower, beginsAt: base.begins_at, baseSeq: base.base_seq },
          ...{ held: base.held, layered: base.total - base.held, layers: base.count - 1 },
        });
      }
      // The next snapshots need these, so that the next checkpoint must not replace them.
      const adopted = some
        .flatMap(({ client }) => bases.get(client) ?? [])
        .filter((base) => base.is_checkpoint === 1);
      if (adopted.length === 0) continue;
      await db
        .updateTable('client_snapshots')
        .set({ is_checkpoint: 0 })
        .where((eb) =>
          eb.or(adopted.map(({ client, seq }) => eb.and([eb('client', '=', client), eb('seq', '=', seq)]))),
        )
        .execute();
    }
  }

  /** Forgets clients without changes, and makes those with the most changed rows due. */
  #makeRoom(): void {
    if (!this.isFull || this.#due.size > 0) return;
    const changed = [...this.#followers].filter(([clientId, { observations }]) => {
      if (observations === 0) this.#forget([clientId]);
      return observations > 0;
    });
    if (!this.isFull) return;
    changed.sort(byDescending(([, { rows }]) => rows));
    for (const [clientId] of changed.slice(0, Math.ceil(changed.length / 8))) this.#due.add(clientId);
  }

  /** Forgets those of these clients that have no observations after a seq: they were removed. */
  forgetUntil(clientIds: readonly string[], seq: number): void {
    this.#forget(clientIds.filter((clientId) => (this.#world.get(clientId)?.seq ?? 0) <= seq));
  }

  #forget(clientIds: readonly string[]): void {
    for (const clientId of clientIds) {
      this.#rows -= this.#followers.get(clientId)?.rows ?? 0;
      this.#followers.delete(clientId);
      this.#world.delete(clientId);
      this.#due.delete(clientId);
    }
  }

  /** Stores the snapshots of some clients that are due. */
  storeDue(): Promise<void> {
    return this.#storeAll([...this.#due].slice(0, storedAtOnce));
  }

  /** Stores the state of a client as it is, if it changed since its newest snapshot. Returns it without stored rows. */
  async store(clientId: string): Promise<ClientState | undefined> {
    const state = this.#world.get(clientId);
    if ((this.#followers.get(clientId)?.observations ?? 0) > 0) await this.#storeAll([clientId]);
    return state;
  }

  async #storeAll(clientIds: readonly string[]): Promise<void> {
    const stored: { clientId: string; follower: Follower }[] = [];
    await this.#store.db.transaction().execute(async (trx) => {
      for (const clientId of clientIds) {
        const follower = this.#followers.get(clientId);
        const state = this.#world.get(clientId);
        if (follower === undefined) continue;
        const next = state === undefined ? follower : await this.#storeOne(trx, state, follower);
        stored.push({ clientId, follower: { ...next, observations: 0, rows: 0 } });
      }
    });
    for (const { clientId, follower } of stored) {
      this.#rows -= this.#followers.get(clientId)?.rows ?? 0;
      this.#followers.set(clientId, follower);
      this.#due.delete(clientId);
      const state = this.#world.get(clientId);
      if (state !== undefined) this.#world.set(clientId, forgetRows(state));
    }
  }

  async #storeOne(trx: StoreTransaction, state: ClientState, follower: Follower): Promise<Follower> {
    const { client, beginsAt, baseSeq, held, layered, layers } = follower;
    const seq = this.#reached;
    const changed = formatState(state);
    let [bytes, { rows }] = [packText(changed), changed];
    const isLayer =
      baseSeq > 0 &&
      held >= leastHeld &&
      layers < mostLayers &&
      layered + rows <= Math.max(leastLayered, held * layeredShare);
    if (!isLayer && baseSeq > 0) {
      const whole = await restoreClient([...(await readChain(trx, { client, baseSeq, seq })), bytes]);
      const text = whole && formatState(whole);
      if (text !== undefined) [bytes, { rows }] = [packText(text), text];
    }
    const row = {
      ...{
        base_seq: isLayer ? baseSeq : seq,
        rows,
        begins_at: beginsAt,
        kept_until: seq,
        is_checkpoint: 0,
        bytes,
      },
    };
    // Whatever is there has the same state.
    const replaced = this.#newestBase < Number.MAX_SAFE_INTEGER ? { is_checkpoint: 0 } : row;
    await trx
      .insertInto('client_snapshots')
      .values({ client, seq, ...row })
      .onConflict((conflict) => conflict.columns(['client', 'seq']).doUpdateSet(replaced))
      .execute();
    return isLayer
      ? { ...follower, seq, layered: layered + rows, layers: layers + 1 }
      : { ...follower, seq, baseSeq: seq, held: rows, layered: 0, layers: 0 };
  }
}

/** Returns the newest snapshot of each client up to `newestSeq`, with the number and the rows of those that it is read with. */
async function readBases(db: StoreDatabase['db'], clients: readonly number[], newestSeq: number) {
  const bases = await db
    .selectFrom('client_snapshots as s')
    .select(['s.client', 's.seq', 's.base_seq', 's.begins_at', 's.is_checkpoint', 's.bytes'])
    .select((eb) => {
      const chain = eb
        .selectFrom('client_snapshots as c')
        .whereRef('c.client', '=', 's.client')
        .whereRef('c.seq', '>=', 's.base_seq')
        .whereRef('c.seq', '<=', 's.seq')
        .whereRef('c.base_seq', '=', 's.base_seq');
      return [
        eb.fn
          .coalesce(
            chain.select((c) => c.fn.countAll<number>().as('n')),
            eb.lit(0),
          )
          .as('count'),
        eb.fn
          .coalesce(
            chain.select((c) => c.fn.sum<number>('c.rows').as('n')),
            eb.lit(0),
          )
          .as('total'),
        eb.fn.coalesce(chain.select('c.rows').whereRef('c.seq', '=', 'c.base_seq'), eb.lit(0)).as('held'),
      ];
    })
    .where('s.client', 'in', clients)
    .where('s.seq', '=', (eb) =>
      eb
        .selectFrom('client_snapshots as m')
        .select((max) => max.fn.max('m.seq').as('seq'))
        .whereRef('m.client', '=', 's.client')
        .where('m.seq', '<=', newestSeq),
    )
    .execute();
  return new Map(bases.map((base) => [base.client, base]));
}

/** Returns the snapshots that a client at `seq` consists of, the whole one first. */
export async function readChain(
  db: StoreDatabase['db'],
  { client, baseSeq, seq }: { readonly client: number; readonly baseSeq: number; readonly seq: number },
): Promise<Uint8Array[]> {
  const chain = await db
    .selectFrom('client_snapshots')
    .select('bytes')
    .where('client', '=', client)
    .where('base_seq', '=', baseSeq)
    .where('seq', '>=', baseSeq)
    .where('seq', '<=', seq)
    .orderBy('seq')
    .execute();
  return chain.map(({ bytes }) => bytes);
}
