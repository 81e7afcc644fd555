import path from 'node:path';
import type { StreamChange } from '@/lib/api/stream';
import type { Recorded } from '@/lib/observation/observation';
import type { FreshnessOf } from '@/lib/view-model/client/choose-report';
import { createApi } from './api/create-api';
import { cutLongTexts } from './api/cut-long-texts';
import { GraphBuilder } from './api/graph-builder';
import { ImportsApi } from './api/imports-api';
import { limitTexts } from './api/limit-texts';
import { SourcesApi } from './api/sources-api';
import { type Checkpoints, keepCheckpoints } from './checkpoints';
import { closeRuntime } from './close-runtime';
import { createCodec } from './codec/codec';
import { makeUsualTypes } from './codec/root';
import { redactObservation } from './codec/secrets/redact-observation';
import { type Config, ConfigError } from './config/config';
import { crossCheckLabel, splitCrossCheck } from './config/cross-check';
import { readTapSource } from './config/read-tap-source';
import type { SourceSetup } from './config/source-setup';
import { ConvergenceReader } from './convergence/convergence-reader';
import { createCsdsThread } from './csds/csds-thread';
import { prepareDataDir } from './data-dir';
import { DescriptorSets } from './descriptor-sets/descriptor-sets';
import { SavedDescriptorSets } from './descriptor-sets/saved-descriptor-sets';
import { setAllowedTargets } from './dial/dial-policy';
import { Differ } from './diff/differ';
import { endLostStreams } from './end-lost-streams';
import { AdminReader } from './envoy-admin/admin-reader';
import { FleetKeeper } from './fleet/fleet-keeper';
import { dropRemovedFiles, Imports } from './imports/imports';
import { openFiles } from './imports/open-files';
import { SavedImports } from './imports/saved-imports';
import { createIstiodThread } from './istiod/istiod-thread';
import { collectOften } from './keep-heaps-small';
import { ClientLifetimes } from './live/client-lifetimes';
import { forgetVanished } from './live/forget-vanished';
import { LiveState } from './live/live-state';
import { RemovedSourcesFile } from './live/removed-sources-file';
import { LoadLogBudget } from './load/load-log-budget';
import { LrsThread } from './lrs/lrs-thread';
import { LoadCounters } from './metrics/load-counters';
import { NackKeeper } from './nacks/nack-keeper';
import { type Observe, systemClock } from './observe';
import { openLoad, openRecording } from './open-recording';
import { keepAllLoad } from './recorder/load/load-retention';
import { readRedactionKey } from './redaction-key';
import { replayFile } from './replay/replay-file';
import { Replays } from './replay/replays';
import type { Runtime } from './runtime';
import { SizeHistory } from './sizes/size-history';
import { describeSource, type NamedSource } from './sources/describe-source';
import { listMembers } from './sources/list-members';
import { reportFreshness } from './sources/report-freshness';
import { SavedSourcesFile } from './sources/saved-sources';
import { setUpSource } from './sources/set-up-source';
import { sourceIdOf } from './sources/source-id';
import { startNothing } from './sources/source-not-started';
import { SourceRegistry } from './sources/source-registry';
import { createSourceStarter, type StarterOf } from './sources/source-starter';
import { isPolled, SourceTeller } from './sources/source-teller';
import { type LabSourcesOptions, startLabWithSources } from './start-lab';
import { createStreamHub } from './streaming/stream-hub';
import { TapThreads } from './tap/tap-threads';
import { announceDivergence } from './truth/announce-divergence';
import { VariantCheck } from './truth/variant-check';
import { UnhandledRejections } from './unhandled-rejections';
import { Judge } from './validate/judge';
import { createProbeThread } from './xds/probe-thread';

/** An import waits so long for a picture that somebody waits for, batch by batch. */
const longestLookMs = 2_000;

/** Composes one process of xdscope: recorder, fold, streams, sources, lab, API. Listens and polls when it returns. */
export async function startRuntime(
  config: Config,
  version: string,
  rejections = new UnhandledRejections(),
): Promise<Runtime> {
  const clock = systemClock;
  let checkpoints: Checkpoints | undefined;
  const startedAt = clock.now();
  prepareDataDir(config.dataDir);
  // Before any thread starts.
  setAllowedTargets(config.allowTargets);
  const savedFile = new SavedSourcesFile(config.dataDir, config.credentials);
  const { sources: savedSources, pausedIds } = savedFile.read();
  const storage = { dataDir: config.dataDir, clock, setAsideDamaged: config.setAsideDamaged };
  const recording = await openRecording({
    ...storage,
    retention: config.retention,
    onDamage: (message) => process.stderr.write(`xdscope: ${message}\n`),
    onStateChange: ({ state, reason }) => {
      process.stderr.write(`xdscope: recorder ${state}${reason === '' ? '' : `: ${reason}`}\n`);
      // After a gap the log alone no longer leads to the state.
      if (state === 'recording') checkpoints?.saveSoon();
    },
  });
  // A file that is looked at, and goes with its data dir, may be of any age.
  const retention = config.isTemporary ? keepAllLoad : undefined;
  const { recorder, nodeChanges } = recording;
  const { loads, setAside: loadSetAside } = await openLoad({ ...storage, retention });
  const setAside = [recording.setAside, loadSetAside].filter((done) => done !== null);
  const redactionKey = readRedactionKey(config.dataDir);
  const codec = createCodec({ redactionKey });
  // At the first look at a body nobody else would be served meanwhile: rather now.
  makeUsualTypes();
  // While recording is stopped observations are missed, and counted.
  const stored = (): Promise<void> =>
    recorder.flushed().then(
      () => undefined,
      () => undefined,
    );
  const keepPace = recorder.keepPace.bind(recorder);
  const envoys = new AdminReader({ redactionKey });
  const pollers = createCsdsThread({ redactionKey, clock, keepPace });
  const istiods = createIstiodThread({ redactionKey, clock, keepPace });
  const probes = createProbeThread({ redactionKey, clock, keepPace });
  const taps = new TapThreads({ redactionKey, clock, keepPace });
  const graphs = new GraphBuilder({ recorder, clock });
  const differ = new Differ({ recorder });
  const judge = new Judge({ redactionKey, readBodies: (hashes) => recorder.readBodies(hashes) });
  const descriptorSets = new DescriptorSets({
    codec,
    saved: new SavedDescriptorSets(config.dataDir),
    onChange: (types) => {
      probes.setUserTypes(types);
      taps.setUserTypes(types);
      pollers.setUserTypes(types);
      istiods.setUserTypes(types);
      envoys.renew();
      graphs.renew();
      judge.renew();
      differ.renew();
    },
  });
  // Before the first source is asked.
  await descriptorSets.open(config.descriptorSets);
  const { load, recent, reader: nodes, ...restored } = recording.restored;
  const savedImports = new SavedImports(config.dataDir);
  dropRemovedFiles(restored.world, savedImports.read());
  const stream = createStreamHub({ clock });
  const publish = (change: StreamChange): void => stream.publish(cutLongTexts(change));

  const freshnessOf: FreshnessOf = (report, clientId) =>
    reportFreshness(report, clientId, registry.statusOf(report.sourceId));
  const append = recorder.append.bind(recorder);
  const nacks = new NackKeeper({ clock, recorder, publish, world: restored.world });
  const onFolded = (observation: Recorded): void => {
    nacks.observe(observation);
    nodes.observe(observation);
    lifetimes.observe(observation);
  };
  const isHeard = stream.isHeard.bind(stream);
  const removedSources = new RemovedSourcesFile(config.dataDir);
  const { formerProbes } = removedSources;
  const live = new LiveState(
    { clock, publish, isHeard, freshnessOf, append, onFolded },
    { ...restored, formerProbes },
  );
  const fleet = new FleetKeeper(live);
  const sizeHistory = new SizeHistory({
    ...{ clock, fleet, file: path.join(config.dataDir, 'size-history.ndjson.gz') },
  });
  await sizeHistory.restore();
  sizeHistory.start();
  const stopFollowing = fleet.follow(clock);
  live.restoreEvents(recent);
  const convergence = new ConvergenceReader({ recorder, world: restored.world, freshnessOf });
  const loadCounters = new LoadCounters();
  const logBudget = new LoadLogBudget();
  const isSource = (sourceId: string): boolean => registry.has(sourceId);
  const lifetimes = new ClientLifetimes({
    ...{ clock, live, isSource, limits: config.clientLimits },
    onDropped: () => checkpoints?.saveSoon(),
    onRoom: (sourceId) => {
      if (!isPolled(registry.find(sourceId)?.kind)) return;
      forgetSource(sourceId);
      void registry.restart(sourceId);
    },
  });
  const forgetSource = (sourceId: string): void => {
    live.forgetSource(sourceId);
    lifetimes.sourceRenewed(sourceId);
  };
  live.onForgotten((client) => {
    nodes.forget(client.clientId, client.reports.keys());
    nacks.forget(client);
    load.removeClient(client.clientId);
  });
  const observe: Observe = (sighting) => {
    if (!lifetimes.admit(sighting.observation)) return;
    // Bodies are redacted by who read them; whatever else a peer wrote passes here.
    const seen = redactObservation(sighting.observation, codec.redactNode);
    // What has no room in the table has none in the log, the series and the metrics either.
    const observation = seen.kind === 'load-reported' ? load.fold(seen) : seen;
    if (observation === undefined) return;
    const logged = logBudget.admit(observation);
    if (logged !== undefined) live.observe({ ...sighting, observation: logged });
    if (sighting.isLoadApart !== true) loads.observe(observation);
    loadCounters.observe(observation);
  };
  const receivers = new LrsThread({ redactionKey, clock, keepPace, observe });
  const teller = new SourceTeller({
    ...{ clock, publish, observe, live, lifetimes },
    findSource: (id) => registry.find(id),
    statusOf: (id) => registry.statusOf(id),
  });
  const registry = new SourceRegistry({
    onChange: (source, before, now) => teller.changed(source, before, now),
    onRemoved: (source, last) => {
      // A target that a list no longer has may have it again in a moment.
      if (source.listId === null) removedSources.add(source.id, live.formerProbes);
      teller.removed(source, last);
      load.removeSource(source.id);
      loadCounters.removeSource(source.id);
    },
    findClientLimit: (sourceId, notAdmitted) => lifetimes.noticeOf(sourceId, notAdmitted),
  });
  // Before a source tells of anything; what is told while this lasts asks the registry how fresh it is.
  await endLostStreams({ dataDir: config.dataDir, recorder, observe, newestSeq: restored.newestSeq });
  const starterOf: StarterOf = createSourceStarter({
    observe,
    clock,
    codec,
    pollers,
    probes,
    taps,
    envoys,
    istiods,
    envoyAdminIntervalMs: config.envoyAdminIntervalMs,
    istiodIntervalMs: config.istiodIntervalMs,
    csdsIntervalMs: config.csdsIntervalMs,
    version,
    maxClients: config.clientLimits.perSource,
    forget: forgetSource,
    membersOf: (listId, setup) => listMembers({ listId, setup }, { registry, starterOf }),
  });
  const addReady = (
    source: NamedSource & { readonly id: string },
    setup: SourceSetup,
    paused = pausedIds.includes(source.id),
  ): void => {
    if (registry.has(source.id)) return;
    const description = describeSource(source, setup, source.id);
    registry.add(description, starterOf(description, setup), paused);
  };
  const add: LabSourcesOptions['add'] = (source) => {
    const { kind, target } = source;
    const { id, setup } = setUpSource({ kind, target });
    addReady({ ...source, id }, setup);
  };
  const addRunning: LabSourcesOptions['addRunning'] = (source, start) => {
    const description = describeSource(source, null);
    if (!registry.has(description.id)) registry.add(description, start, pausedIds.includes(description.id));
  };

  for (const { setup, ...target } of config.csds) addReady({ kind: 'csds', ...target }, setup);
  for (const { setup, ...list } of config.csdsLists) addReady({ kind: 'csds-list', ...list }, setup);
  for (const { setup, ...target } of config.envoyAdmin) addReady({ kind: 'envoy-admin', ...target }, setup);
  for (const { setup, ...target } of config.istiod) addReady({ kind: 'istiod', ...target }, setup);
  for (const { setup, ...target } of config.ads) addReady({ kind: 'ads', ...target }, setup);
  for (const { setup, ...target } of config.taps) addReady({ kind: 'tap', ...target }, setup);
  for (const saved of savedSources) {
    const { setup, problem, ...source } = savedFile.setUp(saved);
    const named = { ...source, label: saved.label, origin: 'browser' } as const;
    if (problem === null) addReady(named, setup, saved.paused);
    else if (!registry.has(source.id)) {
      registry.add(describeSource(named, setup, source.id), startNothing(problem), saved.paused);
    }
  }
  if (config.lrsListen !== null) {
    const { host, port, text } = config.lrsListen;
    const sourceId = sourceIdOf('lrs', text);
    const setup = { listen: { host, port }, request: config.lrsRequest };
    const receiver = await receivers
      .open(sourceId, setup, (status) => registry.tell(sourceId, status))
      .catch((cause: unknown) => {
        const reason = cause instanceof Error ? cause.message : String(cause);
        throw new ConfigError(`--lrs-listen: expected to listen on ${text}, got: ${reason}`);
      });
    addRunning(
      { kind: 'lrs', target: text, label: `load reports on ${text}`, origin: 'flag' },
      () => receiver,
    );
  }
  const lab = config.lab
    ? await startLabWithSources({
        ...{ observe, clock, codec, registry, publish, add, addRunning, weather: config.weather },
        addProbes: ({ target, label: name }) => {
          for (const [index, settings] of splitCrossCheck({ crossCheck: true }, '').entries()) {
            const { id, setup } = setUpSource({ kind: 'ads', target, settings });
            const label = index === 0 ? name : crossCheckLabel(name, settings);
            addReady({ kind: 'ads', target, label, origin: 'lab', id }, setup);
          }
        },
        addTap: (tap) => {
          const { setup, ...source } = readTapSource(tap, 'lab', 'config', process.cwd());
          addReady(
            { kind: 'tap', ...source, id: sourceIdOf('tap', 'lab'), label: 'tap of the lab', origin: 'lab' },
            setup,
          );
        },
      })
    : undefined;

  const imports = new Imports({
    dataDir: config.dataDir,
    clock,
    saved: savedImports,
    registry,
    observe,
    redactionKey,
    stored,
    keepPace: async () => {
      await keepPace();
      await graphs.whenAnswered(longestLookMs);
    },
    addLoad: (values, findSeries) => loads.add(values, findSeries),
    onLargeFile: () => graphs.prepare(),
    keep: async ({ from, to, clientId, label }) =>
      (await recorder.pin({ from, to, clientId, label, createdAt: clock.now() }))?.id,
    release: async ({ id, label }) => {
      const pins = await recorder.pins();
      if (pins.some((pin) => pin.id === id && pin.label === label)) await recorder.unpin(id);
    },
    forget: (clientId) => live.forgetClient(clientId),
    tell: (importId, view) =>
      publish(view === undefined ? { type: 'import-removed', importId } : { type: 'import', import: view }),
  });
  await openFiles(imports, config.files, (line) => process.stderr.write(`xdscope: ${line}\n`));
  const replays = new Replays({
    clock,
    recorder,
    onChange: (replay) => publish({ type: 'replay', replay }),
    onRemoved: (replayId) => publish({ type: 'replay-removed', replayId }),
  });

  const variants = new VariantCheck({
    ...{ clock, live, freshnessOf, differ },
    listProbes: () => registry.listProbes(),
    tell: (finding, state) => announceDivergence(live, clock, finding, state),
  });
  variants.start();
  const stopForgetting = forgetVanished({
    ...{ clock, live, isSource, maxAgeMs: config.retention.maxAgeMs },
    oldestAt: () => recorder.stats().oldestAt,
  });

  checkpoints = keepCheckpoints({
    ...{ live, recorder },
    saveBeside: async () => {
      removedSources.save(live.formerProbes);
      await nodeChanges.save(nodes);
    },
  });
  // A run that was killed may have left clients of sources that were removed in it.
  removedSources.drop(removedSources.removed.filter(isSource), live.formerProbes);
  for (const sourceId of removedSources.removed) void lifetimes.sourceRemoved(sourceId, false);
  const sources = new SourcesApi({
    ...{ registry, saved: savedFile, starterOf, credentials: config.credentials },
  });
  const parts = {
    clock,
    version,
    startedAt,
    codec,
    recorder,
    live,
    graphs,
    convergence,
    differ,
    judge,
    nacks,
    registry,
    sources,
    imports: new ImportsApi(imports),
    replays,
    load,
    loads,
    loadCounters,
    freshnessOf,
    lab,
    descriptorSets,
    variants,
    fleet,
    nodes,
    sizeHistory,
    setAside,
    rejections,
  };
  const api = limitTexts(createApi(parts));
  // The list of clients comes first: it is what a user waits for after a restart.
  void fleet.find().finally(() => {
    collectOften();
    void nacks.restore(restored.newestSeq);
  });
  // Of who was there before, somebody will ask for a graph or for the past: the thread that answers starts meanwhile.
  if (restored.world.size > 0) graphs.prepare();
  if (config.replay !== null) await replayFile(config.replay, { api, imports, live });
  return {
    api,
    stream,
    close: async () => {
      imports.close();
      nacks.close();
      variants.close();
      stopForgetting();
      lifetimes.close();
      stopFollowing();
      await sizeHistory.close();
      await closeRuntime({
        registry,
        lab,
        workers: [
          replays,
          receivers,
          probes,
          taps,
          pollers,
          istiods,
          envoys,
          graphs,
          convergence,
          judge,
          differ,
          codec,
        ],
        live,
        stream,
        checkpoints,
        recorder: {
          // The load's file is under the recorder's lock.
          close: () => loads.close().finally(() => recorder.close()),
        },
      });
    },
  };
}
