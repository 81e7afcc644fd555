import { formatIsoTime } from '@/lib/format/iso-time';
import { ServerNames } from '@/lib/issues/server-names';
import type { FreshnessOf } from '@/lib/views/client/choose-report';
import type { FiguresOf } from '@/lib/views/client/find-connections';
import { allClientQuestions } from '@/lib/views/client-questions';
import type { ClientObservation } from '@/lib/views/history/build-history-event';
import type { LoadTable } from '@/lib/views/load/load-table';
import { createAsk } from '../answers/ask';
import { createAskClient } from '../answers/ask-client';
import { buildHealth, type HealthParts } from '../answers/build-health';
import { CheckApi } from '../answers/check/check-api';
import { createClientAnswers } from '../answers/client-answers';
import { ClientHistoryAnswers } from '../answers/client-history-answers';
import { createCommandAnswers } from '../answers/command-answers';
import type { DescriptorSets } from '../answers/descriptor-sets/descriptor-sets';
import { FleetExplainer } from '../answers/explain-fleet/fleet-explainer';
import { SharedExplanations } from '../answers/explain-fleet/shared-explanations';
import { addMeasured } from '../answers/failover/measured-periods';
import type { ImportsApi } from '../answers/files/imports-api';
import { saved } from '../answers/files/not-saved';
import { PinsApi } from '../answers/files/pins-api';
import { ReplaysApi } from '../answers/files/replays-api';
import { createFleetAnswers } from '../answers/fleet-answers';
import type { GraphBuilder } from '../answers/graph/graph-builder';
import { findChanges } from '../answers/history/changes-api';
import { createHistoryAnswers } from '../answers/history-answers';
import { InteropRunsApi } from '../answers/interop/interop-runs-api';
import { createIssueAnswers } from '../answers/issue-answers';
import { CertificateChecks } from '../answers/issues/certificate-checks';
import { ClientIssues } from '../answers/issues/client-issues';
import { ConfigChecks } from '../answers/issues/config-checks';
import { ImpactAssessor } from '../answers/issues/impact-assessor';
import { IssuesApi } from '../answers/issues/issues-api';
import { OwnIssues } from '../answers/issues/own-issues';
import { TapOutages } from '../answers/issues/tap-outages';
import { LabApi } from '../answers/lab/lab-api';
import { createLoadAnswers } from '../answers/load-answers';
import type { LoadCounters } from '../answers/metrics/load-counters';
import { MetricsApi } from '../answers/metrics/metrics-api';
import { observesNothing, withoutObserving } from '../answers/observes-nothing';
import { parseQuery } from '../answers/parse-input';
import { PermalinksApi } from '../answers/permalinks/permalinks-api';
import { createProcessAnswers } from '../answers/process-answers';
import { ProveApi } from '../answers/prove/prove-api';
import {
  relayClientQuestions,
  relayCommands,
  relayLoad,
  relayQuestions,
} from '../answers/relayed/relay-answers';
import { answerRelayed } from '../answers/relayed/relayed-question';
import { CertificateReader } from '../answers/resources/certificate-reader';
import { createRunCommand } from '../answers/run-command';
import { createSearchAnswers } from '../answers/search-answers';
import { ServerChecksApi } from '../answers/server-checks/server-checks-api';
import { FailoverApi } from '../answers/simulate-failover';
import { DescriptorSetsApi } from '../answers/sources/descriptor-sets-api';
import type { SourcesApi } from '../answers/sources/sources-api';
import { ClientRows } from '../answers/subjects/client-rows';
import { type ClientRef, ClientSubjects } from '../answers/subjects/client-subjects';
import { type KnownSettings, noSettings, settingsOfProbe } from '../answers/subjects/known-settings';
import { TestClientApi } from '../answers/test-client/test-client-api';
import { truncateLongTexts } from '../answers/truncate-long-texts';
import { ApiError } from '../api-error';
import type { Codec } from '../codec/codec';
import type { TestClients } from '../collect/interop/test-clients';
import type { AllCredentials } from '../collect/source-kind/named-credentials';
import type { Differ } from '../compute/diff/differ';
import type { Validator } from '../compute/validate/document-validator';
import { createAnswerRequest } from '../http/answer-request';
import type { EnvoyValidator } from '../lab/envoy-binary/envoy-validator';
import type { InteropRuns } from '../lab/interop-runs/interop-runs';
import type { LabSwitch } from '../lab/lab-switch';
import type { Replays } from '../lab/replay/replays';
import type { CheckRuns } from '../lab/server-checks/check-runs';
import type { TwinRunner } from '../lab/twin/twin-runner';
import type { WebhookSender } from '../live/alerts/webhook-sender';
import { ControlPlaneWatch } from '../live/control-planes/control-plane-watch';
import type { ConvergenceReader } from '../live/convergence/convergence-reader';
import type { FleetIndex } from '../live/fleet/fleet-index';
import type { NodeWatcher } from '../live/fleet/node-watcher';
import type { HeldClients } from '../live/held-clients';
import { type IssueStore, issueIdOf } from '../live/issues/issue-store';
import { KnownConditions } from '../live/issues/known-conditions';
import { KnownErrors } from '../live/issues/known-errors';
import { LoadErrors } from '../live/issues/load-errors';
import { MeasuredRequestsReader } from '../live/issues/measured-requests';
import { MeasuredShare } from '../live/issues/measured-share';
import type { Mutes } from '../live/issues/mutes';
import { RequestErrors } from '../live/issues/request-errors';
import type { LiveState } from '../live/live-state';
import type { LoadReader } from '../live/load/load-reader';
import type { NackStore } from '../live/nacks/nack-store';
import { PropagationComparisons } from '../live/propagation/propagation-comparisons';
import type { VariantCheck } from '../live/propagation/variant-check';
import { VariantsApi } from '../live/propagation/variants-api';
import type { FleetSearch } from '../live/search/fleet-search';
import type { SizeHistory } from '../live/sizes/size-history';
import type { StreamHub } from '../live/streaming/stream-hub';
import type { Clock } from '../observe';
import type { SourceRegistry } from '../sources/source-registry';
import { ClientAtCache } from '../store/past/client-at-cache';
import { parseMoment } from '../store/past/parse-moment';
import type { Recorder } from '../store/recorder/recorder';
import type { StateStore } from '../store/state';
import type { UnhandledRejections } from '../unhandled-rejections';
import type { Api } from './api';
import type { KeptState } from './open-state';
import type { StartedWeb } from './start-web';

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
  readonly twins: TwinRunner;
  readonly load: LoadTable;
  readonly loads: LoadReader;
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
  readonly kept: KeptState;
  readonly alerts: WebhookSender | undefined;
  /** Absent without --store. */
  readonly sharedStore?:
    | (Pick<NonNullable<HealthParts['sharedStore']>, 'facts'> &
        // Absent in a collector.
        Partial<Pick<StartedWeb, 'relay' | 'storedFleet' | 'answerWith'>>)
    | undefined;
  readonly held: HeldClients;
  readonly envoyValidator: EnvoyValidator | undefined;
  readonly testClients: TestClients;
  readonly checkRuns: CheckRuns;
  readonly credentials: AllCredentials;
  readonly runs: InteropRuns;
  readonly state: StateStore;
}

/** Limits the labels of the metrics. */
const issuesInMetrics = 200;

export function createApi(all: ApiParts): Api {
  const { held } = all;
  const { relay, storedFleet, answerWith } = all.sharedStore ?? {};
  const relaying = relay && { relay, held };
  const readLoads = relaying === undefined ? all.loads : relayLoad(all.loads, relaying);
  const own = createSubjects(all, readLoads);
  const askClient = relaying === undefined ? own.askClient : relayClientQuestions(own.askClient, relaying);
  const parts = { ...all, ...own, askClient, certificates: new CertificateReader(all) };
  const { live, recorder, subjects, permalinks } = parts;
  const fleetExplainer = new FleetExplainer(parts);
  const sharedExplanations = new SharedExplanations({ explainer: fleetExplainer, state: all.state });
  const lab = new LabApi(all.labs);
  const controlPlanes = new ControlPlaneWatch(all);
  const descriptorSets = new DescriptorSetsApi(all.descriptorSets);
  const failover = new FailoverApi(parts);
  const check = new CheckApi(parts);
  const pins = new PinsApi(all);
  const replays = new ReplaysApi({ ...all, findPermalink: (id) => permalinks.findSubject(id) });
  const serverNames = new ServerNames(issueIdOf);
  const taps = new TapOutages({ ...all, serverNames });
  const issuesApi = new IssuesApi({
    ...{ ...parts, taps, serverNames },
    isOfRun: (clientId) => all.runs.hasClient(clientId, live.world.get(clientId)?.node.id),
    assessor: new ImpactAssessor(parts),
    measured: new MeasuredShare(all.loads),
    checks: new ConfigChecks({ ...parts, known: new KnownConditions(all.kept.conditions) }),
    certificates: new CertificateChecks(parts),
    own: new OwnIssues({
      ...{ ...parts, taps, serverNames, controlPlanes },
      variants: new VariantsApi(parts),
      loadErrors: new LoadErrors(all.loads, new KnownErrors(all.kept.loadErrors)),
      requestErrors: new RequestErrors({
        ...{ live: all.live, known: new KnownErrors(all.kept.requestErrors) },
        requestsOf: (sourceId) => all.registry.statusOf(sourceId)?.requests,
      }),
    }),
  });
  const clientIssues = new ClientIssues({ clock: all.clock, findOpen: () => issuesApi.findOpen() });
  const testClient = new TestClientApi(parts);
  const serverChecks = new ServerChecksApi(all);
  const prove = new ProveApi(parts);
  const interopRuns = new InteropRunsApi(all.runs);
  const isWeb = relaying !== undefined;
  const findIssues = () => clientIssues.find();
  const runOwn = createRunCommand(
    createCommandAnswers({
      ...parts,
      ...{
        descriptorSets,
        replays,
        pins,
        failover,
        check,
        lab,
        issuesApi,
        testClient,
        prove,
        serverChecks,
        interopRuns,
        fleetExplainer,
        sharedExplanations,
      },
    }),
  );
  const runCommand = relaying === undefined ? runOwn : withoutObserving(relayCommands(runOwn, relaying));
  const askOwn = createAsk({
    ...createHistoryAnswers(parts),
    ...createIssueAnswers(issuesApi),
    ...createFleetAnswers({
      ...parts,
      ...{ fleetExplainer, sharedExplanations, storedFleet, findIssues },
    }),
    ...createProcessAnswers({
      ...parts,
      descriptorSets,
      pins,
      replays,
      labApi: lab,
      serverChecks,
      controlPlanes,
      interopRuns,
    }),
    ...createLoadAnswers({ ...parts, failover }),
    ...createSearchAnswers(parts),
  });
  const ask = relaying === undefined ? askOwn : relayQuestions(askOwn, relaying);
  const findRowsTag = async (id: string) => {
    await held.open(id);
    return live.world.has(id) ? `W/"${all.startedAt.toString(36)}-${live.revisionOf(id)}"` : undefined;
  };
  const metrics = new MetricsApi({
    ...parts,
    listIssues: () => issuesApi.list({ state: 'current', limit: issuesInMetrics }),
    countsLoad: !isWeb,
    counters: all.loadCounters,
    health: () => buildHealth(all),
  });
  const getMetrics = () => metrics.text();
  answerWith?.(
    answerRelayed({
      ...{ ask: askOwn, askClient: own.askClient, runCommand: withoutObserving(runOwn) },
      ...{ loads: all.loads, getMetrics },
    }),
    async () => (all.issues.isRestoring ? undefined : findIssues()),
  );
  return {
    addImport: (...file) =>
      saved(recorder, async () => {
        if (isWeb) throw observesNothing();
        // This is checked before the file is received, because a file that cannot be recorded would be read in vain.
        await recorder.flushed();
        const source = await all.imports.add(...file);
        await recorder.flushed();
        return truncateLongTexts(source);
      }),
    startReplay: async (input, host) => truncateLongTexts(await replays.start(input, host)),
    async findClient(id) {
      await held.open(id);
      const client = subjects.findNow(id);
      return client && truncateLongTexts(client);
    },
    findLastMoment: (id) => subjects.findLastMoment(id),
    prepareDiff: () => all.differ.prepare(),
    ...{ askClient, ask, runCommand },
    answerRequest: createAnswerRequest({ ask, askClient, runCommand, findRowsTag }),
    getMetrics: async () =>
      held.isWhole || relay === undefined ? getMetrics() : String(await relay.ask({ kind: 'metrics' })),
  };
}

function createSubjects(parts: ApiParts, loads: Pick<LoadReader, 'read'>) {
  const { clock, live, imports, registry } = parts;
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
  const findFailovers = async (...[id, query, signal]: Parameters<typeof history.failovers>) => {
    const found = await history.failovers(
      id,
      { ...query, ...(await chooseCluster(id, query, signal)) },
      signal,
    );
    return found && addMeasured(found, loads, signal);
  };
  /** Without a cluster or a start, the history is of what the LB policies are shown of. */
  const chooseCluster = async (...[id, query, signal]: Parameters<typeof history.failovers>) => {
    const { cluster, listener, target, profile, to } = query;
    if ((cluster ?? listener ?? target) !== undefined) return {};
    const at = to === undefined || to >= clock.now() ? undefined : formatIsoTime(to);
    const shown = await askClient('lb-tree', { clientId: id, at }, { profile }, signal).catch(
      // The log reports nothing of the client until then.
      (error: unknown) =>
        error instanceof ApiError && error.status === 404 ? undefined : Promise.reject(error),
    );
    return shown && { listener: shown.listener, cluster: shown.cluster };
  };
  const permalinks = new PermalinksApi({
    ...{ ...parts, subjects, propagation },
    findFailovers: (clientId, query) =>
      findFailovers(clientId, parseQuery(allClientQuestions.failovers.query, query)),
  });
  const measuredRequests = new MeasuredRequestsReader({
    ...{ ...parts, loads },
    requestsOf: (sourceId) => parts.registry.statusOf(sourceId)?.requests,
  });
  const findSubject = (ref: ClientRef, signal?: AbortSignal) =>
    'permalinkId' in ref
      ? permalinks.findSubject(ref.permalinkId)
      : subjects.find(ref.clientId, ref.at, { signal });
  const askClient = createAskClient({
    findSubject,
    answers: createClientAnswers({ ...parts, propagation, measuredRequests }),
    recorded: {
      failovers: findFailovers,
      tears: (id, query, signal) => history.tears(id, query, signal),
      changes: (id, query, signal) => findChanges(subjects, id, query, signal),
    },
    stored: { failovers: (id) => permalinks.failovers(id) },
  });
  return {
    history,
    ...{
      askClient,
      measuredRequests,
      findSettings,
      findSource,
      findSubject,
      listProbes,
      past,
      permalinks,
      subjects,
    },
    listResources: async (id: string) => (await rows.find(id))?.rows,
    nodeIdOf: (clientId: string) => live.world.get(clientId)?.node.id,
    isOfRemovedFile: ({ vantage, clientId }: ClientObservation) =>
      vantage === 'dump' && imports.fileOf(clientId) === undefined && !live.world.has(clientId),
    findTime: (moment: string) => past.findTime(parseMoment(moment, 'at'), 'at'),
  };
}
