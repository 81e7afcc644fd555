import { by } from '@/lib/collections/compare';
import type { ClientReport, ClientState } from '@/lib/observation/client-state';
import { isBriefReport } from '@/lib/observation/is-brief-report';
import type { Observation } from '@/lib/observation/observation';
import { isUnreported, newestEnd } from '@/lib/observation/unreported';
import type { EpochMs } from '@/lib/xds/units';
import type { Clock } from '../observe';
import type { ClientLimitNotice, ClientLimits } from './client-limits';
import type { LiveState } from './live-state';

interface ClientLifetimesOptions {
  readonly clock: Clock;
  readonly live: Pick<
    LiveState,
    'world' | 'clientsOfSource' | 'clientCountOf' | 'forgetClient' | 'onForgotten'
  >;
  readonly limits: ClientLimits;
  /** Returns whether the source exists in this run, whatever its state. */
  readonly isSource: (sourceId: string) => boolean;
  /** Called when the clients of a removed source are dropped, so that a checkpoint is written soon. */
  readonly onDropped?: () => void;
  /** Called when more clients of this source can be admitted: it should report all of its clients again. */
  readonly onRoom?: (sourceId: string) => void;
}

interface LimitedSource {
  limit: ClientLimitNotice['limit'];
  readonly notAdmitted: Set<string>;
  evicted: number;
}

/** The time for which a client of a single poll or stream is kept, and a target that a list no longer has. */
export const briefMs = 10 * 60_000;
const roundMs = 60_000;
const clientsPerTurn = 200;
const removedSourcesKept = 10_000;

/**
 * Decides which clients are in the live state, and is the only place that evicts them (decision 30). It admits new
 * clients up to the limits. It evicts clients that were observed only briefly, clients of removed sources and, if a new
 * client would exceed a limit, clients that no source reports. Other stores follow through LiveState.onForgotten().
 */
export class ClientLifetimes {
  readonly #options: ClientLifetimesOptions;
  readonly #unreported = new UnreportedClients();
  readonly #limited = new Map<string, LimitedSource>();
  /** Removed sources, oldest first, with the time and with whether their clients are still in the state. */
  readonly #removed = new Map<string, { readonly at: EpochMs; readonly waits: boolean }>();
  #timer: { cancel(): void };
  #isClosed = false;

  constructor(options: ClientLifetimesOptions) {
    this.#options = options;
    const { live, clock } = options;
    live.onForgotten(({ clientId }) => this.#unreported.delete(clientId));
    this.restore();
    // A run that was killed may have left evicted clients in the checkpoint.
    this.#timer = clock.setTimeout(() => void this.#nextRound(), 0);
  }

  /** Must be called when clients were added that were folded elsewhere. */
  restore(): void {
    const unreported = [...this.#options.live.world.values()].filter(isUnreported);
    unreported.sort(by(newestEnd));
    for (const client of unreported)
      this.#unreported.add(client.clientId, newestEnd(client), client.reports.keys());
  }

  /** Must be called before an observation is logged and folded. Returns false if its client is not admitted. */
  admit(observation: Observation): boolean {
    if (!('clientId' in observation) || observation.vantage === 'dump') return true;
    const { sourceId, clientId } = observation;
    const client = this.#options.live.world.get(clientId);
    if (client?.reports.has(sourceId) === true) return true;
    const limited = this.#limited.get(sourceId);
    if (!isOpening(observation)) return !this.#isOfNotAdmitted(observation, limited);
    // The source was removed while its last reports were in transit.
    if (this.#removed.has(sourceId) && !this.#options.isSource(sourceId)) return false;
    // The next report of a poller would contain only the differences to a report that was not admitted.
    const isDifference =
      observation.kind === 'client-config-changed' ||
      (observation.kind === 'connections-changed' && observation.isComplete !== true);
    if (isDifference && limited?.notAdmitted.has(clientId)) return false;
    const { live, limits } = this.#options;
    const isOverSource = live.clientCountOf(sourceId) >= limits.perSource;
    if (isOverSource && !this.#makeRoom(sourceId, sourceId))
      return this.#reject(sourceId, clientId, 'source');
    const isOverTotal = client === undefined && live.world.size >= limits.total;
    if (isOverTotal && !this.#makeRoom(undefined, sourceId)) return this.#reject(sourceId, clientId, 'total');
    limited?.notAdmitted.delete(clientId);
    return true;
  }

  /** Must be called after an observation was folded. */
  readonly observe = (observation: Observation): void => {
    if (!('clientId' in observation)) return;
    const { clientId, kind } = observation;
    if (isOpening(observation)) this.#unreported.delete(clientId);
    else if (kind === 'client-gone' || kind === 'stream-closed') {
      const client = this.#options.live.world.get(clientId);
      if (client !== undefined && isUnreported(client)) {
        this.#unreported.add(clientId, newestEnd(client), client.reports.keys());
      }
    }
  };

  /** The next report of the source is complete, as after a start. */
  sourceRenewed(sourceId: string): void {
    this.#limited.get(sourceId)?.notAdmitted.clear();
  }

  /** `waits` means that a list no longer has the source and may find it again soon. */
  async sourceRemoved(sourceId: string, waits: boolean): Promise<void> {
    this.#limited.delete(sourceId);
    this.#removed.delete(sourceId);
    this.#removed.set(sourceId, { at: this.#options.clock.now(), waits });
    for (const [oldest] of this.#removed) {
      if (this.#removed.size <= removedSourcesKept) break;
      this.#removed.delete(oldest);
    }
    if (!waits) await this.#dropClientsOf(sourceId);
  }

  /** `leftOut` is the number of clients beyond the limit in the newest answer. undefined if no limit applies. */
  noticeOf(sourceId: string, leftOut = 0): ClientLimitNotice | undefined {
    const { limits, live } = this.#options;
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
    const until = this.#options.clock.now() - briefMs;
    for (const [sourceId, { at, waits }] of [...this.#removed]) {
      if (!waits || at > until) continue;
      this.#removed.set(sourceId, { at, waits: false });
      await this.#dropClientsOf(sourceId);
    }
    for (const [sourceId, { notAdmitted }] of this.#limited) {
      if (notAdmitted.size > 0 && this.#hasRoom(sourceId)) this.#options.onRoom?.(sourceId);
    }
    if (!this.#isClosed) this.#timer = this.#options.clock.setTimeout(() => void this.#nextRound(), roundMs);
  }

  async #evictBrief(): Promise<void> {
    const until = this.#options.clock.now() - briefMs;
    await this.#evict(this.#unreported.before(until), (client) => {
      const isBrief = [...client.reports.values()].every(isBriefReport);
      return isBrief && isUnreported(client) && newestEnd(client) <= until;
    });
  }

  /** Evicts the clients that no source has reported for the longest time, after a start with lower limits. */
  async #evictBeyondTotal(): Promise<void> {
    const { live, limits } = this.#options;
    const wanted = this.#unreported
      .before(Number.POSITIVE_INFINITY)
      .slice(0, Math.max(0, live.world.size - limits.total));
    await this.#evict(wanted, isUnreported);
  }

  async #dropClientsOf(sourceId: string): Promise<void> {
    const { live, isSource, onDropped } = this.#options;
    const isReported = ({ goneAt, sourceId: other, vantage }: ClientReport): boolean =>
      vantage === 'dump' || (goneAt === null && isSource(other));
    const dropped = await this.#evict([...live.clientsOfSource(sourceId)], ({ reports }) => {
      return !isSource(sourceId) && ![...reports.values()].some(isReported);
    });
    if (dropped > 0) onDropped?.();
  }

  /** Evicts in turns of the event loop. Resolves to the number of evicted clients. */
  async #evict(clientIds: readonly string[], isWanted: (client: ClientState) => boolean): Promise<number> {
    const { live } = this.#options;
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

  /** Evicts the client without a report for the longest time, of one source or of any. */
  #makeRoom(among: string | undefined, forSource: string): boolean {
    const clientId = this.#unreported.oldest(among);
    if (clientId === undefined) return false;
    this.#options.live.forgetClient(clientId);
    const limited = this.#limitedSource(forSource, among === undefined ? 'total' : 'source');
    limited.evicted += 1;
    return true;
  }

  #hasRoom(sourceId: string): boolean {
    const { live, limits } = this.#options;
    return live.clientCountOf(sourceId) < limits.perSource && live.world.size < limits.total;
  }

  #reject(sourceId: string, clientId: string, limit: ClientLimitNotice['limit']): false {
    const { notAdmitted } = this.#limitedSource(sourceId, limit);
    // A source that opens more streams than the limit of clients is counted up to the limit.
    if (notAdmitted.size < this.#options.limits.total) notAdmitted.add(clientId);
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

const openingKinds: ReadonlySet<Observation['kind']> = new Set([
  'client-config-changed',
  'stream-opened',
  'load-reported',
  'connections-changed',
  'rpcs-counted',
]);

/** Returns whether the observation creates its client. */
function isOpening({ kind }: Observation): boolean {
  return openingKinds.has(kind);
}

interface GoneClient {
  readonly goneAt: EpochMs;
  readonly sourceIds: readonly string[];
}

/** The clients that no source reports, in the order in which their reports ended: over all sources, and by source. */
class UnreportedClients {
  readonly #clients = new Map<string, GoneClient>();
  readonly #bySource = new Map<string, Set<string>>();

  get size(): number {
    return this.#clients.size;
  }

  /** Adds the newest one. `sourceIds` are the sources that have a report on it. */
  add(clientId: string, goneAt: EpochMs, sourceIds: Iterable<string>): void {
    this.delete(clientId);
    const sources = [...sourceIds];
    this.#clients.set(clientId, { goneAt, sourceIds: sources });
    for (const sourceId of sources) {
      const clients = this.#bySource.get(sourceId);
      if (clients === undefined) this.#bySource.set(sourceId, new Set([clientId]));
      else clients.add(clientId);
    }
  }

  delete(clientId: string): void {
    const known = this.#clients.get(clientId);
    if (known === undefined) return;
    this.#clients.delete(clientId);
    for (const sourceId of known.sourceIds) {
      const clients = this.#bySource.get(sourceId);
      clients?.delete(clientId);
      if (clients?.size === 0) this.#bySource.delete(sourceId);
    }
  }

  oldest(sourceId?: string): string | undefined {
    const clients = sourceId === undefined ? this.#clients.keys() : this.#bySource.get(sourceId)?.values();
    return clients?.next().value;
  }

  /** Returns the clients whose reports ended at `until` or before it. */
  before(until: EpochMs): string[] {
    const found: string[] = [];
    for (const [clientId, { goneAt }] of this.#clients) if (goneAt <= until) found.push(clientId);
    return found;
  }
}
