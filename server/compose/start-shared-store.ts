import os from 'node:os';
import type { Health } from '@/lib/views/health/schema';
import type { SharedStore } from '../config/config';
import { nameRecording } from '../forwarding/collector-entry';
import { LoadForwarder } from '../forwarding/forward-load';
import { connecting, Forwarder } from '../forwarding/forwarder';
import { InheritedReports } from '../forwarding/inherited-reports';
import { openSharedStore, type SharedDatabase } from '../forwarding/open-shared-store';
import { RepeatedWork } from '../forwarding/repeated-work';
import { leaseTermsEntry, SourceLeases } from '../forwarding/source-leases';
import { SourceReporter } from '../forwarding/source-reporter';
import type { LiveState } from '../live/live-state';
import type { SourceRegistry } from '../sources/source-registry';
import { KeptValue } from '../store/kept-value';
import type { StoreDatabase } from '../store/schema';
import { nameOfStore } from '../store/store-url';
import { Turns } from '../turns';
import type { State } from './create-state';
import type { Storage } from './open-storage';

interface StartedSharedStore {
  /** What this process does with the shared store, and why not. */
  readonly facts: NonNullable<Health['sharedStore']>;
  close(): Promise<void>;
}

interface CollectorParts {
  readonly store: SharedStore;
  readonly storage: Storage;
  readonly registry: SourceRegistry;
  readonly state: Pick<State, 'observe' | 'live'>;
  readonly collector: Awaited<ReturnType<typeof openCollector>>;
}

const turnEveryMs = 2_000;

/** The name of this recording in the shared store, and the leases that decide which of its sources run here. */
export async function openCollector(
  { clock, state, recorder }: Storage,
  live: Pick<LiveState, 'dropReports'>,
) {
  const id = await nameRecording(state);
  const kept = await KeptValue.open(state, leaseTermsEntry);
  const onInherited = (sourceId: string): void => live.dropReports(sourceId);
  return { id, leases: new SourceLeases({ clock, collector: id, kept, recorder, onInherited }) };
}

/** Copies the recording of a collector into the shared store, and reports its sources there. */
export function startCollector({
  store,
  storage,
  registry,
  state,
  collector: { id: collector, leases },
}: CollectorParts): StartedSharedStore {
  const { clock, recorder, loadRecorder, kept } = storage;
  if (loadRecorder === undefined) throw new Error('expected a collector to record load');
  let shared: SharedDatabase | undefined;
  const turns = new Turns();
  const takeTurn = (database: StoreDatabase) => turns.take(() => leases.takeTurn(database));
  const forwarder = new Forwarder({
    ...{ clock, recorder, collector, leases },
    open: async () => {
      const opened = await openSharedStore(store.url, kept.redactionKey.value.sha256);
      try {
        // What waits in the recording was made under the numbers that this turn finds.
        await takeTurn(opened.database);
      } catch (error) {
        await opened.database.close();
        throw error;
      }
      shared = opened;
      return opened.database;
    },
  });
  /** undefined while it cannot be reached. */
  const reached = (): SharedDatabase | undefined => (forwarder.state.problem === '' ? shared : undefined);
  const loadForwarder = new LoadForwarder({
    ...{ clock, loads: loadRecorder, collector, leases },
    store: () => reached()?.database,
  });
  const leasing = new RepeatedWork({
    ...{ clock, everyMs: turnEveryMs, failure: 'the leases of sources are not renewed' },
    work: async () => {
      const store = reached();
      if (store === undefined) leases.runUnconnected();
      else await takeTurn(store.database);
    },
  });
  const inherited = new InheritedReports({
    ...{ clock, leases, live: state.live, observe: state.observe },
    statusOf: (sourceId) => registry.statusOf(sourceId),
  });
  const comparing = new RepeatedWork({
    ...{
      clock,
      everyMs: turnEveryMs,
      failure: 'sources that were taken over are not compared with the store',
    },
    work: async () => {
      if (shared !== undefined) await inherited.endUnreported(shared);
    },
  });
  const reporter = new SourceReporter({
    ...{ clock, collector, name: os.hostname(), listSources: () => registry.all() },
    state: async () => {
      const { problem } = forwarder.state;
      if (shared === undefined && problem !== connecting) throw new Error(problem);
      return shared?.state;
    },
  });
  forwarder.start();
  loadForwarder.start();
  reporter.start();
  leasing.start();
  comparing.start();
  return {
    get facts() {
      const { problem, waiting, sentAt } = forwarder.state;
      const { role, url } = store;
      return {
        ...{ role, target: nameOfStore(url), problem: problem || loadForwarder.problem },
        ...{ waiting: waiting ?? undefined, newestAt: sentAt ?? undefined, rejected: leases.rejected },
      };
    },
    async close() {
      await comparing.close();
      await leasing.close();
      await reporter.close();
      await loadForwarder.close();
      await forwarder.close();
    },
  };
}
