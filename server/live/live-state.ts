import { LRUCache } from 'lru-cache';
import type { NotableEvent } from '@/lib/api/schema';
import type { StreamChange, StreamTopic } from '@/lib/api/stream';
import { type ClientReport, type ClientState, resourceKey } from '@/lib/observation/client-state';
import { foldObservation, type World } from '@/lib/observation/fold';
import type { Observation, Recorded, ResourceKey } from '@/lib/observation/observation';
import { FirstReport, isLastPart } from '@/lib/observation/reconcile';
import { SourceDirectory } from '@/lib/observation/source-directory';
import { buildClientSummary, type TotalsOf } from '@/lib/view-model/client/build-client-summary';
import type { FreshnessOf } from '@/lib/view-model/client/choose-report';
import type { ClientSummary } from '@/lib/view-model/client-summary';
import { buildEvents } from '@/lib/view-model/events/build-events';
import type { ClientStatus } from '@/lib/xds/status';
import type { Clock, Emission } from '../observe';
import { ChangeLog } from './change-log';
import { ChangePublisher } from './change-publisher';
import { KeptTotals } from './kept-totals';

/** When a probe that is no source any more was heard, and as which client. */
export type RemovedProbe = Pick<ClientReport, 'firstSeenAt' | 'lastChangedAt' | 'goneAt'> & {
  readonly clientId: string;
};

export interface LiveStateOptions {
  readonly clock: Clock;
  /** Writes the emission to the log and answers its place there. */
  readonly append: (emission: Emission) => number;
  readonly publish: (change: StreamChange) => void;
  /** Does anybody hear the changes of one client? Absent: somebody may. */
  readonly isHeard?: (topic: StreamTopic) => boolean;
  readonly freshnessOf: FreshnessOf;
  /** Hears of each observation when it is folded. Must be short and not throw. */
  readonly onFolded?: (observation: Recorded) => void;
}

const eventsKept = 500;
/** Clients that somebody looks at. */
const changeLogsKept = 20;
const formerProbesKept = 500;

/**
 * "Now": the fold of everything up to the newest observation, in memory, and who has to hear of a change. One place
 * through which every observation goes: log, fold, stream.
 */
export class LiveState {
  readonly world: World;
  readonly sources: SourceDirectory;
  /** Newest first. */
  readonly events: NotableEvent[] = [];
  /** Since the start of this process, and since it was gone: sources that have reported a client, as "source\0client". */
  private readonly reconciled = new Set<string>();
  /** Those of which not all parts are here. */
  private readonly firstReports = new Map<string, FirstReport>();
  /** Counts up when a client's rows, or how fresh they are, may be different. */
  private readonly revisions = new Map<string, number>();
  /** Counts up with any of them, and when a client goes. */
  private anyRevision = 0;
  /** Of clients whose changes somebody asked for. */
  private readonly changes = new LRUCache<string, ChangeLog>({ max: changeLogsKept });
  /** By source: the clients that it has a report on. */
  private readonly bySource = new Map<string, Set<string>>();
  private readonly totals = new KeptTotals();
  private readonly watchers: ((clientId: string) => void)[] = [];
  private readonly forgetters: ((client: ClientState) => void)[] = [];
  /** Clients forgotten so far. */
  private forgotten = 0;
  /** Probes whose clients were forgotten, the newest first. The Propagation tab needs them at past moments. */
  readonly removedProbes = new LRUCache<string, RemovedProbe>({ max: formerProbesKept });
  private readonly publisher: ChangePublisher;
  private newestSeq: number;

  constructor(
    private readonly options: LiveStateOptions,
    restored: {
      readonly world: World;
      readonly newestSeq: number;
      readonly sources?: SourceDirectory;
      /** The newest first. Absent: there are none. */
      readonly removedProbes?: ReadonlyMap<string, RemovedProbe>;
    },
  ) {
    this.world = restored.world;
    this.sources = restored.sources ?? new SourceDirectory();
    this.newestSeq = restored.newestSeq;
    this.publisher = new ChangePublisher(
      { ...options, world: this.world, summarise: (client) => this.summaryOf(client) },
      restored.newestSeq,
    );
    for (const { clientId, reports } of restored.world.values()) {
      for (const sourceId of reports.keys()) this.noteSource(sourceId, clientId);
    }
    const former = [...(restored.removedProbes ?? [])].reverse();
    for (const [sourceId, probe] of former) this.removedProbes.set(sourceId, probe);
  }

  get seq(): number {
    return this.newestSeq;
  }

  readonly observe = (emission: Emission): void => {
    const observation = this.reconcile(emission.observation);
    const seq = this.options.append({ observation, bodies: emission.bodies });
    this.newestSeq = seq;
    const recorded: Recorded = { ...observation, seq };
    this.sources.fold(recorded);
    this.publishEvents(recorded);
    const before = 'clientId' in recorded ? this.world.get(recorded.clientId)?.reports : undefined;
    const isOtherReport = before !== undefined && !before.has(recorded.sourceId);
    const sourcesBefore = isOtherReport ? [...before.keys()] : [];
    const { clientId, changes } = this.totals.follow(recorded, this.world, () =>
      foldObservation(this.world, recorded),
    );
    if (clientId !== null) {
      this.noteSource(recorded.sourceId, clientId);
      // The fold keeps so many reports of a client, and lets the oldest go.
      for (const sourceId of sourcesBefore) if (!before?.has(sourceId)) this.unlink(sourceId, clientId);
      if (recorded.kind === 'client-gone') this.reconciled.delete(`${recorded.sourceId}\u0000${clientId}`);
      // A load report says nothing of resources, and comes all the time.
      const keys = [...changes.changed, ...changes.removed];
      if (recorded.kind !== 'load-reported') this.touch(clientId, keys);
      else this.notifyWatchers(clientId);
      this.publisher.noteRows(clientId, keys);
    }
    this.publisher.noteGrowth(seq, clientId);
    this.options.onFolded?.(recorded);
    if (recorded.kind === 'load-reported') {
      const { clientId: reporter } = recorded;
      this.options.publish({ type: 'load', clientId: null });
      if (this.options.isHeard?.(`client:${reporter}`) ?? true) {
        this.options.publish({ type: 'load', clientId: reporter });
      }
    }
  };

  /** The client's freshness may be different now, though nothing was observed of it. */
  markDirty(clientId: string): void {
    if (!this.world.has(clientId)) return;
    this.touch(clientId, []);
    this.publisher.noteRows(clientId, []);
  }

  /** The same number means the same rows: what was made of them still holds. */
  revisionOf(clientId: string): number {
    return this.revisions.get(clientId) ?? 0;
  }

  /** From now on `watcher` is called at once for each client that may have changed or is gone. */
  watch(watcher: (clientId: string) => void): void {
    this.watchers.push(watcher);
  }

  /** The same number means that nothing of any client changed. */
  get fleetRevision(): number {
    return this.anyRevision;
  }

  /**
   * Rows of a client that changed in any source's report after that revision; undefined when that is not known (any
   * longer). What is asked for once is remembered from then on. (Which report is shown is for the caller to see.)
   */
  changedSince(clientId: string, revision: number): readonly ResourceKey[] | undefined {
    const log = this.changes.get(clientId);
    if (log !== undefined) return log.findSince(revision);
    const now = this.revisionOf(clientId);
    this.changes.set(clientId, new ChangeLog(now));
    return revision === now ? [] : undefined;
  }

  /** A source that is removed and added again begins with a complete word, as after a restart. */
  forgetSource(sourceId: string): void {
    for (const clientId of this.clientsOfSource(sourceId)) {
      this.reconciled.delete(`${sourceId}\u0000${clientId}`);
      this.firstReports.delete(`${sourceId}\u0000${clientId}`);
    }
  }

  /** Of all that have a report on a client, sources still or not. */
  sourceIds(): Iterable<string> {
    return this.bySource.keys();
  }

  /** Clients that a source has a report on. */
  clientsOfSource(sourceId: string): Iterable<string> {
    return this.bySource.get(sourceId) ?? [];
  }

  clientCountOf(sourceId: string): number {
    return this.bySource.get(sourceId)?.size ?? 0;
  }

  /** Clients that a source has a report on, and that of a former probe. */
  everClientsOf(sourceId: string): Iterable<string> {
    const former = this.removedProbes.get(sourceId);
    const clients = this.clientsOfSource(sourceId);
    return former === undefined ? clients : new Set([...clients, former.clientId]);
  }

  /** `forgetter` is called with each client that is forgotten, when it is: whoever keeps something by its id drops it. */
  onForgotten(forgetter: (client: ClientState) => void): void {
    this.forgetters.push(forgetter);
  }

  /** Counts up: a checkpoint that was written before the newest one holds clients that are not here. */
  get forgottenCount(): number {
    return this.forgotten;
  }

  private unlink(sourceId: string, clientId: string): void {
    const clients = this.bySource.get(sourceId);
    clients?.delete(clientId);
    if (clients?.size === 0) this.bySource.delete(sourceId);
    this.reconciled.delete(`${sourceId}\u0000${clientId}`);
    this.firstReports.delete(`${sourceId}\u0000${clientId}`);
  }

  private noteSource(sourceId: string, clientId: string): void {
    const clients = this.bySource.get(sourceId);
    if (clients === undefined) this.bySource.set(sourceId, new Set([clientId]));
    else clients.add(clientId);
  }

  /** It is shown no more; what was observed of it stays in the log. */
  forgetClient(clientId: string): void {
    const client = this.world.get(clientId);
    if (client === undefined) return;
    this.world.delete(clientId);
    for (const [sourceId, { vantage, firstSeenAt, lastChangedAt, goneAt }] of client.reports) {
      this.unlink(sourceId, clientId);
      if (vantage !== 'probe') continue;
      const endedAt = goneAt ?? this.options.clock.now();
      this.removedProbes.set(sourceId, { clientId, firstSeenAt, lastChangedAt, goneAt: endedAt });
    }
    this.publisher.forget(clientId);
    this.revisions.delete(clientId);
    this.anyRevision += 1;
    this.forgotten += 1;
    for (const forgetter of this.forgetters) forgetter(client);
    this.notifyWatchers(clientId);
    this.changes.delete(clientId);
    this.options.publish({ type: 'client-removed', clientId });
    this.options.publish({ type: 'fleet' });
  }

  /** For summaries. */
  get totalsOf(): TotalsOf {
    return this.totals.of;
  }

  /** Costs what changed since the last one. */
  summaryOf(client: ClientState): ClientSummary {
    return buildClientSummary(client, this.options.freshnessOf, this.totals.of);
  }

  /** Publishes what was gathered, now. */
  flush(): void {
    this.publisher.flush();
  }

  /** Feeds events of before the start, oldest first, without telling anybody. */
  restoreEvents(history: Iterable<Recorded>): void {
    const statuses = new Map<string, ClientStatus>();
    for (const observation of history) {
      if (observation.vantage === 'dump') continue;
      const prefix = 'clientId' in observation ? `${observation.sourceId}\u0000${observation.clientId}` : '';
      const keyOf = (row: ResourceKey): string => `${prefix}\u0000${resourceKey(row)}`;
      const events = buildEvents(observation, {
        nodeIdOf: (clientId) => this.world.get(clientId)?.node.id,
        previousStatus: (row) => statuses.get(keyOf(row)),
      });
      if ('changed' in observation) {
        for (const row of observation.changed) statuses.set(keyOf(row), row.clientStatus);
      }
      this.keepEvents(events);
    }
  }

  private touch(clientId: string, keys: readonly ResourceKey[]): void {
    // Of all clients together: one that is forgotten and comes back does not have a number once more.
    this.anyRevision += 1;
    this.revisions.set(clientId, this.anyRevision);
    this.changes.get(clientId)?.add(this.anyRevision, keys);
    this.notifyWatchers(clientId);
  }

  private notifyWatchers(clientId: string): void {
    for (const watcher of this.watchers) watcher(clientId);
  }

  private reconcile(observation: Observation): Observation {
    if (observation.kind !== 'client-config-changed') return observation;
    const { clientId } = observation;
    const key = `${observation.sourceId}\u0000${clientId}`;
    if (this.reconciled.has(key)) return observation;
    const known = this.world.get(clientId)?.reports.get(observation.sourceId);
    const first = this.firstReports.get(key) ?? new FirstReport(known);
    if (isLastPart(observation)) {
      this.firstReports.delete(key);
      this.reconciled.add(key);
    } else this.firstReports.set(key, first);
    return first.reconcile(observation);
  }

  private publishEvents(observation: Recorded): void {
    // It happened long ago, to somebody else.
    if (observation.vantage === 'dump') return;
    const report =
      'clientId' in observation
        ? this.world.get(observation.clientId)?.reports.get(observation.sourceId)
        : undefined;
    const events = buildEvents(observation, {
      nodeIdOf: (clientId) => this.world.get(clientId)?.node.id,
      previousStatus: (row) => report?.resources.get(resourceKey(row))?.clientStatus,
    });
    this.keepEvents(events);
    for (const event of events) this.options.publish({ type: 'event', event });
  }

  /** Something worth a line that nobody observed: what was concluded here. */
  announce(event: NotableEvent): void {
    this.keepEvents([event]);
    this.options.publish({ type: 'event', event });
  }

  private keepEvents(events: readonly NotableEvent[]): void {
    this.events.unshift(...[...events].reverse());
    if (this.events.length > eventsKept) this.events.length = eventsKept;
  }
}
