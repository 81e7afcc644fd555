import type {
  ClientConfigChanged,
  DeclaredSource,
  Observation,
  Recorded,
} from '@/lib/observation/observation';
import { sourceKindFacts } from '@/lib/observation/source-kinds';
import type { FreshnessOf } from '@/lib/views/client/choose-report';
import type { StreamNotice } from '@/lib/views/stream/schema';
import { LoadCounters } from '../answers/metrics/load-counters';
import type { ReportsOf } from '../collect/source-kind/source-kind';
import type { Config } from '../config/config';
import { ClientLifetimes } from '../live/client-lifetimes';
import { ConvergenceReader } from '../live/convergence/convergence-reader';
import { FleetIndex } from '../live/fleet/fleet-index';
import { HeldClients } from '../live/held-clients';
import { IssueStore } from '../live/issues/issue-store';
import { Mutes } from '../live/issues/mutes';
import { LiveState } from '../live/live-state';
import { LoadLogBudget } from '../live/load/load-log-budget';
import { LogFollower } from '../live/log-folds/log-follower';
import { NackStore } from '../live/nacks/nack-store';
import { FleetSearch } from '../live/search/fleet-search';
import { sizesEntry } from '../live/sizes/saved-sizes';
import { SizeHistory } from '../live/sizes/size-history';
import { StreamHub } from '../live/streaming/stream-hub';
import type { Observe } from '../observe';
import { reportFreshness } from '../sources/report-freshness';
import { isPolled } from '../sources/source-kinds';
import type { SourceRegistry } from '../sources/source-registry';
import { KeptList } from '../store/kept-list';
import type { Storage } from './open-storage';
import type { Workers } from './start-workers';

export type State = Awaited<ReturnType<typeof createState>>;

interface StateParts {
  readonly config: Config;
  readonly storage: Storage;
  readonly workers: Workers;
  readonly registry: SourceRegistry;
  /** Called when clients are dropped, so that a restart does not restore them. */
  readonly saveCheckpoint: () => void;
}

/** Creates the fold of all observations, the indexes beside it, and the stream of its changes. */
export async function createState({ config, storage, workers, registry, saveCheckpoint }: StateParts) {
  const { clock, recorder, loadRecorder, restored: everything, removedSources } = storage;
  const { load, recent, reader: nodes, ...restored } = everything;
  const stream = new StreamHub({ clock });
  const listeners: ((notice: StreamNotice) => void)[] = [];
  const publish = (notice: StreamNotice): void => {
    stream.publish(notice);
    for (const listener of listeners) listener(notice);
  };
  const freshnessOf: FreshnessOf = (report, clientId) =>
    reportFreshness(report, clientId, registry.healthOf(report.sourceId), restored.sources);
  const isSource = (sourceId: string): boolean => registry.has(sourceId);

  const nacks = new NackStore({ clock, publish });
  const issues = new IssueStore({ clock, publish });
  const logFollower = new LogFollower({ clock, recorder, world: restored.world, folds: [nacks, issues] });
  const onFolded = (observation: Recorded): void => {
    if (!held.isWhole) return;
    logFollower.observe(observation);
    nodes.observe(observation);
    lifetimes.observe(observation);
  };
  const { removedProbes } = removedSources;
  const live = new LiveState(
    {
      ...{ clock, publish, freshnessOf, onFolded },
      append: recorder.append.bind(recorder),
    },
    { ...restored, removedProbes },
  );
  const held = new HeldClients({
    ...{ clock, live, recorder, holding: storage.holding },
    hasSubscriber: stream.hasSubscriber.bind(stream),
  });
  const fleet = new FleetIndex(live);
  const sizeHistory = new SizeHistory({
    ...{ clock, fleet, kept: new KeptList(storage.shared?.state ?? storage.state, sizesEntry) },
  });
  if (held.isWhole) await sizeHistory.restore();
  const search = new FleetSearch({
    ...{ live, freshnessOf, recorder, fleet, nacks },
    compute: workers.compute,
  });
  const following: (() => void)[] = [];
  let isStopped = false;
  /**
   * Begins what needs all clients, once they are held. Resolves when the list of clients can be answered, which is first, because a
   * user waits for it after a restart.
   */
  const followFleet = async (newestSeq: number): Promise<void> => {
    sizeHistory.start();
    following.push(fleet.follow(clock));
    await fleet.find().finally(() => void logFollower.restore(newestSeq));
    if (!isStopped) following.push(search.follow(clock));
  };
  const stopFollowing = (): void => {
    isStopped = true;
    for (const stop of following) stop();
  };
  live.restoreEvents(recent);
  const forgetSource = (sourceId: string): void => {
    live.forgetSource(sourceId);
    lifetimes.sourceRenewed(sourceId);
  };
  /** Yields what a source reported last of each client, also before a restart. */
  const reportsOf: ReportsOf = function* (sourceId) {
    for (const clientId of live.clientsOfSource(sourceId)) {
      const client = live.world.get(clientId);
      const report = client?.reports.get(sourceId);
      if (client !== undefined && report !== undefined) yield { client, report };
    }
  };
  const lifetimes = new ClientLifetimes({
    ...{ clock, live, isSource, limits: config.clientLimits, onDropped: saveCheckpoint },
    onRoom: (sourceId) => {
      if (!isPolled(registry.find(sourceId)?.kind)) return;
      forgetSource(sourceId);
      void registry.restart(sourceId);
    },
  });
  live.onForgotten((client) => {
    nodes.forget(client.clientId, client.reports.keys());
    void nacks.forget(client);
    void issues.forget(client);
    load.removeClient(client.clientId);
  });

  const loadCounters = new LoadCounters();
  const logBudget = new LoadLogBudget();
  const isWeb = config.store?.role === 'web';
  const observe: Observe = (emission) => {
    // A web process has what the shared store has, under the same seqs. Collectors observe everything else.
    if (isWeb && emission.seq === undefined) return;
    if (held.isWhole && !lifetimes.admit(emission.observation)) {
      if (emission.seq !== undefined) live.skip(emission.seq, null);
      return;
    }
    // The thread that decoded the observation has redacted it.
    const reported = emission.observation;
    // A load report that exceeds the limits of the table is in neither the log nor the series nor the metrics.
    const observation = reported.kind === 'load-reported' ? load.fold(reported) : reported;
    if (observation === undefined) return;
    // What a shared store has numbered is in its log.
    const logged = emission.seq === undefined ? logBudget.admit(observation) : observation;
    if (logged !== undefined) live.observe({ ...emission, observation: logged });
    if (emission.isLoadApart !== true) loadRecorder?.observe(observation);
    loadCounters.observe(observation);
  };
  const observeLoad = (reported: Observation): void => {
    if (reported.kind === 'load-reported') load.fold(reported);
  };
  const preview = (observation: ClientConfigChanged): void => live.preview(observation);
  /** Records the declaration of a source before its first observation. */
  const declare = (sourceId: string, source: DeclaredSource): void => {
    if (live.sources.isDeclared(sourceId, source)) return;
    const { vantage } = sourceKindFacts(source.kind);
    const declared = { kind: 'source-declared', at: clock.now(), vantage, sourceId, source } as const;
    observe({ observation: workers.codec.redactObservation(declared), bodies: [] });
  };
  const convergence = new ConvergenceReader({ recorder, ...restored, freshnessOf, compute: workers.compute });
  return {
    ...{ stream, publish, freshnessOf, isSource, live, nodes, nacks, issues, logFollower, held },
    ...{ fleet, sizeHistory, lifetimes, mutes: new Mutes(storage.kept.mutes) },
    ...{
      load,
      loadCounters,
      convergence,
      search,
      observe,
      observeLoad,
      preview,
      declare,
      forgetSource,
      reportsOf,
      followFleet,
      stopFollowing,
    },
    newestSeq: restored.newestSeq,
    /** Calls `listener` with each notice that is published from now on. */
    onPublished: (listener: (notice: StreamNotice) => void) => void listeners.push(listener),
  };
}
