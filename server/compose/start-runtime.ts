import { IssueAlerts } from '../alerts/issue-alerts';
import { WebhookSender } from '../alerts/webhook-sender';
import { parseWebhookUrl } from '../alerts/webhook-url';
import { ImportsApi } from '../answers/files/imports-api';
import { SourcesApi } from '../answers/sources/sources-api';
import type { Config } from '../config/config';
import { setAllowedTargets } from '../dial/dial-policy';
import { LabSwitch } from '../lab/lab-switch';
import { log } from '../logger';
import { systemClock } from '../observe';
import type { RecordingState } from '../recorder/writer/log-writer';
import { Replays } from '../replay/replays';
import { UnhandledRejections } from '../unhandled-rejections';
import { addSources } from './add-sources';
import type { Api, Runtime } from './api';
import { closeRuntime } from './close-runtime';
import { createApi } from './create-api';
import { createRegistry } from './create-registry';
import { createState, type State } from './create-state';
import { endLostStreams } from './end-lost-streams';
import { openStorage } from './open-storage';
import { replayFile } from './replay-file';
import { startImports } from './start-imports';
import { startLabWithSources } from './start-lab';
import { startUpkeep, type Upkeep } from './start-upkeep';
import { startWorkers, type Workers } from './start-workers';

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
  const { recorder, loads } = storage;
  const workers = await startWorkers(config, storage);
  const registry = createRegistry(storage, workers, () => state);
  const state = await createState({ config, storage, workers, registry, saveCheckpoint });
  const { live, nacks, issues, logFollower, observe, newestSeq } = state;
  // This precedes the first observation of a source.
  await endLostStreams({ dataDir: config.dataDir, recorder, observe, newestSeq });
  const sources = await addSources({ config, version, storage, workers, registry, state });
  const parts = { config, storage, workers, registry, state, sources };
  const labs = new LabSwitch(() => startLabWithSources(parts));
  if (config.lab) await labs.start();
  const imports = await startImports(parts);
  const replays = new Replays({
    ...{ clock: systemClock, recorder },
    onChange: (replay) => state.publish({ type: 'replay', replay }),
    onRemoved: (replayId) => state.publish({ type: 'replay-removed', replayId }),
  });
  upkeep = startUpkeep(parts);
  const { checkpoints, stop, variants } = upkeep;
  const { starterOf, receivers } = sources;
  const webhook = openWebhook(config.alertWebhook);
  const api = createApi({
    ...{ ...storage, ...workers, ...state },
    ...{ version, startedAt, registry, replays, labs, variants, rejections, alerts: webhook },
    sources: new SourcesApi({
      registry,
      saved: storage.savedFile,
      starterOf,
      credentials: config.credentials,
    }),
    imports: new ImportsApi(imports),
  });
  const alerts = webhook && startAlerts(config, api, webhook);
  prepareAnswers(state, workers);
  if (config.replay !== null) await replayFile(config.replay, { api, imports, live });
  return {
    api,
    async close() {
      imports.close();
      alerts?.close();
      webhook?.close();
      logFollower.close();
      nacks.close();
      issues.close();
      stop();
      await state.sizeHistory.close();
      await closeRuntime({
        ...{ registry, lab: labs, live, stream: state.stream, checkpoints },
        workers: [replays, receivers, state.convergence, state.search, ...threadsOf(workers)],
        // The load file is protected by the lock of the recorder.
        recorder: { close: () => loads.close().finally(() => recorder.close()) },
      });
    },
  };
}

function openWebhook(url: string | null): WebhookSender | undefined {
  const parsed = url === null ? undefined : parseWebhookUrl(url);
  return parsed?.ok === true ? new WebhookSender({ clock: systemClock, url: parsed.url }) : undefined;
}

/** Limits the alerts that fire at a time. */
const mostAlerts = 500;

function startAlerts({ host, port, dataDir }: Config, api: Api, webhook: WebhookSender): IssueAlerts {
  const alerts = new IssueAlerts({
    ...{
      clock: systemClock,
      dataDir,
      externalUrl: `http://${host.includes(':') ? `[${host}]` : host}:${port}`,
    },
    listOpen: () => api.ask('issues', { state: 'open', limit: mostAlerts }, { params: {} }),
    send: (message) => webhook.send(message),
  });
  alerts.start();
  return alerts;
}

function logRecorderState({ state, reason }: RecordingState): void {
  const message = `recorder ${state}${reason === '' ? '' : `: ${reason}`}`;
  log(state === 'recording' ? 'info' : 'error', 'recorder', message);
}

function prepareAnswers({ fleet, logFollower, newestSeq, live }: State, { graphs }: Workers): void {
  // The list of clients is first, because a user waits for it after a restart.
  void fleet.find().finally(() => void logFollower.restore(newestSeq));
  // After a restart the first request for a graph or for the past must not wait for the thread to start.
  if (live.world.size > 0) graphs.prepare();
}

function threadsOf(workers: Workers) {
  const { probes, taps, pollers, istiods, channelzPollers, envoys, graphs, validate, differ, codec } =
    workers;
  return [probes, taps, pollers, istiods, channelzPollers, envoys, graphs, validate, differ, codec];
}
