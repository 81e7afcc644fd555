import type { ClientReport, ClientState } from '@/lib/observation/client-state';
import { isBriefReport } from '@/lib/observation/is-brief-report';
import type { Observation } from '@/lib/observation/observation';
import type { EpochMs } from '@/lib/xds/units';
import type { Clock } from '../observe';
import type { ClientLimitNotice, ClientLimits } from './client-limits';
import { GoneClients } from './gone-clients';
import type { LiveState } from './live-state';

export interface ClientLifetimesOptions {
  readonly clock: Clock;
  readonly live: Pick<
    LiveState,
    'world' | 'clientsOfSource' | 'clientCountOf' | 'forgetClient' | 'onForgotten'
  >;
  readonly limits: ClientLimits;
  /** Is it a source of this run, up or not? */
  readonly isSource: (sourceId: string) => boolean;
  /** The clients of a removed source were dropped: what is stored of the live state should follow soon. */
  readonly onDropped?: () => void;
  /** There is room again for clients of this source that were not admitted: it should report all of its clients anew. */
  readonly onRoom?: (sourceId: string) => void;
}

/** What a source reports beyond a limit. */
interface LimitedSource {
  limit: ClientLimitNotice['limit'];
  readonly notAdmitted: Set<string>;
  evicted: number;
}

/** How long a client stays that was seen in a single poll or stream, and how long a target that a list no longer has. */
export const briefMs = 10 * 60_000;
const roundMs = 60_000;
const clientsPerTurn = 200;
const removedSourcesKept = 10_000;

/**
 * Decides which clients are in the live state, and is the one place that evicts them (decision 30): it admits new clients
 * up to the limits, and evicts clients that were seen only briefly, clients of removed sources, and clients that no source
 * reports where a new one needs the room. What else is kept by client follows LiveState.onForgotten().
 */
export class ClientLifetimes {
  readonly #gone = new GoneClients();
  readonly #limited = new Map<string, LimitedSource>();
  /** Sources that were removed, oldest first: when, and whether their clients are still here. */
  readonly #removed = new Map<string, { readonly at: EpochMs; readonly waits: boolean }>();
  #timer: { cancel(): void };
  #isClosed = false;

  constructor(private readonly options: ClientLifetimesOptions) {
    const { live, clock } = options;
    live.onForgotten(({ clientId }) => this.#gone.delete(clientId));
    const gone = [...live.world.values()].filter(isGone);
    gone.sort((a, b) => newestEnd(a) - newestEnd(b));
    for (const client of gone) this.#gone.add(client.clientId, newestEnd(client), client.reports.keys());
    // A run that was killed may have left clients that it had evicted.
    this.#timer = clock.setTimeout(() => void this.#nextRound(), 0);
  }

  /** Before an observation is logged and folded: false, where its client is not admitted. Costs a few look-ups. */
  admit(observation: Observation): boolean {
    if (!('clientId' in observation) || observation.vantage === 'dump') return true;
    const { sourceId, clientId } = observation;
    const client = this.options.live.world.get(clientId);
    if (client?.reports.has(sourceId) === true) return true;
    const limited = this.#limited.get(sourceId);
    if (!isOpening(observation)) return !this.#isOfNotAdmitted(observation, limited);
    // Its source was removed, and what it reported before that was still on its way.
    if (this.#removed.has(sourceId) && !this.options.isSource(sourceId)) return false;
    // What a poller reports next of a client that was not admitted is only what is different.
    if (observation.kind === 'client-config-changed' && limited?.notAdmitted.has(clientId)) return false;
    const { live, limits } = this.options;
    const isOverSource = live.clientCountOf(sourceId) >= limits.perSource;
    if (isOverSource && !this.#makeRoom(sourceId, sourceId))
      return this.#reject(sourceId, clientId, 'source');
    const isOverTotal = client === undefined && live.world.size >= limits.total;
    if (isOverTotal && !this.#makeRoom(undefined, sourceId)) return this.#reject(sourceId, clientId, 'total');
    limited?.notAdmitted.delete(clientId);
    return true;
  }

  /** After an observation was folded. */
  readonly observe = (observation: Observation): void => {
    if (!('clientId' in observation)) return;
    const { clientId, kind } = observation;
    if (isOpening(observation)) this.#gone.delete(clientId);
    else if (kind === 'client-gone' || kind === 'stream-closed') {
      const client = this.options.live.world.get(clientId);
      if (client !== undefined && isGone(client)) {
        this.#gone.add(clientId, newestEnd(client), client.reports.keys());
      }
    }
  };

  /** What the source reports next is complete again, as after a start. */
  sourceRenewed(sourceId: string): void {
    this.#limited.get(sourceId)?.notAdmitted.clear();
  }

  /** `waits`: a list no longer has it, and may have it again in a moment. */
  async sourceRemoved(sourceId: string, waits: boolean): Promise<void> {
    this.#limited.delete(sourceId);
    this.#removed.delete(sourceId);
    this.#removed.set(sourceId, { at: this.options.clock.now(), waits });
    for (const [oldest] of this.#removed) {
      if (this.#removed.size <= removedSourcesKept) break;
      this.#removed.delete(oldest);
    }
    if (!waits) await this.#dropClientsOf(sourceId);
  }

  /** `leftOut`: how many more clients the source's newest answer names. undefined: no limit applies. */
  noticeOf(sourceId: string, leftOut = 0): ClientLimitNotice | undefined {
    const { limits, live } = this.options;
    const { limit = 'source', notAdmitted, evicted = 0 } = this.#limited.get(sourceId) ?? {};
    const count = leftOut + (notAdmitted?.size ?? 0);
    if (count + evicted === 0) return undefined;
    const [expected, held] =
      limit === 'source' ? [limits.perSource, live.clientCountOf(sourceId)] : [limits.total, live.world.size];
    return { limit, expected, actual: held + count + evicted, notAdmitted: count, evicted };
  }

  close(): void {
    this.#isClosed = true;
    this.#timer.cancel();
  }

  async #nextRound(): Promise<void> {
    await this.#evictBrief();
    await this.#evictBeyondTotal();
    const until = this.options.clock.now() - briefMs;
    for (const [sourceId, { at, waits }] of [...this.#removed]) {
      if (!waits || at > until) continue;
      this.#removed.set(sourceId, { at, waits: false });
      await this.#dropClientsOf(sourceId);
    }
    for (const [sourceId, { notAdmitted }] of this.#limited) {
      if (notAdmitted.size > 0 && this.#hasRoom(sourceId)) this.options.onRoom?.(sourceId);
    }
    if (!this.#isClosed) this.#timer = this.options.clock.setTimeout(() => void this.#nextRound(), roundMs);
  }

  /** Clients that were seen in a single poll or stream, some time ago. */
  async #evictBrief(): Promise<void> {
    const until = this.options.clock.now() - briefMs;
    await this.#evict(this.#gone.before(until), (client) => {
      const isBrief = [...client.reports.values()].every(isBriefReport);
      return isBrief && isGone(client) && newestEnd(client) <= until;
    });
  }

  /** As after a start with lower limits than before: of clients that no source reports, the longest gone. */
  async #evictBeyondTotal(): Promise<void> {
    const { live, limits } = this.options;
    const wanted = this.#gone
      .before(Number.POSITIVE_INFINITY)
      .slice(0, Math.max(0, live.world.size - limits.total));
    await this.#evict(wanted, isGone);
  }

  async #dropClientsOf(sourceId: string): Promise<void> {
    const { live, isSource, onDropped } = this.options;
    const isReported = ({ goneAt, sourceId: other, vantage }: ClientReport): boolean =>
      vantage === 'dump' || (goneAt === null && isSource(other));
    const dropped = await this.#evict([...live.clientsOfSource(sourceId)], ({ reports }) => {
      return !isSource(sourceId) && ![...reports.values()].some(isReported);
    });
    if (dropped > 0) onDropped?.();
  }

  /** In turns of the event loop. Resolves with how many there were. */
  async #evict(clientIds: readonly string[], isWanted: (client: ClientState) => boolean): Promise<number> {
    const { live } = this.options;
    let evicted = 0;
    for (const [index, clientId] of clientIds.entries()) {
      if (index > 0 && index % clientsPerTurn === 0) await new Promise(setImmediate);
      if (this.#isClosed) return evicted;
      const client = live.world.get(clientId);
      if (client === undefined || !isWanted(client)) continue;
      live.forgetClient(clientId);
      evicted += 1;
    }
    return evicted;
  }

  /** Of the clients that no source reports, of one source or of any, the one that is gone longest. */
  #makeRoom(among: string | undefined, forSource: string): boolean {
    const clientId = this.#gone.oldest(among);
    if (clientId === undefined) return false;
    this.options.live.forgetClient(clientId);
    const limited = this.#limitedSource(forSource, among === undefined ? 'total' : 'source');
    limited.evicted += 1;
    return true;
  }

  #hasRoom(sourceId: string): boolean {
    const { live, limits } = this.options;
    return live.clientCountOf(sourceId) < limits.perSource && live.world.size < limits.total;
  }

  #reject(sourceId: string, clientId: string, limit: ClientLimitNotice['limit']): false {
    const { notAdmitted } = this.#limitedSource(sourceId, limit);
    // A source that opens more streams than it may have clients is counted up to there.
    if (notAdmitted.size < this.options.limits.total) notAdmitted.add(clientId);
    return false;
  }

  #limitedSource(sourceId: string, limit: ClientLimitNotice['limit']): LimitedSource {
    const known = this.#limited.get(sourceId) ?? { limit, notAdmitted: new Set(), evicted: 0 };
    known.limit = limit;
    this.#limited.set(sourceId, known);
    return known;
  }

  #isOfNotAdmitted(
    observation: Observation & { readonly clientId: string },
    limited: LimitedSource | undefined,
  ): boolean {
    if (limited?.notAdmitted.has(observation.clientId) !== true) return false;
    const { kind } = observation;
    const hasEnded =
      kind === 'client-gone' || (kind === 'stream-closed' && (observation.othersOpen ?? 0) === 0);
    if (hasEnded) limited.notAdmitted.delete(observation.clientId);
    return true;
  }
}

/** Makes its client known. */
function isOpening({ kind }: Observation): boolean {
  return kind === 'client-config-changed' || kind === 'stream-opened' || kind === 'load-reported';
}

/** Files are kept for as long as they are imported. */
function isGone({ reports }: ClientState): boolean {
  return [...reports.values()].every(({ goneAt, vantage }) => goneAt !== null && vantage !== 'dump');
}

function newestEnd({ reports }: ClientState): EpochMs {
  return Math.max(0, ...Array.from(reports.values(), ({ goneAt }) => goneAt ?? 0));
}
