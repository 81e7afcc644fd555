import path from 'node:path';
import { ImportsApi } from '../answers/files/imports-api';
import { SourcesApi } from '../answers/sources/sources-api';
import { TestClients } from '../collect/interop/test-clients';
import type { Config } from '../config/config';
import { ConfigError } from '../config-error';
import type { Imports } from '../files/import/imports';
import { openEnvoyValidator } from '../lab/envoy-binary/envoy-validator';
import { type EnvoyFound, findEnvoy } from '../lab/envoy-binary/find-envoy';
import { LabSwitch } from '../lab/lab-switch';
import { Replays } from '../lab/replay/replays';
import { CheckRuns } from '../lab/server-checks/check-runs';
import { SavedRuns } from '../lab/server-checks/saved-runs';
import { findTwinClients } from '../lab/twin/find-twin-clients';
import { TwinRunner } from '../lab/twin/twin-runner';
import { IssueAlerts } from '../live/alerts/issue-alerts';
import { WebhookSender } from '../live/alerts/webhook-sender';
import { parseWebhookUrl } from '../live/alerts/webhook-url';
import type { LiveState } from '../live/live-state';
import { log } from '../logger';
import { systemClock } from '../observe';
import { declarationOf } from '../sources/describe-source';
import { serversNamedBy } from '../sources/named-servers';
import { findServedKind } from '../sources/served-kind/find-served-kind';
import { ServedKinds } from '../sources/served-kind/served-kinds';
import { SourcePublisher } from '../sources/source-publisher';
import { SourceRegistry } from '../sources/source-registry';
import type { RecordingState } from '../store/recorder/writer/log-writer';
import { setAllowedTargets } from '../transport/targets/dial-policy';
import { UnhandledRejections } from '../unhandled-rejections';
import { addSources } from './add-sources';
import type { Api, Runtime } from './api';
import { closeRuntime } from './close-runtime';
import { createApi } from './create-api';
import type { State } from './create-state';
import { createState } from './create-state';
import { endLostStreams } from './end-lost-streams';
import { openInteropRuns } from './open-interop-runs';
import type { Storage } from './open-storage';
import { openStorage } from './open-storage';
import { startImports } from './start-imports';
import { startLabWithSources } from './start-lab';
import { openCollector, startCollector } from './start-shared-store';
import type { Upkeep } from './start-upkeep';
import { startUpkeep } from './start-upkeep';
import { startWeb } from './start-web';
import type { Workers } from './start-workers';
import { startWorkers } from './start-workers';

/** Composes one process of xdscope. Sources run when it returns. */
export async function startRuntime(
  config: Config,
  version: string,
  rejections = new UnhandledRejections(),
): Promise<Runtime> {
  const startedAt = systemClock.now();
  let upkeep: Upkeep | undefined;
  const saveCheckpoint = (): void => upkeep?.checkpoints.saveSoon();
  // The targets must be set before the first thread starts.
  setAllowedTargets(config.allowTargets);
  const storage = await openStorage(config, systemClock, (change) => {
    logRecorderState(change);
    // After a gap the log alone no longer leads to the state.
    if (change.state === 'recording') saveCheckpoint();
  });
  const { recorder } = storage;
  const envoyValidator = await openEnvoyValidator(config.checkEnvoy);
  const workers = await startWorkers(config, storage);
  const registry = createRegistry(storage, workers, () => state);
  const state = await createState({ config, storage, workers, registry, saveCheckpoint });
  const { live, logFollower, observe, newestSeq } = state;
  // This precedes the first observation of a source.
  if (!isWeb(config)) await endLostStreams({ kept: storage.kept.streamEnds, recorder, observe, newestSeq });
  const testClients = new TestClients();
  const collector = config.store?.role === 'collector' ? await openCollector(storage, live) : undefined;
  const leases = collector?.leases;
  const sources = await addSources({
    ...{ config, version, storage, workers, registry, state, testClients, leases },
  });
  const parts = { config, storage, workers, registry, state, sources };
  const labs = new LabSwitch(() => startLabWithSources(parts));
  if (config.lab) await labs.start();
  const runs = await openInteropRuns(parts);
  const imports = await startImports(parts);
  const replays = new Replays({
    ...{ clock: systemClock, recorder },
    onChange: () => state.publish('sources/replays'),
  });
  const checkRuns = new CheckRuns({
    clock: systemClock,
    saved: await SavedRuns.open(storage.state, 'server-checks/'),
    permalinks: await SavedRuns.open(storage.state, 'server-check-permalinks/'),
  });
  const twins = new TwinRunner({
    ...{ clock: systemClock, findEnvoy: () => findTwinEnvoy(config) },
    clients: await findTwinClients(config.twinClients),
  });
  upkeep = startUpkeep(parts);
  const { store } = config;
  const sharing = { config, storage, registry, state };
  const sharedStore =
    store === null
      ? undefined
      : collector === undefined
        ? await startWeb({ ...sharing, store })
        : startCollector({ ...sharing, store, collector });
  const { checkpoints, stop, variants } = upkeep;
  const { starterOf, receivers } = sources;
  const webhook = openWebhook(config.alertWebhook);
  const api = createApi({
    ...{ ...storage, ...workers, ...state },
    ...{
      version,
      startedAt,
      registry,
      replays,
      twins,
      labs,
      variants,
      rejections,
      alerts: webhook,
      sharedStore,
      envoyValidator,
      testClients,
      checkRuns,
      credentials: config.credentials,
      runs,
    },
    sources: new SourcesApi({
      registry,
      saved: storage.savedSources,
      starterOf,
      credentials: config.credentials,
    }),
    imports: new ImportsApi(imports),
  });
  const alerts = webhook && startAlerts(config, storage, api, webhook);
  void prepareAnswers(state, workers);
  if (config.replay !== null) await replayFile(config.replay, { api, imports, live });
  return {
    api,
    async close() {
      imports.close();
      await runs.close();
      alerts?.close();
      webhook?.close();
      logFollower.close();
      stop();
      await state.sizeHistory.close();
      await sharedStore?.close();
      await closeRuntime({
        ...{ registry, lab: labs, stream: state.stream, checkpoints },
        workers: [
          checkRuns,
          replays,
          twins,
          receivers,
          state.convergence,
          state.search,
          ...threadsOf(workers),
        ],
        storage,
      });
    },
  };
}

/** A web process observes nothing itself. */
function isWeb({ store }: Config): boolean {
  return store?.role === 'web';
}

/** The Envoy that was chosen at start: a request never names a program. */
function findTwinEnvoy({ envoy, checkEnvoy }: Config): Promise<EnvoyFound> {
  if (envoy === 'off')
    return Promise.resolve({ kind: 'absent', reason: 'xdscope was started with --envoy off' });
  return findEnvoy(envoy || checkEnvoy);
}

function openWebhook(url: string | null): WebhookSender | undefined {
  const parsed = url === null ? undefined : parseWebhookUrl(url);
  return parsed?.ok === true ? new WebhookSender({ clock: systemClock, url: parsed.url }) : undefined;
}

/** Limits the alerts that fire at a time. */
const mostAlerts = 500;

function startAlerts(
  { host, port }: Config,
  { kept, holding }: Storage,
  api: Api,
  webhook: WebhookSender,
): IssueAlerts {
  const alerts = new IssueAlerts({
    ...{
      clock: systemClock,
      kept: kept.alerts,
      externalUrl: `http://${host.includes(':') ? `[${host}]` : host}:${port}`,
    },
    async listOpen() {
      // One of several web processes sends alerts.
      if (!holding.isWhole || !holding.isFolder) return { items: [], restoring: true };
      return api.ask('issues', { state: 'open', limit: mostAlerts }, { params: {} });
    },
    find: (issueId) => api.ask('issues/{issueId}', {}, { params: { issueId } }),
    send: (message) => webhook.send(message),
  });
  alerts.start();
  return alerts;
}

function logRecorderState({ state, reason }: RecordingState): void {
  const message = `recorder ${state}${reason === '' ? '' : `: ${reason}`}`;
  log(state === 'recording' ? 'info' : 'error', 'recorder', message);
}

async function prepareAnswers(
  { followFleet, held, newestSeq, live }: State,
  { graphs }: Workers,
): Promise<void> {
  if (held.isWhole) await followFleet(newestSeq);
  // After a restart the first request for a graph or for the past must not wait for the thread to start.
  if (live.world.size > 0) graphs.prepare();
}

function threadsOf(workers: Workers) {
  const { collector, taps, graphs, validate, differ, codec } = workers;
  return [collector, taps, graphs, validate, differ, codec];
}

/** `findState` is called for events of sources, none of which exists before the state. */
function createRegistry(
  { clock, removedSources }: Storage,
  { collector }: Workers,
  findState: () => State,
): SourceRegistry {
  const reportFacts = (): void =>
    collector.setFacts({
      probedNodes: registry.listProbes().map(({ settings }) => settings.nodeId),
      servers: registry.listServers(),
    });
  const registry = new SourceRegistry({
    onStart: (source) => {
      findState().declare(source.id, declarationOf(source));
      if (source.settings !== undefined || serversNamedBy(source).length > 0) reportFacts();
    },
    onChange(source, before, now) {
      findPublisher().changed(source, before, now);
      if (before.tap?.address !== now.tap?.address) reportFacts();
      servedKinds.changed(source, now);
    },
    onRemoved: (source, last) => {
      const { live, load, loadCounters } = findState();
      // A list may find a target again soon after it lost it.
      if (source.listId === undefined) void removedSources.add(source.id, live.removedProbes);
      if (source.settings !== undefined || serversNamedBy(source).length > 0) reportFacts();
      servedKinds.removed(source.id);
      findPublisher().removed(source, last);
      load.removeSource(source.id);
      loadCounters.removeSource(source.id);
    },
    findClientLimit: (sourceId, notAdmitted) => findState().lifetimes.noticeOf(sourceId, notAdmitted),
  });
  const servedKinds = new ServedKinds({
    find: findServedKind,
    parts: { clock, random: Math.random },
    onFound: (id, kind) => registry.setServedKind(id, kind),
  });
  let publisher: SourcePublisher | undefined;
  const findPublisher = (): SourcePublisher => {
    const { publish, observe, live, lifetimes } = findState();
    publisher ??= new SourcePublisher({
      ...{ clock, publish, observe, live, lifetimes },
      statusOf: (id) => registry.statusOf(id),
    });
    return publisher;
  };
  return registry;
}

/**
 * `--replay` opens the file, unless an earlier run opened it, and serves the streams of the first client in it that has
 * any, or the resources of the first client, at the end or at a time; or those of a client that is named. It serves at
 * recorded speed, from the first request on. Throws ConfigError.
 */
async function replayFile(
  { file, host, port, nodeId, at }: NonNullable<Config['replay']>,
  { api, imports, live }: { readonly api: Api; readonly imports: Imports; readonly live: LiveState },
): Promise<void> {
  const known = `file:${path.basename(file)}`;
  try {
    const sourceId = imports.has(known) ? known : (await imports.addFile(file)).id;
    const clients = [...live.world.values()].filter(({ reports }) =>
      [...reports.values()].some((report) => live.sources.findFile(report.sourceId) === sourceId),
    );
    if (clients.length === 0) throw new Error('expected a client in it, got none');
    const wanted = clients.filter(({ node }) => nodeId === null || node.id === nodeId);
    if (wanted.length === 0) {
      const known = [...new Set(clients.map(({ node }) => node.id))].slice(0, 10).join(', ');
      throw new Error(`expected a client of node id ${JSON.stringify(nodeId)} in it, got ${known}`);
    }
    const modes = at === null ? (['stream', 'snapshot'] as const) : (['snapshot'] as const);
    const moment = at === null ? {} : { at };
    for (const mode of modes) {
      for (const { clientId } of wanted) {
        const started = await api
          .startReplay({ mode, clientId, port, ...moment }, host)
          .catch((error: unknown) => {
            if (isNothingToReplay(error)) return undefined;
            throw error;
          });
        if (started === undefined) continue;
        await api.runCommand('PATCH replays/{id}', {
          params: { id: started.id },
          body: { playing: true },
        });
        process.stdout.write(`xdscope: replay of ${started.label} on ${started.address}\n`);
        return;
      }
    }
    throw new Error('expected responses or resources in it, got none');
  } catch (cause) {
    throw new ConfigError(`--replay: ${file}: ${cause instanceof Error ? cause.message : String(cause)}`);
  }
}

function isNothingToReplay(error: unknown): boolean {
  return error instanceof Error && 'title' in error && error.title === 'Nothing to replay';
}
