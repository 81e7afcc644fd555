import { LRUCache } from 'lru-cache';
import { keepContentVersion } from '@/lib/observation/acked-version';
import { type ClientReport, type ClientState, resourceKey } from '@/lib/observation/client-state';
import { foldObservation, type World } from '@/lib/observation/fold';
import type { ClientConfigChanged, Observation, Recorded } from '@/lib/observation/observation';
import { FirstReport, isLastPart } from '@/lib/observation/reconcile';
import type { ResourceKey } from '@/lib/observation/resource-state';
import { SourceDirectory } from '@/lib/observation/source-directory';
import { changesWholeType } from '@/lib/observation/whole-type';
import { buildClientSummary } from '@/lib/views/client/build-client-summary';
import type { FreshnessOf } from '@/lib/views/client/choose-report';
import type { ClientSummary } from '@/lib/views/client/schema';
import { buildEvents } from '@/lib/views/events/build-events';
import type { NotableEvent } from '@/lib/views/events/schema';
import type { StreamNotice } from '@/lib/views/stream/schema';
import type { Clock, Emission } from '../observe';
import { RecentEvents } from './recent-events';

/** The times at which a removed probe was active, and its client. */
export type RemovedProbe = Pick<ClientReport, 'firstSeenAt' | 'lastChangedAt' | 'goneAt'> & {
  readonly clientId: string;
};

export interface LiveStateOptions {
  readonly clock: Clock;
  /** Writes the emission to the log and returns its position there. */
  readonly append: (emission: Emission) => number;
  readonly publish: (notice: StreamNotice) => void;
  readonly freshnessOf: FreshnessOf;
  /** Called with each folded observation. Must be fast and must not throw. */
  readonly onFolded?: (observation: Recorded) => void;
}

/** `isOfTypes`: the other rows of the client may have changed as well, but none was added or removed. */
type RowWatcher = (clientId: string, keys: readonly ResourceKey[], isOfTypes: boolean) => void;

const formerProbesKept = 500;

/** The current state: the fold of all observations, in memory. Every observation passes through it. */
export class LiveState {
  readonly #options: LiveStateOptions;
  readonly world: World;
  readonly sources: SourceDirectory;
  readonly #events = new RecentEvents();
  /** "source\0client" for sources that have reported the client since the start or since its reports ended. */
  readonly #reconciled = new Set<string>();
  /** First reports of which parts are missing. */
  readonly #firstReports = new Map<string, FirstReport>();
  /** Clients that are shown before their first observation. */
  readonly #previewed = new Set<string>();
  /** Clients of which more follows, with the number of rows that they had before the newest notice. */
  readonly #growing = new Map<string, number>();
  /** Incremented when the rows of a client or their freshness may have changed. */
  readonly #revisions = new Map<string, number>();
  /** Incremented with any of `revisions`, and when a client is evicted. */
  #anyRevision = 0;
  /** The clients on which each source has a report. */
  readonly #bySource = new Map<string, Set<string>>();
  readonly #watchers: ((clientId: string) => void)[] = [];
  readonly #rowWatchers: RowWatcher[] = [];
  readonly #forgetters: ((client: ClientState) => void)[] = [];
  #forgotten = 0;
  /** Probes whose clients were evicted, the newest first. The Propagation tab needs them for past times. */
  readonly removedProbes = new LRUCache<string, RemovedProbe>({ max: formerProbesKept });
  #newestSeq: number;

  constructor(
    options: LiveStateOptions,
    restored: {
      readonly world: World;
      readonly newestSeq: number;
      readonly sources?: SourceDirectory;
      /** The newest is first. */
      readonly removedProbes?: ReadonlyMap<string, RemovedProbe>;
    },
  ) {
    this.#options = options;
    this.world = restored.world;
    this.sources = restored.sources ?? new SourceDirectory();
    this.#newestSeq = restored.newestSeq;
    for (const client of restored.world.values()) this.#noteSources(client);
    const former = [...(restored.removedProbes ?? [])].reverse();
    for (const [sourceId, probe] of former) this.removedProbes.set(sourceId, probe);
  }

  /** The newest event is first. */
  get events(): readonly NotableEvent[] {
    return this.#events.items;
  }

  get seq(): number {
    return this.#newestSeq;
  }

  readonly observe = (emission: Emission): void => {
    // What a shared store has numbered is as its collector has recorded it.
    const isRecorded = emission.seq !== undefined;
    const observation = isRecorded
      ? emission.observation
      : this.#withContentVersions(this.#reconcile(emission.observation));
    const isQuiet = emission.hasMore === true && !this.#hasDoubled(observation);
    const seq = this.#options.append({ ...emission, observation });
    this.#newestSeq = seq;
    const recorded: Recorded = { ...observation, seq };
    this.sources.fold(recorded);
    this.#publishEvents(recorded);
    this.#endPreview(recorded);
    const clientId = this.#fold(recorded, isQuiet);
    if (!isQuiet) this.#publishGrowth(clientId);
    this.#options.onFolded?.(recorded);
    if (recorded.kind !== 'load-reported') return;
    this.#options.publish('load');
    this.#options.publish(`client:${recorded.clientId}/load`);
  };

  /** `clientId` is the client of the newest observation; null: it has none. */
  #publishGrowth(clientId: string | null): void {
    this.#options.publish('history');
    if (clientId !== null) this.#options.publish(`client:${clientId}/history`);
  }

  #publishClient(clientId: string, part: '' | '/detail'): void {
    this.#options.publish('fleet');
    this.#options.publish(`client:${clientId}${part}`);
  }

  /**
   * Shows a part of what will be observed, at a time that is not known yet. The log does not contain it, so that it is no
   * moment of the client.
   */
  preview(observation: ClientConfigChanged): void {
    this.#fold({ ...this.#reconcile(observation), seq: this.#newestSeq });
    this.#previewed.add(observation.clientId);
    this.#growing.set(observation.clientId, 0);
  }

  /** Returns true if more of the client follows at once: what it has is a part of its config. */
  isGrowing(clientId: string): boolean {
    return this.#growing.has(clientId);
  }

  /** Nothing more follows of the client. */
  complete(clientId: string): void {
    if (!this.#growing.delete(clientId)) return;
    this.#notifyWatchers(clientId);
    this.#publishClient(clientId, '');
    this.#publishGrowth(clientId);
  }

  /**
   * Returns true if a client of which more follows is published again. An answer takes as long as the client has rows: if each part
   * were published, all answers together would take the square of that.
   */
  #hasDoubled(observation: Observation): boolean {
    if (observation.kind !== 'client-config-changed') return true;
    const { clientId, sourceId } = observation;
    const rows = this.world.get(clientId)?.reports.get(sourceId)?.resources.size ?? 0;
    const published = this.#growing.get(clientId);
    if (published !== undefined && rows < 2 * published) return false;
    this.#growing.set(clientId, rows);
    return true;
  }

  /** The report begins with the first observation, not with the preview. */
  #endPreview(observation: Recorded): void {
    if (!('clientId' in observation) || !this.#previewed.delete(observation.clientId)) return;
    const report = this.world.get(observation.clientId)?.reports.get(observation.sourceId);
    if (report === undefined) return;
    report.firstSeenAt = observation.at;
    delete report.clock;
  }

  /** Adds clients as they were folded elsewhere, up to the newest observation here. */
  adopt(clients: Iterable<ClientState>): void {
    for (const client of clients) {
      this.world.set(client.clientId, client);
      this.#noteSources(client);
      this.#touch(client.clientId, []);
      this.#publishClient(client.clientId, '');
    }
  }

  /** The log has an observation that is not folded here. */
  skip(seq: number, clientId: string | null): void {
    this.#newestSeq = seq;
    this.#publishGrowth(clientId);
  }

  /** Returns the client of the observation; null if it has none. `isQuiet`: nothing of it is published. */
  #fold(recorded: Recorded, isQuiet = false): string | null {
    const before = 'clientId' in recorded ? this.world.get(recorded.clientId)?.reports : undefined;
    const isOtherReport = before !== undefined && !before.has(recorded.sourceId);
    const sourcesBefore = isOtherReport ? [...before.keys()] : [];
    const { clientId, changes } = foldObservation(this.world, recorded);
    if (clientId === null) return null;
    this.#noteSource(recorded.sourceId, clientId);
    // The fold limits the reports of a client and drops the oldest.
    for (const sourceId of sourcesBefore) if (!before?.has(sourceId)) this.#unlink(sourceId, clientId);
    if (recorded.kind === 'client-gone') this.#reconciled.delete(`${recorded.sourceId}\u0000${clientId}`);
    // A load report changes no resources, and is frequent.
    const keys = [...changes.changed, ...changes.removed];
    // The version or the answer of a type is that of any number of rows.
    const isOfTypes = changes.typeVersions !== undefined || changesWholeType(recorded);
    if (recorded.kind !== 'load-reported') this.#touch(clientId, keys, isOfTypes, isQuiet);
    else this.#notifyWatchers(clientId);
    if (!isQuiet) this.#publishClient(clientId, isOfTypes || keys.length > 0 ? '' : '/detail');
    return clientId;
  }

  /** Records that the freshness of a client may have changed without an observation. */
  markDirty(clientId: string): void {
    if (!this.world.has(clientId)) return;
    this.#touch(clientId, []);
    this.#publishClient(clientId, '/detail');
  }

  /** Equal numbers mean equal rows. */
  revisionOf(clientId: string): number {
    return this.#revisions.get(clientId) ?? 0;
  }

  /** Calls `watcher` immediately for each client that may have changed, is evicted, or is complete. */
  watch(watcher: (clientId: string) => void): void {
    this.#watchers.push(watcher);
  }

  /**
   * Calls `watcher` immediately for each client that is evicted or whose rows or reports may have changed. `keys` are those
   * that were added, changed or removed in any report.
   */
  watchRows(watcher: RowWatcher): void {
    this.#rowWatchers.push(watcher);
  }

  /** Equal numbers mean that no client changed. */
  get fleetRevision(): number {
    return this.#anyRevision;
  }

  /** A source that is removed and added again begins with a complete report, as after a restart. */
  forgetSource(sourceId: string): void {
    for (const clientId of this.clientsOfSource(sourceId)) {
      this.#reconciled.delete(`${sourceId}\u0000${clientId}`);
      this.#firstReports.delete(`${sourceId}\u0000${clientId}`);
    }
  }

  /** Returns all sources that have a report on a client, removed ones included. */
  sourceIds(): Iterable<string> {
    return this.#bySource.keys();
  }

  clientsOfSource(sourceId: string): Iterable<string> {
    return this.#bySource.get(sourceId) ?? [];
  }

  clientCountOf(sourceId: string): number {
    return this.#bySource.get(sourceId)?.size ?? 0;
  }

  /** Yields the clients on which a source has a report, and the client of a removed probe. */
  everClientsOf(sourceId: string): Iterable<string> {
    const former = this.removedProbes.get(sourceId);
    const clients = this.clientsOfSource(sourceId);
    return former === undefined ? clients : new Set([...clients, former.clientId]);
  }

  /** Calls `forgetter` with each client that is evicted, so that other stores drop its data. */
  onForgotten(forgetter: (client: ClientState) => void): void {
    this.#forgetters.push(forgetter);
  }

  /** Incremented with each eviction: an older checkpoint has clients that are no longer in the state. */
  get forgottenCount(): number {
    return this.#forgotten;
  }

  #unlink(sourceId: string, clientId: string): void {
    const clients = this.#bySource.get(sourceId);
    clients?.delete(clientId);
    if (clients?.size === 0) this.#bySource.delete(sourceId);
    this.#reconciled.delete(`${sourceId}\u0000${clientId}`);
    this.#firstReports.delete(`${sourceId}\u0000${clientId}`);
  }

  #noteSources({ clientId, reports }: ClientState): void {
    for (const sourceId of reports.keys()) this.#noteSource(sourceId, clientId);
  }

  #noteSource(sourceId: string, clientId: string): void {
    const clients = this.#bySource.get(sourceId);
    if (clients === undefined) this.#bySource.set(sourceId, new Set([clientId]));
    else clients.add(clientId);
  }

  /** Removes the client from the state; its observations remain in the log. */
  forgetClient(clientId: string): void {
    const client = this.world.get(clientId);
    if (client === undefined) return;
    this.world.delete(clientId);
    this.#previewed.delete(clientId);
    this.#growing.delete(clientId);
    for (const [sourceId, { vantage, firstSeenAt, lastChangedAt, goneAt }] of client.reports) {
      this.#unlink(sourceId, clientId);
      if (vantage !== 'probe') continue;
      const endedAt = goneAt ?? this.#options.clock.now();
      this.removedProbes.set(sourceId, { clientId, firstSeenAt, lastChangedAt, goneAt: endedAt });
    }
    this.#revisions.delete(clientId);
    this.#anyRevision += 1;
    this.#forgotten += 1;
    for (const forgetter of this.#forgetters) forgetter(client);
    this.#notifyWatchers(clientId);
    this.#notifyRowWatchers(clientId, [], false);
    this.#publishClient(clientId, '');
  }

  /** Removes what a source reported, because another process has observed it since. Its next report is recorded as a whole. */
  dropReports(sourceId: string): void {
    for (const clientId of [...this.clientsOfSource(sourceId)]) {
      this.#unlink(sourceId, clientId);
      const reports = this.world.get(clientId)?.reports;
      if (reports?.delete(sourceId) && reports.size === 0) this.forgetClient(clientId);
      else this.markDirty(clientId);
    }
  }

  summaryOf(client: ClientState): ClientSummary {
    return buildClientSummary(client, this.#options.freshnessOf);
  }

  /** Restores the events from before the start, oldest first, without publishing them. */
  restoreEvents(history: Iterable<Recorded>): void {
    this.#events.restore(history, (clientId) => this.world.get(clientId)?.node.id);
  }

  #touch(clientId: string, keys: readonly ResourceKey[], isOfTypes = false, isQuiet = false): void {
    // There is one counter for all clients, so that a client that is added again does not get an old number.
    this.#anyRevision += 1;
    this.#revisions.set(clientId, this.#anyRevision);
    if (!isQuiet) this.#notifyWatchers(clientId);
    this.#notifyRowWatchers(clientId, keys, isOfTypes);
  }

  #notifyRowWatchers(clientId: string, keys: readonly ResourceKey[], isOfTypes: boolean): void {
    for (const watcher of this.#rowWatchers) watcher(clientId, keys, isOfTypes);
  }

  #notifyWatchers(clientId: string): void {
    for (const watcher of this.#watchers) watcher(clientId);
  }

  #reconcile(observation: Observation): Observation {
    if (observation.kind !== 'client-config-changed') return observation;
    const { clientId } = observation;
    const key = `${observation.sourceId}\u0000${clientId}`;
    if (this.#reconciled.has(key)) return observation;
    const known = this.world.get(clientId)?.reports.get(observation.sourceId);
    const first = this.#firstReports.get(key) ?? new FirstReport(known);
    if (isLastPart(observation)) {
      this.#firstReports.delete(key);
      this.#reconciled.add(key);
    } else this.#firstReports.set(key, first);
    return first.reconcile(observation);
  }

  /** Sources that are polled report one version of a resource, which may change while its content stays the same. */
  #withContentVersions(observation: Observation): Observation {
    if (observation.kind !== 'client-config-changed' || observation.changed.length === 0) return observation;
    const report = this.world.get(observation.clientId)?.reports.get(observation.sourceId);
    if (report === undefined || report.side !== observation.side) return observation;
    const changed = observation.changed.map((row) =>
      keepContentVersion(row, report.resources.get(resourceKey(row))),
    );
    return { ...observation, changed };
  }

  #publishEvents(observation: Recorded): void {
    // An observation of a file is not a current event.
    if (observation.vantage === 'dump') return;
    const report =
      'clientId' in observation
        ? this.world.get(observation.clientId)?.reports.get(observation.sourceId)
        : undefined;
    const events = buildEvents(observation, {
      nodeIdOf: (clientId) => this.world.get(clientId)?.node.id,
      previousStatus: (row) => report?.resources.get(resourceKey(row))?.clientStatus,
    });
    this.#events.add(events);
    if (events.length > 0) this.#options.publish('fleet/events');
  }

  /** Publishes an event that is derived from several observations. */
  announce(event: NotableEvent): void {
    this.#events.add([event]);
    this.#options.publish('fleet/events');
  }
}
