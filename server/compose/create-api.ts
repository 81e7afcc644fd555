import type { FreshnessOf } from '@/lib/views/client/choose-report';
import type { FiguresOf } from '@/lib/views/client/find-connections';
import { allClientQuestions } from '@/lib/views/client-questions';
import type { ClientObservation } from '@/lib/views/history/build-history-event';
import type { LoadTable } from '@/lib/views/load/load-table';
import type { WebhookSender } from '../alerts/webhook-sender';
import { createAsk } from '../answers/ask';
import { createAskClient } from '../answers/ask-client';
import { buildHealth } from '../answers/build-health';
import { CheckApi } from '../answers/check/check-api';
import { createClientAnswers } from '../answers/client-answers';
import { ClientHistoryAnswers } from '../answers/client-history-answers';
import { createCommandAnswers } from '../answers/command-answers';
import { addMeasured } from '../answers/failover/measured-periods';
import type { ImportsApi } from '../answers/files/imports-api';
import { saved } from '../answers/files/not-saved';
import { PinsApi } from '../answers/files/pins-api';
import { ReplaysApi } from '../answers/files/replays-api';
import { createFleetAnswers } from '../answers/fleet-answers';
import type { GraphBuilder } from '../answers/graph/graph-builder';
import { findChanges } from '../answers/history/changes-api';
import { createHistoryAnswers } from '../answers/history-answers';
import { createIssueAnswers } from '../answers/issue-answers';
import { CertificateChecks } from '../answers/issues/certificate-checks';
import { ConfigChecks } from '../answers/issues/config-checks';
import { ImpactAssessor } from '../answers/issues/impact-assessor';
import { IssuesApi } from '../answers/issues/issues-api';
import { OwnIssues } from '../answers/issues/own-issues';
import { LabApi } from '../answers/lab/lab-api';
import { createLoadAnswers } from '../answers/load-answers';
import { parseQuery } from '../answers/parse-input';
import { PermalinksApi } from '../answers/permalinks/permalinks-api';
import { createProcessAnswers } from '../answers/process-answers';
import { CertificateReader } from '../answers/resources/certificate-reader';
import { createRunCommand } from '../answers/run-command';
import { createSearchAnswers } from '../answers/search-answers';
import { FailoverApi } from '../answers/simulate-failover';
import { DescriptorSetsApi } from '../answers/sources/descriptor-sets-api';
import type { SourcesApi } from '../answers/sources/sources-api';
import { truncateLongTexts } from '../answers/truncate-long-texts';
import type { Codec } from '../codec/codec';
import type { ConvergenceReader } from '../convergence/convergence-reader';
import type { DescriptorSets } from '../descriptor-sets/descriptor-sets';
import type { Differ } from '../diff/differ';
import type { EnvoyValidator } from '../envoy-binary/envoy-validator';
import type { FleetIndex } from '../fleet/fleet-index';
import type { NodeWatcher } from '../fleet/node-watcher';
import { createAnswerRequest } from '../http/answer-request';
import type { IssueStore } from '../issues/issue-store';
import { LoadErrors } from '../issues/load-errors';
import { MeasuredShare } from '../issues/measured-share';
import type { Mutes } from '../issues/mutes';
import { RequestErrors } from '../issues/request-errors';
import type { LabSwitch } from '../lab/lab-switch';
import type { LiveState } from '../live/live-state';
import type { LoadCounters } from '../metrics/load-counters';
import { MetricsApi } from '../metrics/metrics-api';
import type { NackStore } from '../nacks/nack-store';
import type { Clock } from '../observe';
import { ClientAtCache } from '../past/client-at-cache';
import { parseMoment } from '../past/parse-moment';
import { PropagationComparisons } from '../propagation/propagation-comparisons';
import type { VariantCheck } from '../propagation/variant-check';
import { VariantsApi } from '../propagation/variants-api';
import type { LoadRecorder } from '../recorder/load/load-recorder';
import type { Recorder } from '../recorder/recorder';
import type { Replays } from '../replay/replays';
import type { FleetSearch } from '../search/fleet-search';
import type { SizeHistory } from '../sizes/size-history';
import type { SourceRegistry } from '../sources/source-registry';
import type { StreamHub } from '../streaming/stream-hub';
import { ClientRows } from '../subjects/client-rows';
import { type ClientRef, ClientSubjects } from '../subjects/client-subjects';
import { type KnownSettings, noSettings, settingsOfProbe } from '../subjects/known-settings';
import type { UnhandledRejections } from '../unhandled-rejections';
import type { Validator } from '../validate/document-validator';
import type { Api } from './api';

interface ApiParts {
  readonly clock: Clock;
  readonly version: string;
  readonly startedAt: number;
  readonly codec: Codec;
  readonly recorder: Recorder;
  readonly live: LiveState;
  readonly graphs: GraphBuilder;
  readonly convergence: ConvergenceReader;
  readonly differ: Differ;
  readonly validate: Validator;
  readonly nacks: NackStore;
  readonly issues: IssueStore;
  readonly mutes: Mutes;
  readonly registry: SourceRegistry;
  readonly sources: SourcesApi;
  readonly imports: ImportsApi;
  readonly replays: Replays;
  readonly load: LoadTable;
  readonly loads: LoadRecorder;
  readonly loadCounters: LoadCounters;
  readonly freshnessOf: FreshnessOf;
  readonly labs: LabSwitch;
  readonly descriptorSets: DescriptorSets;
  readonly variants: VariantCheck;
  readonly fleet: FleetIndex;
  readonly search: FleetSearch;
  readonly nodes: NodeWatcher;
  readonly sizeHistory: SizeHistory;
  /** Sentences on databases that were damaged at the start, and their new paths. */
  readonly setAside: readonly string[];
  readonly changedFiles: readonly string[];
  readonly rejections: Pick<UnhandledRejections, 'facts'>;
  readonly stream: Pick<StreamHub, 'subscribe'>;
  readonly alerts: WebhookSender | undefined;
  readonly envoyValidator: EnvoyValidator | undefined;
}

/** Limits the labels of the metrics. */
const issuesInMetrics = 200;

export function createApi(all: ApiParts): Api {
  const parts = { ...all, ...createSubjects(all), certificates: new CertificateReader(all) };
  const { live, recorder, subjects, permalinks, askClient } = parts;
  const lab = new LabApi(all.labs);
  const descriptorSets = new DescriptorSetsApi(all.descriptorSets);
  const failover = new FailoverApi(parts);
  const check = new CheckApi(parts);
  const pins = new PinsApi(all);
  const replays = new ReplaysApi({ ...all, findPermalink: (id) => permalinks.findSubject(id) });
  const issuesApi = new IssuesApi({
    ...parts,
    assessor: new ImpactAssessor(parts),
    measured: new MeasuredShare(all.loads),
    checks: new ConfigChecks(parts),
    certificates: new CertificateChecks(parts),
    own: new OwnIssues({
      ...parts,
      variants: new VariantsApi(parts),
      loadErrors: new LoadErrors(all.loads),
      requestErrors: new RequestErrors({
        live: all.live,
        requestsOf: (sourceId) => all.registry.statusOf(sourceId)?.requests,
      }),
    }),
  });
  const runCommand = createRunCommand(
    createCommandAnswers({ ...parts, descriptorSets, replays, pins, failover, check, lab, issuesApi }),
  );
  const ask = createAsk({
    ...createHistoryAnswers(parts),
    ...createIssueAnswers(issuesApi),
    ...createFleetAnswers(parts),
    ...createProcessAnswers({ ...parts, descriptorSets, pins, replays, labApi: lab }),
    ...createLoadAnswers({ ...parts, failover }),
    ...createSearchAnswers(parts),
  });
  const findRowsTag = (id: string) =>
    live.world.has(id) ? `W/"${all.startedAt.toString(36)}-${live.revisionOf(id)}"` : undefined;
  const metrics = new MetricsApi({
    ...parts,
    listIssues: () => issuesApi.list({ state: 'current', limit: issuesInMetrics }),
    counters: all.loadCounters,
    health: () => buildHealth(all),
  });
  return {
    addImport: (...file) =>
      saved(recorder, async () => {
        // This is checked before the file is received, because a file that cannot be recorded would be read in vain.
        await recorder.flushed();
        const source = await all.imports.add(...file);
        await recorder.flushed();
        return truncateLongTexts(source);
      }),
    startReplay: async (input, host) => truncateLongTexts(await replays.start(input, host)),
    findClient: (id) => {
      const client = subjects.findNow(id);
      return client && truncateLongTexts(client);
    },
    findLastMoment: (id) => subjects.findLastMoment(id),
    prepareDiff: () => all.differ.prepare(),
    ...{ askClient, ask, runCommand },
    answerRequest: createAnswerRequest({ ask, askClient, runCommand, findRowsTag }),
    getMetrics: () => metrics.text(),
  };
}

function createSubjects(parts: ApiParts) {
  const { live, imports, registry } = parts;
  const findSource = live.sources.find.bind(live.sources);
  const listProbes = () => registry.listProbes();
  const rows = new ClientRows(parts);
  const past = new ClientAtCache({
    ...{ ...parts, findSource },
    findToday: (id) => live.world.get(id),
    gapsOfFile: (id) => imports.fileOf(id)?.gaps ?? [],
  });
  const findSettings = (clientId: string): KnownSettings => {
    for (const { sourceId } of live.world.get(clientId)?.reports.values() ?? []) {
      const settings = registry.probeSettingsOf(sourceId);
      if (settings !== undefined) return settingsOfProbe(settings);
    }
    return noSettings;
  };
  const propagation = new PropagationComparisons({ ...parts, past, listProbes });
  const figuresOf: FiguresOf = (sourceId) => {
    const { figures, lastSuccessAt } = registry.statusOf(sourceId) ?? {};
    return figures && lastSuccessAt ? { at: lastSuccessAt, figures } : undefined;
  };
  const subjects = new ClientSubjects({ ...parts, rows, past, findSettings, figuresOf });
  const history = new ClientHistoryAnswers({ ...parts, subjects, findSettings });
  const findFailovers = async (...requested: Parameters<typeof history.failovers>) => {
    const found = await history.failovers(...requested);
    return found && addMeasured(found, parts.loads, requested[2]);
  };
  const permalinks = new PermalinksApi({
    ...{ ...parts, subjects, propagation },
    findFailovers: (clientId, query) =>
      findFailovers(clientId, parseQuery(allClientQuestions.failovers.query, query)),
  });
  const findSubject = (ref: ClientRef, signal?: AbortSignal) =>
    'permalinkId' in ref
      ? permalinks.findSubject(ref.permalinkId)
      : subjects.find(ref.clientId, ref.at, { signal });
  const askClient = createAskClient({
    findSubject,
    answers: createClientAnswers({ ...parts, propagation }),
    recorded: {
      failovers: findFailovers,
      tears: (id, query, signal) => history.tears(id, query, signal),
      changes: (id, query, signal) => findChanges(subjects, id, query, signal),
    },
    stored: { failovers: (id) => permalinks.failovers(id) },
  });
  return {
    history,
    ...{ askClient, findSettings, findSource, findSubject, listProbes, past, permalinks, subjects },
    listResources: async (id: string) => (await rows.find(id))?.rows,
    nodeIdOf: (clientId: string) => live.world.get(clientId)?.node.id,
    isOfRemovedFile: ({ vantage, clientId }: ClientObservation) =>
      vantage === 'dump' && imports.fileOf(clientId) === undefined && !live.world.has(clientId),
    timeOf: (moment: string) => past.findTime(parseMoment(moment, 'at'), 'at'),
  };
}
