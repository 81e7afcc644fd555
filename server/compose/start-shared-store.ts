import { randomUUID } from 'node:crypto';
import os from 'node:os';
import type { Health } from '@/lib/views/health/schema';
import type { Config, SharedStore } from '../config/config';
import { nameRecording } from '../forwarding/collector-entry';
import { Follower } from '../forwarding/follower';
import { Forwarder } from '../forwarding/forwarder';
import { HeadsWriter } from '../forwarding/heads-writer';
import { Notices } from '../forwarding/notices';
import { openSharedStore, type SharedDatabase } from '../forwarding/open-shared-store';
import { RemoteSources } from '../forwarding/remote-sources';
import { RepeatedWork } from '../forwarding/repeated-work';
import { leaseTermsEntry, SourceLeases } from '../forwarding/source-leases';
import { SourceReporter } from '../forwarding/source-reporter';
import { StoreRetention } from '../forwarding/store-retention';
import { StoredFleet } from '../forwarding/stored-fleet';
import type { SourceRegistry } from '../sources/source-registry';
import { ClientHeads } from '../store/heads/client-heads';
import { KeptValue } from '../store/kept-value';
import { ObservationLog } from '../store/log';
import type { StoreDatabase } from '../store/schema';
import { nameOfStore } from '../store/store-url';
import { Turns } from '../turns';
import type { State } from './create-state';
import type { Storage } from './open-storage';

interface StartedSharedStore {
  /** What this process does with the shared store, and why not. */
  readonly facts: NonNullable<Health['sharedStore']>;
  /** The list of clients as one web process has written it for all; absent in a collector. */
  readonly storedFleet?: StoredFleet;
  close(): Promise<void>;
}

interface SharedStoreParts {
  readonly config: Pick<Config, 'retention'>;
  readonly store: SharedStore;
  readonly storage: Storage;
  readonly registry: SourceRegistry;
  readonly state: Pick<State, 'observe' | 'fleet' | 'issues' | 'live' | 'newestSeq' | 'publish'>;
  /** Present in a collector. */
  readonly collector: Collector | undefined;
}

type Collector = Awaited<ReturnType<typeof openCollector>>;

const countEveryMs = 5_000;

const turnEveryMs = 2_000;
const followEveryMs = 1_000;

/** The name of this recording in the shared store, and the leases that decide which of its sources run here. */
export async function openCollector({ state, recorder }: Storage) {
  const id = await nameRecording(state);
  const kept = await KeptValue.open(state, leaseTermsEntry);
  return { id, leases: new SourceLeases({ collector: id, kept, recorder }) };
}

/** Starts what the role of this process does. The recording of a web process has the observations, and the seqs, of the store. */
export function startSharedStore(parts: SharedStoreParts): Promise<StartedSharedStore> {
  const { collector } = parts;
  return collector === undefined ? startWeb(parts) : startCollector(parts, collector);
}

async function startCollector(
  { store, storage, registry }: SharedStoreParts,
  { id: collector, leases }: Collector,
): Promise<StartedSharedStore> {
  const { clock, recorder, kept } = storage;
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
  const leasing = new RepeatedWork({
    ...{ clock, everyMs: turnEveryMs, failure: 'the leases of sources are not renewed' },
    work: async () => {
      if (shared !== undefined && forwarder.state.problem === '') await takeTurn(shared.database);
      else leases.runUnconnected();
    },
  });
  const reporter = new SourceReporter({
    ...{ clock, collector, name: os.hostname(), listSources: () => registry.all() },
    state: async () => {
      if (shared === undefined) throw new Error(forwarder.state.problem);
      return shared.state;
    },
  });
  forwarder.start();
  reporter.start();
  leasing.start();
  return {
    get facts() {
      const { problem, waiting, sentAt } = forwarder.state;
      const { role, url } = store;
      return {
        ...{ role, target: nameOfStore(url), problem },
        ...{ waiting: waiting ?? undefined, newestAt: sentAt ?? undefined, rejected: leases.rejected },
      };
    },
    async close() {
      await leasing.close();
      await reporter.close();
      await forwarder.close();
    },
  };
}

async function startWeb({
  config,
  store,
  storage,
  registry,
  state,
}: SharedStoreParts): Promise<StartedSharedStore> {
  const { clock, keepPace, shared, sharedRecorder } = storage;
  if (shared === undefined || sharedRecorder === undefined)
    throw new Error('expected the shared store of a web process to be open');
  const log = new ObservationLog(shared.database, clock);
  const follower = new Follower({
    ...{ clock, log, keepPace, observe: state.observe, reachedSeq: state.newestSeq },
  });
  const retention = new StoreRetention({
    ...{ clock, database: shared.database, log, holder: randomUUID() },
    ...{ limits: config.retention, live: state.live },
  });
  const notices = new Notices({
    ...{ clock, database: shared.database },
    onNotice: () => {
      follower.wake();
      sources.wake();
      settings.wake();
    },
  });
  const sources = new RemoteSources({ clock, state: shared.state, registry });
  const counting = new RepeatedWork({
    ...{ clock, everyMs: countEveryMs, failure: 'the permalinks are not counted' },
    work: () => sharedRecorder.countPermalinks(),
  });
  const writer = new HeadsWriter({
    ...{ clock, database: shared.database, fleet: state.fleet, foldedSeq: () => follower.state.reachedSeq },
  });
  const storedFleet = new StoredFleet({
    ...{ clock, heads: new ClientHeads(shared.database) },
    statusOf: (sourceId) => registry.statusOf(sourceId),
    listStatuses: () => Array.from(registry.all(), ({ status }) => status),
    onChange: () => state.publish({ type: 'fleet' }),
  });
  const settings = new RepeatedWork({
    ...{ clock, everyMs: followEveryMs, failure: 'what other processes set is not read' },
    work: async () => {
      if (await storage.kept.mutes.refresh()) state.issues.changed();
    },
  });
  await sources.start();
  settings.start();
  follower.start();
  notices.start();
  writer.start();
  storedFleet.start();
  counting.start();
  retention.start();
  return {
    get facts() {
      const { problem, reachedAt } = follower.state;
      return {
        role: store.role,
        target: nameOfStore(store.url),
        problem,
        newestAt: reachedAt ?? undefined,
        isNotified: notices.isReceiving,
      };
    },
    storedFleet,
    async close() {
      await storedFleet.close();
      await writer.close();
      await retention.close();
      await notices.close();
      await follower.close();
      await sources.close();
      await counting.close();
      await settings.close();
    },
  };
}
