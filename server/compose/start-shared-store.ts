import { randomUUID } from 'node:crypto';
import os from 'node:os';
import type { Health } from '@/lib/views/health/schema';
import type { SharedStore } from '../config/config';
import { collectorEntry } from '../forwarding/collector-entry';
import { Follower } from '../forwarding/follower';
import { Forwarder } from '../forwarding/forwarder';
import { HeadsWriter } from '../forwarding/heads-writer';
import { openSharedStore, type SharedDatabase, targetOfStore } from '../forwarding/open-shared-store';
import { RemoteSources } from '../forwarding/remote-sources';
import { RepeatedWork } from '../forwarding/repeated-work';
import { SourceReporter } from '../forwarding/source-reporter';
import { StoredFleet } from '../forwarding/stored-fleet';
import type { SourceRegistry } from '../sources/source-registry';
import { ClientHeads } from '../store/heads/client-heads';
import { KeptValue } from '../store/kept-value';
import { ObservationLog } from '../store/log';
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
  readonly store: SharedStore;
  readonly storage: Storage;
  readonly registry: SourceRegistry;
  readonly state: Pick<State, 'observe' | 'fleet' | 'live' | 'publish'>;
}

const countEveryMs = 5_000;

/** Starts what the role of this process does. The recording of a web process has the observations, and the seqs, of the store. */
export function startSharedStore(parts: SharedStoreParts): Promise<StartedSharedStore> {
  return parts.store.role === 'collector' ? startCollector(parts) : startWeb(parts);
}

async function startCollector({ store, storage, registry }: SharedStoreParts): Promise<StartedSharedStore> {
  const { clock, recorder, state, kept } = storage;
  const known = await KeptValue.open(state, collectorEntry);
  if (known.value.id === '') await known.change(() => ({ id: randomUUID() }));
  const collector = known.value.id;
  let shared: SharedDatabase | undefined;
  const forwarder = new Forwarder({
    ...{ clock, recorder, collector },
    open: async () => {
      shared = await openSharedStore(store.url, kept.redactionKey.value.sha256);
      return shared.database;
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
  return {
    get facts() {
      const { problem, waiting, sentAt } = forwarder.state;
      const { role, url } = store;
      return {
        ...{ role, target: targetOfStore(url), problem },
        ...{ waiting: waiting ?? undefined, newestAt: sentAt ?? undefined },
      };
    },
    async close() {
      await reporter.close();
      await forwarder.close();
    },
  };
}

async function startWeb({ store, storage, registry, state }: SharedStoreParts): Promise<StartedSharedStore> {
  const { clock, recorder, keepPace, shared, sharedRecorder } = storage;
  if (shared === undefined || sharedRecorder === undefined)
    throw new Error('expected the shared store of a web process to be open');
  const follower = new Follower({
    ...{ clock, log: new ObservationLog(shared.database, clock), keepPace, observe: state.observe },
    reachedSeq: recorder.stats().newestSeq,
  });
  const sources = new RemoteSources({ clock, state: shared.state, registry });
  const counting = new RepeatedWork({
    ...{ clock, everyMs: countEveryMs, failure: 'the permalinks are not counted' },
    work: () => sharedRecorder.countPermalinks(),
  });
  const writer = new HeadsWriter({
    ...{ clock, database: shared.database, fleet: state.fleet, foldedSeq: () => state.live.seq },
  });
  const storedFleet = new StoredFleet({
    ...{ clock, heads: new ClientHeads(shared.database) },
    statusOf: (sourceId) => registry.statusOf(sourceId),
    listStatuses: () => Array.from(registry.all(), ({ status }) => status),
    onChange: () => state.publish({ type: 'fleet' }),
  });
  await sources.start();
  follower.start();
  writer.start();
  storedFleet.start();
  counting.start();
  return {
    get facts() {
      const { problem, reachedAt } = follower.state;
      return {
        role: store.role,
        target: targetOfStore(store.url),
        problem,
        newestAt: reachedAt ?? undefined,
      };
    },
    storedFleet,
    async close() {
      await storedFleet.close();
      await writer.close();
      await follower.close();
      await sources.close();
      await counting.close();
    },
  };
}
