import { ImportsApi } from '../answers/files/imports-api';
import { SourcesApi } from '../api/sources-api';
import type { Config } from '../config/config';
import { setAllowedTargets } from '../dial/dial-policy';
import { forgetVanished } from '../live/forget-vanished';
import { log } from '../logger';
import { systemClock } from '../observe';
import { announceDivergence } from '../propagation/announce-divergence';
import { VariantCheck } from '../propagation/variant-check';
import { Replays } from '../replay/replays';
import { declarationOf } from '../sources/describe-source';
import { SourcePublisher } from '../sources/source-publisher';
import { SourceRegistry } from '../sources/source-registry';
import { collectOften } from '../threads/keep-heaps-small';
import { UnhandledRejections } from '../unhandled-rejections';
import { addSources } from './add-sources';
import { type Checkpoints, keepCheckpoints } from './checkpoints';
import { closeRuntime } from './close-runtime';
import { createApi } from './create-api';
import { createState, type State } from './create-state';
import { endLostStreams } from './end-lost-streams';
import { openStorage, type Storage } from './open-storage';
import { replayFile } from './replay-file';
import type { Runtime } from './runtime';
import { startImports } from './start-imports';
import { startLabWithSources } from './start-lab';
import { startWorkers } from './start-workers';

/** Composes one process of xdscope: storage, workers, state, sources, lab and answers. Sources run when it returns. */
export async function startRuntime(
  config: Config,
  version: string,
  rejections = new UnhandledRejections(),
): Promise<Runtime> {
  const clock = systemClock;
  const startedAt = clock.now();
  let checkpoints: Checkpoints | undefined;
  const saveCheckpoint = (): void => checkpoints?.saveSoon();
  // Before the first thread starts.
  setAllowedTargets(config.allowTargets);
  const storage = await openStorage(config, clock, ({ state: now, reason }) => {
    log(
      now === 'recording' ? 'info' : 'error',
      'recorder',
      `recorder ${now}${reason === '' ? '' : `: ${reason}`}`,
    );
    // After a gap the log alone no longer leads to the state.
    if (now === 'recording') saveCheckpoint();
  });
  const workers = await startWorkers(config, storage);
  const registry: SourceRegistry = createRegistry(storage, () => state);
  const state = await createState({ config, storage, workers, registry, saveCheckpoint });
  const { live, nacks, fleet, freshnessOf } = state;
  const { recorder, loads, removedSources } = storage;
  // Before the first observation of a source.
  await endLostStreams({
    ...{ dataDir: config.dataDir, recorder, observe: state.observe, newestSeq: state.newestSeq },
  });
  const sources = await addSources({ config, version, storage, workers, registry, state });
  const { starterOf, receivers } = sources;
  const parts = { config, storage, workers, registry, state, sources };
  const lab = config.lab ? await startLabWithSources(parts) : undefined;
  const imports = await startImports(parts);
  const replays = new Replays({
    ...{ clock, recorder },
    onChange: (replay) => state.publish({ type: 'replay', replay }),
    onRemoved: (replayId) => state.publish({ type: 'replay-removed', replayId }),
  });
  const variants = new VariantCheck({
    ...{ clock, live, freshnessOf, differ: workers.differ },
    listProbes: () => registry.listProbes(),
    tell: (finding, change) => announceDivergence(live, clock, finding, change),
  });
  variants.start();
  const stopForgetting = forgetVanished({
    ...{ clock, live, isSource: state.isSource, maxAgeMs: config.retention.maxAgeMs },
    oldestAt: () => recorder.stats().oldestAt,
  });
  checkpoints = keepCheckpoints({
    ...{ live, recorder },
    saveBeside: async () => {
      removedSources.save(live.removedProbes);
      await storage.nodeChanges.save(state.nodes);
    },
  });
  dropRemovedSources(storage, state);
  const api = createApi({
    ...{
      ...storage,
      ...workers,
      ...state,
      version,
      startedAt,
      registry,
      replays,
      lab,
      variants,
      rejections,
    },
    sources: new SourcesApi({
      ...{ registry, saved: storage.savedFile, starterOf, credentials: config.credentials },
    }),
    imports: new ImportsApi(imports),
  });
  // The list of clients comes first: it is what a user waits for after a restart.
  void fleet.find().finally(() => {
    collectOften();
    void nacks.restore(state.newestSeq);
  });
  // After a restart the first request for a graph or for the past must not wait for the thread to start.
  if (live.world.size > 0) workers.graphs.prepare();
  if (config.replay !== null) await replayFile(config.replay, { api, imports, live });
  return {
    api,
    async close() {
      imports.close();
      nacks.close();
      variants.close();
      stopForgetting();
      state.lifetimes.close();
      state.stopFollowing();
      await state.sizeHistory.close();
      const { probes, taps, pollers, istiods, envoys, graphs, validate, differ, codec } = workers;
      const threads = [
        probes,
        taps,
        pollers,
        istiods,
        envoys,
        graphs,
        state.convergence,
        validate,
        differ,
        codec,
      ];
      await closeRuntime({
        ...{ registry, lab, live, stream: state.stream, checkpoints },
        workers: [replays, receivers, ...threads],
        // The load file is protected by the lock of the recorder.
        recorder: { close: () => loads.close().finally(() => recorder.close()) },
      });
    },
  };
}

/** `findState`: called for events of sources, none of which exists before the state. */
function createRegistry({ clock, removedSources }: Storage, findState: () => State): SourceRegistry {
  const registry = new SourceRegistry({
    onStart: (source) => findState().declare(source.id, declarationOf(source)),
    onChange: (source, before, now) => findPublisher().changed(source, before, now),
    onRemoved: (source, last) => {
      const { live, load, loadCounters } = findState();
      // A list may find a target again a moment after it lost it.
      if (source.listId === null) removedSources.add(source.id, live.removedProbes);
      findPublisher().removed(source, last);
      load.removeSource(source.id);
      loadCounters.removeSource(source.id);
    },
    findClientLimit: (sourceId, notAdmitted) => findState().lifetimes.noticeOf(sourceId, notAdmitted),
  });
  let publisher: SourcePublisher | undefined;
  const findPublisher = (): SourcePublisher => {
    const { publish, observe, live, lifetimes } = findState();
    publisher ??= new SourcePublisher({
      ...{ clock, publish, observe, live, lifetimes },
      findSource: (id) => registry.find(id),
      statusOf: (id) => registry.statusOf(id),
    });
    return publisher;
  };
  return registry;
}

/** A run that was killed may have left clients of removed sources in the checkpoint. */
function dropRemovedSources({ removedSources }: Storage, { live, lifetimes, isSource }: State): void {
  removedSources.drop(removedSources.removed.filter(isSource), live.removedProbes);
  for (const sourceId of removedSources.removed) void lifetimes.sourceRemoved(sourceId, false);
}
