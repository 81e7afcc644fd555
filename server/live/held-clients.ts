import type { ClientState } from '@/lib/observation/client-state';
import { foldObservation } from '@/lib/observation/fold';
import type { Observation } from '@/lib/observation/observation';
import type { StreamTopic } from '@/lib/views/stream/schema';
import type { EpochMs } from '@/lib/xds/units';
import type { Clock } from '../observe';
import type { StoredText } from '../store/log-history';
import type { Recorder } from '../store/recorder/recorder';
import type { LiveState } from './live-state';

/** What a process holds of the fleet. Without a shared store, both are true. */
export interface FleetHolding {
  /** All clients are in the live state; if not, those that somebody asked for. */
  isWhole: boolean;
  /** This process folds the fleet for all web processes of a shared store: it has the lock. */
  isFolder: boolean;
  /** The seq up to which a web process has read the store since its start; 0 at the start. */
  reachedSeq: number;
  /** What a process that begins to fold the fleet has read of it so far, as text; empty before and after. */
  progress: string;
}

interface HeldClientsParts {
  readonly clock: Clock;
  readonly holding: FleetHolding;
  readonly live: Pick<LiveState, 'world' | 'adopt' | 'forgetClient'>;
  readonly recorder: Pick<Recorder, 'readClientAt'>;
  readonly hasSubscriber: (topic: StreamTopic) => boolean;
}

interface OpenClient {
  /** All of its observations up to this seq were read from the store. */
  readonly seq: number;
  usedAt: EpochMs;
}

interface Opening {
  /** Its observations that came meanwhile. */
  readonly came: StoredText[];
  readonly done: Promise<void>;
}

/** Returns those of the clients that are in the fleet, and not only in the log. */
export type FindCurrent = (clientIds: readonly string[]) => Promise<ReadonlySet<string>>;

const mostClients = 500;
const mostRows = 300_000;
const idleMs = 5 * 60_000;

/**
 * The clients in the live state of a process that does not hold the fleet: those that somebody asked for. A client is read from the
 * log, follows it from there on, and is closed when nobody asked for it or listened to it for five minutes.
 */
export class HeldClients {
  readonly #parts: HeldClientsParts;
  /** The least recently used one is first. */
  readonly #open = new Map<string, OpenClient>();
  readonly #opening = new Map<string, Opening>();
  #findCurrent: FindCurrent | undefined;

  constructor(parts: HeldClientsParts) {
    this.#parts = parts;
  }

  get isWhole(): boolean {
    return this.#parts.holding.isWhole;
  }

  /** Until this is called, the fleet has no client. */
  followFleet(findCurrent: FindCurrent): void {
    this.#findCurrent = findCurrent;
  }

  /** Resolves when the client is in the live state, unless the fleet has no such client. */
  async open(clientId: string): Promise<void> {
    if (this.isWhole) return;
    const known = this.#open.get(clientId);
    if (known === undefined) return (this.#opening.get(clientId) ?? this.#begin(clientId)).done;
    known.usedAt = this.#parts.clock.now();
    this.#open.delete(clientId);
    this.#open.set(clientId, known);
  }

  /** Must be called with each observation, in the order of the log. Returns whether it must be folded. */
  takes(stored: StoredText): boolean {
    const { clientId, seq } = stored;
    if (this.isWhole || clientId === null) return true;
    this.#opening.get(clientId)?.came.push(stored);
    const open = this.#open.get(clientId);
    return open !== undefined && seq > open.seq;
  }

  /** The clients whose observations takes() must be called with; undefined: all. One that is opened later is read beyond the log of now. */
  get followed(): readonly string[] | undefined {
    return this.isWhole ? undefined : [...this.#open.keys(), ...this.#opening.keys()];
  }

  /** Holds all clients of the fleet from now on. Those that were open are replaced: they may be older. */
  holdAll(clients: ReadonlyMap<string, ClientState>): void {
    const { live, holding } = this.#parts;
    for (const clientId of this.#open.keys()) if (!clients.has(clientId)) live.forgetClient(clientId);
    live.adopt(clients.values());
    this.#open.clear();
    holding.isWhole = true;
  }

  /** Closes clients that left the fleet, and those that nobody uses or that are too many. Should be called each second. */
  async tidy(): Promise<void> {
    const { clock, live, hasSubscriber } = this.#parts;
    const current = await this.#findCurrent?.([...this.#open.keys()]);
    if (this.isWhole) return;
    let rows = 0;
    for (const clientId of this.#open.keys()) rows += rowsOf(live.world.get(clientId));
    const now = clock.now();
    for (const [clientId, { usedAt }] of [...this.#open]) {
      const isOver = this.#open.size > mostClients || (rows > mostRows && this.#open.size > 1);
      const isUsed = hasSubscriber(`client:${clientId}`) || now - usedAt < idleMs;
      if (current?.has(clientId) !== false && isUsed && !isOver) continue;
      rows -= rowsOf(live.world.get(clientId));
      this.#open.delete(clientId);
      live.forgetClient(clientId);
    }
  }

  #begin(clientId: string): Opening {
    const came: StoredText[] = [];
    const done = this.#read(clientId, came).finally(() => this.#opening.delete(clientId));
    const opening = { came, done };
    this.#opening.set(clientId, opening);
    return opening;
  }

  /** What the log has of the client is read once. What came since, and the read may contain, is folded on top. */
  async #read(clientId: string, came: readonly StoredText[]): Promise<void> {
    const { recorder, live, clock } = this.#parts;
    if ((await this.#findCurrent?.([clientId]))?.has(clientId) !== true) return;
    const found = await recorder.readClientAt(clientId, { seq: Number.MAX_SAFE_INTEGER });
    if (found === undefined || this.isWhole) return;
    const world = new Map([[clientId, found.client]]);
    for (const { seq, json } of came)
      if (seq > found.seq) foldObservation(world, { ...(JSON.parse(json) as Observation), seq });
    this.#open.set(clientId, { seq: found.seq, usedAt: clock.now() });
    live.adopt(world.values());
  }
}

function rowsOf(client: ClientState | undefined): number {
  let rows = 1;
  for (const { resources } of client?.reports.values() ?? []) rows += resources.size;
  return rows;
}

/** Load reports change no client, but load over time is recorded from those of all clients. */
export function isLoadReport(json: string): boolean {
  const kind: Observation['kind'] = 'load-reported';
  return json.includes(`"kind":"${kind}"`);
}
