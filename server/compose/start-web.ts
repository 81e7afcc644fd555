import { randomUUID } from 'node:crypto';
import { formatCount, formatCounted } from '@/lib/format/count';
import type { World } from '@/lib/observation/fold';
import type { Health } from '@/lib/views/health/schema';
import { ApiError } from '../api-error';
import type { Config, SharedStore } from '../config/config';
import { dropRemovedFiles } from '../files/import/imports';
import { FleetChanges } from '../forwarding/fleet-changes';
import { Follower } from '../forwarding/follower';
import { HeadsWriter } from '../forwarding/heads-writer';
import { Notices } from '../forwarding/notices';
import { QuestionServer } from '../forwarding/question-server';
import { RelayedQuestions } from '../forwarding/relayed-questions';
import { RemoteSources } from '../forwarding/remote-sources';
import { RepeatedWork } from '../forwarding/repeated-work';
import { StoreRetention } from '../forwarding/store-retention';
import { StoredFleet } from '../forwarding/stored-fleet';
import type { NodeWatcher } from '../live/fleet/node-watcher';
import type { SourceRegistry } from '../sources/source-registry';
import { ClientHeads } from '../store/heads/client-heads';
import { ObservationLog } from '../store/log';
import type { Notice } from '../store/notify';
import { nameOfStore } from '../store/store-url';
import type { State } from './create-state';
import { foldTail, readRecent, restoreWorld } from './open-recording';
import type { Storage } from './open-storage';

interface WebParts {
  readonly config: Pick<Config, 'retention'>;
  readonly store: SharedStore;
  readonly storage: Storage;
  readonly registry: SourceRegistry;
  readonly state: State;
}

export type StartedWeb = Awaited<ReturnType<typeof startWeb>>;

const everySecondMs = 1_000;

/**
 * Starts what a web process does with a shared store. It begins without clients. One web process at a time then folds the fleet and
 * answers what the others cannot; those open clients on demand.
 */
export async function startWeb({ config, store, storage, registry, state }: WebParts) {
  const { clock, keepPace, shared, holding, recorder } = storage;
  const { observe, observeLoad, held, live, publish, fleet } = state;
  if (shared === undefined) throw new Error('expected the shared store of a web process to be open');
  const { database } = shared;
  const log = new ObservationLog(database, clock);
  const heads = new ClientHeads(database);
  holding.reachedSeq = state.newestSeq;
  const follower = new Follower({
    ...{ clock, log, holding, held, keepPace, observe, observeLoad },
    skip: live.skip.bind(live),
  });
  const retention = new StoreRetention({
    ...{ clock, database, log, recorder, holding, holder: randomUUID() },
    ...{ limits: config.retention, live },
  });
  const relay = new RelayedQuestions({
    ...{ clock, shared },
    // Pages that show why nothing was answered read again.
    onAnswering: () => {
      for (const topic of ['fleet', 'issues', 'nacks'] as const) publish(topic);
    },
  });
  const answering = new QuestionServer({ clock, shared, holding });
  const changes = new FleetChanges({
    ...{ clock, database, holding },
    publish: (notice) => {
      publish(notice);
      if (notice === 'load') for (const clientId of live.world.keys()) publish(`client:${clientId}/load`);
    },
  });
  state.onPublished((notice) => changes.note(notice));
  const notices = new Notices({
    ...{ clock, database },
    onNotice: (notice) => {
      for (const wake of wakenBy(notice)) wake();
      if (notice?.topic === 'fleet') changes.receive(notice.position);
    },
  });
  const sources = new RemoteSources({ clock, state: shared.state, registry });
  const writer = new HeadsWriter({
    ...{ clock, database, fleet, foldedSeq: () => holding.reachedSeq },
    hold: () => holdFleet({ storage, state, follower, log, heads }),
    onFolder: (isFolder) => {
      holding.isFolder = isFolder;
      answering.report();
    },
  });
  const storedFleet = new StoredFleet({
    ...{ clock, heads },
    statusOf: (sourceId) => registry.statusOf(sourceId),
    listStatuses: () => Array.from(registry.all(), ({ status }) => status),
    onChange: () => publish('fleet'),
  });
  const settings = new RepeatedWork({
    ...{ clock, everyMs: everySecondMs, failure: 'what other processes set is not read' },
    work: async () => {
      if (await storage.kept.mutes.refresh()) state.issues.changed();
      if (notices.isReceiving !== true) changes.assumeAny();
      await held.tidy();
    },
  });
  const wakenBy = (notice: Notice | undefined): (() => void)[] => {
    const byTopic: Readonly<Record<string, readonly { wake(): void }[]>> = {
      log: [follower],
      state: [sources, settings],
      heads: [storedFleet],
      ask: [answering],
      answer: [relay],
      fleet: [],
    };
    const all = Object.values(byTopic).flat();
    return (notice === undefined ? all : (byTopic[notice.topic] ?? all)).map((each) => () => each.wake());
  };
  held.followFleet((clientIds) => heads.findAmong(clientIds));
  await sources.start();
  await relay.start();
  await storedFleet.start();
  storage.sharedLoads?.start((clientIds) => {
    publish('load');
    for (const clientId of clientIds) publish(`client:${clientId}/load`);
  });
  for (const each of [settings, follower, notices, changes, retention]) each.start();
  return {
    relay,
    /** Begins to answer other processes, and to write the list of clients if no other process does. */
    answerWith(
      answer: Parameters<typeof answering.start>[0],
      findIssues: Parameters<typeof writer.start>[0],
    ) {
      answering.start(answer);
      writer.start(findIssues);
    },
    get facts(): NonNullable<Health['sharedStore']> {
      const { problem, reachedAt } = follower.state;
      return {
        ...{ role: store.role, target: nameOfStore(store.url), problem },
        newestAt: reachedAt ?? undefined,
        isNotified: notices.isReceiving,
        holdsFleet: holding.isWhole,
        fleetProblem: holding.isWhole ? '' : relay.problem,
      };
    },
    storedFleet: {
      async find(...question: Parameters<typeof storedFleet.find>) {
        const found = await storedFleet.find(...question);
        if (found !== undefined || holding.isWhole) return found;
        throw new ApiError(503, 'Fleet not available', whyNoList(relay.problem));
      },
    },
    async close() {
      for (const each of [storedFleet, writer, retention, notices, changes, follower, sources, settings])
        await each.close();
      await answering.close();
      await relay.close();
    },
  };
}

function whyNoList(problem: string): string {
  return `expected the list of clients in the shared store: ${problem || 'the store does not answer, or has no list yet'}`;
}

interface FleetParts {
  readonly storage: Storage;
  readonly state: State;
  readonly follower: Follower;
  readonly log: ObservationLog;
  readonly heads: ClientHeads;
}

/** Folds the store from its newest checkpoint on. From then on, this process holds all clients. */
async function holdFleet({ storage, state, follower, log, heads }: FleetParts): Promise<void> {
  const { recorder, holding, kept, nodeChanges } = storage;
  const { live, held, nodes, lifetimes, followFleet, sizeHistory } = state;
  if (holding.isWhole) return;
  const changedNodes = await nodeChanges.read();
  const [{ newestSeq }, written] = [await log.readHeads(), await heads.position()];
  const makeReader = (world: World): NodeWatcher => {
    nodes.adopt(world, changedNodes);
    return nodes;
  };
  const restored = await restoreWorld(recorder, makeReader, (read) => {
    holding.progress =
      'seq' in read
        ? `all clients, and observation ${formatCount(read.seq)} of ${formatCount(newestSeq)}`
        : `${formatCount(read.clients)} of ${formatCounted(written?.totals.clients ?? read.clients, 'client')}`;
  });
  for (const found of [kept.conditions, kept.loadErrors, kept.requestErrors]) await found.refresh();
  await sizeHistory.restore();
  const { world, sources } = restored;
  await follower.pauseFor(async () => {
    const seq = await foldTail(recorder, restored);
    dropRemovedFiles(restored, kept.imports.value);
    live.sources.adopt(sources.list());
    held.holdAll(world);
    holding.reachedSeq = Math.max(holding.reachedSeq, seq);
    live.skip(holding.reachedSeq, null);
    lifetimes.restore();
    live.restoreEvents(await readRecent(recorder));
    void followFleet(seq);
  });
  holding.progress = '';
}
