import { isUnreported } from '@/lib/observation/unreported';
import type { Bodies } from './bodies';
import { ClientFollowers, readChain } from './client-followers';
import { hashesOf, restoreClient } from './client-snapshot';
import type { ClientStates, ClientStatesParts } from './client-states';
import { readPins } from './ranges';
import type { StoreDatabase } from './schema';
import { type TextIds, textKey } from './texts';

interface Snapshot {
  readonly seq: number;
  readonly base_seq: number;
  readonly kept_until: number;
  readonly size: number;
}

/** The seqs of the observations that a pin retains. */
interface PinnedRange {
  /** undefined if the pin is for all clients. */
  readonly client: number | undefined;
  readonly fromSeq: number;
  readonly toSeq: number;
}

/** Stores the states of clients before their observations are deleted, so that every later moment can still be folded. */
export class BaseRoller {
  readonly #store: StoreDatabase;
  readonly #texts: TextIds;
  readonly #bodies: Bodies;
  readonly #readAfter: ClientStatesParts['readAfter'];
  readonly #states: ClientStates;
  readonly #pause: () => Promise<void>;

  constructor({
    store,
    texts,
    bodies,
    readAfter,
    states,
    pause,
  }: ClientStatesParts & {
    readonly states: ClientStates;
    /** Lets others work between two steps. */
    readonly pause: () => Promise<void>;
  }) {
    this.#store = store;
    this.#texts = texts;
    this.#bodies = bodies;
    this.#readAfter = readAfter;
    this.#states = states;
    this.#pause = pause;
  }

  /**
   * Must be called before observations from `fromSeq` to `untilSeq` are deleted, where `fromSeq` is the first to be deleted.
   * Keeps the bodies that clients at `untilSeq` name for at least `lease` more observations, and deletes older snapshots.
   */
  async roll(fromSeq: number, untilSeq: number, lease: number): Promise<void> {
    this.#states.skipTo(untilSeq);
    const reached = await this.#findRolled(fromSeq);
    const followers = new ClientFollowers(this.#store, this.#texts, { reached, newestBase: untilSeq });
    while (followers.reached < untilSeq) {
      const page = await this.#readAfter(followers.reached);
      await followers.follow(page.filter(({ seq }) => seq <= untilSeq));
      while (followers.isFull && followers.due > 0) await followers.storeDue();
      await this.#pause();
    }
    const clients = new Set<number>();
    for (const clientId of [...followers.clientIds]) {
      clients.add(await this.#storeBase(followers, clientId, untilSeq));
      await this.#pause();
    }
    const pinned = await this.#readPinned(untilSeq);
    const keptUntil = untilSeq + Math.max(1, Math.ceil(lease));
    const due = await this.#store.db
      .selectFrom('client_snapshots')
      .select('client')
      .distinct()
      .where('kept_until', '<=', untilSeq)
      .where('seq', '<=', untilSeq)
      .execute();
    for (const { client } of due) clients.add(client);
    for (const client of clients) {
      await this.#renew(client, untilSeq, keptUntil, pinned);
      await this.#pause();
    }
  }

  /** Returns the seq before the observations that directly precede `fromSeq`, which pins retain. */
  async #findRolled(fromSeq: number): Promise<number> {
    const first = await this.#store.db
      .selectFrom('observations as o')
      .select('o.seq')
      .where('o.seq', '<=', fromSeq)
      .where((eb) =>
        eb.not(
          eb.exists(
            eb
              .selectFrom('observations as p')
              .select('p.seq')
              .where('p.seq', '=', eb('o.seq', '-', 1)),
          ),
        ),
      )
      .orderBy('o.seq', 'desc')
      .limit(1)
      .executeTakeFirst();
    return (first?.seq ?? fromSeq) - 1;
  }

  /**
   * Stores a client at `untilSeq`, and returns its id. If the bodies of its snapshot before are kept longer, only those that it
   * names since are renewed.
   */
  async #storeBase(followers: ClientFollowers, clientId: string, untilSeq: number): Promise<number> {
    const { db } = this.#store;
    const key = textKey('client', clientId);
    const client = (await this.#texts.find(db, [key])).get(key) ?? 0;
    const before = await db
      .selectFrom('client_snapshots')
      .select(['seq', 'kept_until'])
      .where('client', '=', client)
      .where('seq', '<=', untilSeq)
      .orderBy('seq', 'desc')
      .limit(1)
      .executeTakeFirst();
    const state = await followers.store(clientId);
    // A checkpoint contains the client only if a snapshot covers its last observation.
    if (
      state !== undefined &&
      isUnreported(state) &&
      (before?.seq ?? 0) < state.seq &&
      !(await this.#isThereAfter(client, untilSeq))
    ) {
      await this.#remove(client, untilSeq);
      this.#states.forgetUntil([clientId], untilSeq);
      return client;
    }
    const keptUntil = before?.kept_until ?? 0;
    if (state === undefined || keptUntil <= untilSeq) return client;
    await this.#store.db.transaction().execute(async (trx) => {
      await this.#bodies.keep(trx, hashesOf(state), keptUntil);
      await trx
        .updateTable('client_snapshots')
        .set({ kept_until: keptUntil })
        .where('client', '=', client)
        .where('seq', '=', untilSeq)
        .execute();
    });
    return client;
  }

  /** Returns whether the log has a snapshot or an observation of a client after a seq. */
  async #isThereAfter(client: number, seq: number): Promise<boolean> {
    for (const table of ['client_snapshots', 'observations'] as const) {
      const later = await this.#store.db
        .selectFrom(table)
        .select('seq')
        .where('client', '=', client)
        .where('seq', '>', seq)
        .limit(1)
        .executeTakeFirst();
      if (later !== undefined) return true;
    }
    return false;
  }

  /** States that there is no such client at `untilSeq`. */
  async #remove(client: number, untilSeq: number): Promise<void> {
    await this.#store.db
      .updateTable('client_snapshots')
      .set({ base_seq: untilSeq, rows: 0, bytes: new Uint8Array() })
      .where('client', '=', client)
      .where('seq', '=', untilSeq)
      .execute();
  }

  /** Keeps the bodies of the client's newest snapshot until `untilSeq`, and deletes those before it that nothing needs. */
  async #renew(
    client: number,
    untilSeq: number,
    keptUntil: number,
    pinned: readonly PinnedRange[],
  ): Promise<void> {
    const { db } = this.#store;
    const snapshots: Snapshot[] = await db
      .selectFrom('client_snapshots')
      .select(['seq', 'base_seq', 'kept_until'])
      .select((eb) => eb.fn<number>('length', ['bytes']).as('size'))
      .where('client', '=', client)
      .orderBy('seq')
      .execute();
    const newest = snapshots.findLast(({ seq }) => seq <= untilSeq);
    if (newest === undefined) return;
    const { seq, base_seq: baseSeq } = newest;
    const state =
      newest.size > 0 && newest.kept_until <= untilSeq
        ? await restoreClient(await readChain(db, { client, baseSeq, seq }))
        : undefined;
    const key = await db.selectFrom('texts').select('text').where('id', '=', client).executeTakeFirst();
    const followed = key && this.#states.baseSeqOf(key.text.toString('utf8'));
    const unneeded = unneededSnapshots(snapshots, { newest, client, untilSeq, followed, pinned });
    await db.transaction().execute(async (trx) => {
      if (state !== undefined) await this.#bodies.keep(trx, hashesOf(state), keptUntil);
      const ofClient = snapshots.filter((each) => each.seq <= untilSeq && each.kept_until <= untilSeq);
      for (const each of ofClient) {
        if (unneeded.has(each.seq)) continue;
        await trx
          .updateTable('client_snapshots')
          .set({ kept_until: keptUntil })
          .where('client', '=', client)
          .where('seq', '=', each.seq)
          .execute();
      }
      if (unneeded.size === 0) return;
      await trx
        .deleteFrom('client_snapshots')
        .where('client', '=', client)
        .where('seq', 'in', [...unneeded])
        .execute();
    });
  }

  /** Returns the seqs of what each pin retains of the part of the log that is deleted. */
  async #readPinned(untilSeq: number): Promise<PinnedRange[]> {
    const { db } = this.#store;
    const ranges: PinnedRange[] = [];
    for (const { from, to, clientId } of await readPins(db)) {
      const key = clientId === null ? undefined : textKey('client', clientId);
      const client = key === undefined ? undefined : (await this.#texts.find(db, [key])).get(key);
      if (key !== undefined && client === undefined) continue;
      const { first, last } = await db
        .selectFrom('observations')
        .select((eb) => [eb.fn.min('seq').as('first'), eb.fn.max('seq').as('last')])
        .where('seq', '<=', untilSeq)
        .where('at', '>=', Math.ceil(from))
        .where('at', '<=', Math.floor(to))
        .$if(client !== undefined, (query) => query.where('client', '=', client ?? 0))
        .executeTakeFirstOrThrow();
      if (first !== null && last !== null) ranges.push({ client, fromSeq: first, toSeq: last });
    }
    return ranges;
  }
}

/** Returns the snapshots that neither a later one, nor a pinned observation, nor the next snapshot is read with. */
function unneededSnapshots(
  snapshots: readonly Snapshot[],
  {
    newest,
    client,
    untilSeq,
    followed,
    pinned,
  }: {
    readonly newest: Snapshot;
    readonly client: number;
    readonly untilSeq: number;
    readonly followed: number | undefined;
    readonly pinned: readonly PinnedRange[];
  },
): ReadonlySet<number> {
  const isForPin = ({ seq }: Snapshot, index: number): boolean => {
    const next = snapshots[index + 1]?.seq ?? Number.MAX_SAFE_INTEGER;
    return pinned.some(
      (range) => (range.client ?? client) === client && seq <= range.toSeq && next >= range.fromSeq,
    );
  };
  const isKept = (snapshot: Snapshot, index: number): boolean =>
    snapshot.seq > untilSeq ||
    // A client that was removed leaves nothing.
    (snapshot === newest && newest.size > 0) ||
    isForPin(snapshot, index);
  const bases = new Set(snapshots.filter(isKept).map((snapshot) => snapshot.base_seq));
  if (followed !== undefined) bases.add(followed);
  return new Set(snapshots.filter((each) => !bases.has(each.base_seq)).map(({ seq }) => seq));
}
