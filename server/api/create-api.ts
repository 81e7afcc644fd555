import { type Health, loadQuery } from '@/lib/api/schema';
import { formatIsoTime, formatIsoTimeOrNull } from '@/lib/format/iso-time';
import type { FreshnessOf } from '@/lib/view-model/client/choose-report';
import type { LoadTable } from '@/lib/view-model/load/load-table';
import { createAsk } from '../answers/ask';
import { type ClientRef, createAskClient } from '../answers/ask-client';
import { createClientAnswers } from '../answers/client-answers';
import { ClientHistoryAnswers } from '../answers/client-history-answers';
import { FailoverApi, missingSubject } from '../answers/simulate-failover';
import { isImportedClient } from '../client-id';
import type { Codec } from '../codec/codec';
import type { ConvergenceReader } from '../convergence/convergence-reader';
import type { DescriptorSets } from '../descriptor-sets/descriptor-sets';
import type { Differ } from '../diff/differ';
import { CohortsApi } from '../fleet/cohorts-api';
import { FleetApi } from '../fleet/fleet-api';
import type { FleetKeeper } from '../fleet/fleet-keeper';
import { IdentityApi } from '../fleet/identity-api';
import type { NodeWatcher } from '../fleet/node-watcher';
import { createAnswerRequest } from '../http/answer-request';
import type { Lab } from '../lab/lab';
import type { LiveState } from '../live/live-state';
import type { LoadCounters } from '../metrics/load-counters';
import { MetricsApi } from '../metrics/metrics-api';
import type { NackKeeper } from '../nacks/nack-keeper';
import type { Clock } from '../observe';
import type { LoadRecorder } from '../recorder/load/load-recorder';
import type { Recorder } from '../recorder/recorder';
import type { Replays } from '../replay/replays';
import type { SizeHistory } from '../sizes/size-history';
import { SizesApi } from '../sizes/sizes-api';
import type { SourceRegistry } from '../sources/source-registry';
import { ClientSubjects } from '../subjects/client-subjects';
import { takeSteps } from '../threads/take-steps';
import { TruthApi } from '../truth/truth-api';
import type { VariantCheck } from '../truth/variant-check';
import { VariantsApi } from '../truth/variants-api';
import type { UnhandledRejections } from '../unhandled-rejections';
import type { Judge } from '../validate/judge';
import type { Api } from './api';
import { badRequest, notFound } from './api-error';
import { CertificatesApi } from './certificates-api';
import { findChanges } from './changes-api';
import { ChurnApi } from './churn-api';
import { ClientRows } from './client-rows';
import { ConvergenceApi } from './convergence-api';
import { DescriptorSetsApi } from './descriptor-sets-api';
import { DiffApi } from './diff-api';
import { ExportsApi } from './exports-api';
import type { GraphBuilder } from './graph-builder';
import { HistoryApi } from './history-api';
import { findHistoryDetail } from './history-detail';
import type { ImportsApi } from './imports-api';
import { LabApi } from './lab-api';
import { LoadApi } from './load-api';
import { findChange, findLoadSplit, parseSplitQuery } from './load-split';
import { loopDelay } from './loop-delay';
import { tellMeasured } from './measured-periods';
import { NacksApi } from './nacks-api';
import { saved } from './not-saved';
import { nowOfClient } from './now-of-client';
import { buildOpenApi } from './openapi';
import { parseInput } from './parse-input';
import { ClientAtCache } from './past/client-at-cache';
import { parseMoment } from './past/parse-moment';
import { PermalinkLoadsApi } from './permalink-loads-api';
import { PermalinksApi } from './permalinks-api';
import { PinsApi } from './pins-api';
import { ReplaysApi } from './replays-api';
import type { SourcesApi } from './sources-api';
import { nothingTold, type ToldClient, toldOf } from './told-client';
import { validateInput } from './validate-api';

export interface ApiParts {
  readonly clock: Clock;
  readonly version: string;
  readonly startedAt: number;
  readonly codec: Codec;
  readonly recorder: Recorder;
  readonly live: LiveState;
  readonly graphs: GraphBuilder;
  readonly convergence: ConvergenceReader;
  readonly differ: Differ;
  readonly judge: Judge;
  readonly nacks: NackKeeper;
  readonly registry: SourceRegistry;
  readonly sources: SourcesApi;
  readonly imports: ImportsApi;
  readonly replays: Replays;
  readonly load: LoadTable;
  readonly loads: LoadRecorder;
  readonly loadCounters: LoadCounters;
  readonly freshnessOf: FreshnessOf;
  readonly lab: Lab | undefined;
  readonly descriptorSets: DescriptorSets;
  readonly variants: VariantCheck;
  readonly fleet: FleetKeeper;
  readonly nodes: NodeWatcher;
  readonly sizeHistory: SizeHistory;
  /** In words: databases that were damaged at the start, and what became of them. */
  readonly setAside: readonly string[];
  readonly rejections: Pick<UnhandledRejections, 'facts'>;
}

/** The API over the parts that the runtime made. */
export function createApi(parts: ApiParts): Api {
  const { live, recorder, codec, sources, judge } = parts;
  const lab = new LabApi(parts.lab);
  const { fleet } = parts;
  const fleetApi = new FleetApi({ ...parts, fleet });
  const cohorts = new CohortsApi(fleet);
  const rows = new ClientRows(parts);
  const listResources = async (id: string) => (await rows.find(id))?.rows;
  const sizes = new SizesApi({ ...parts, history: parts.sizeHistory, listResources });
  const identity = new IdentityApi(parts);
  const findTold = (clientId: string): ToldClient => {
    for (const { sourceId } of live.world.get(clientId)?.reports.values() ?? []) {
      const settings = parts.registry.probeSettingsOf(sourceId);
      if (settings !== undefined) return toldOf(settings);
    }
    return nothingTold;
  };
  const past = new ClientAtCache({
    ...parts,
    findToday: (id) => live.world.get(id),
    gapsOfFile: (id) => parts.imports.fileOf(id)?.gaps ?? [],
  });
  const listProbes = () => parts.registry.listProbes();
  const truth = new TruthApi({ ...parts, past, fleet, listProbes });
  const variantsApi = new VariantsApi({ ...parts, past, listProbes });
  const subjects = new ClientSubjects({ ...parts, rows, past, findTold });
  const descriptorSets = new DescriptorSetsApi(parts.descriptorSets);
  const history = new ClientHistoryAnswers({ ...parts, subjects, findTold });
  const permalinks: PermalinksApi = new PermalinksApi({
    ...{ ...parts, subjects },
    findFailovers: (clientId, query) => askClient('failovers', { clientId }, query),
  });
  const findSubject = (ref: ClientRef) =>
    'permalinkId' in ref ? permalinks.findSubject(ref.permalinkId) : subjects.find(ref.clientId, ref.at);
  const askClient = createAskClient({
    findSubject,
    answers: createClientAnswers(parts),
    recorded: {
      failovers: async (id, query, signal) => {
        const found = await history.failovers(id, query, signal);
        return found && tellMeasured(found, parts.loads, signal);
      },
      tears: (id, query, signal) => history.tears(id, query, signal),
      changes: (id, query) => findChanges(subjects, id, query),
      truth: (id, query) => truth.find(id, query),
    },
    stored: { failovers: (id) => permalinks.failovers(id) },
  });
  const findRowsTag = (id: string) =>
    live.world.has(id) ? `W/"${parts.startedAt.toString(36)}-${live.revisionOf(id)}"` : undefined;
  const ask = createAsk({
    async clients({ offset, limit }) {
      const { members } = await fleet.find();
      const items = await takeSteps(fleetApi.summarise(members.slice(offset, offset + limit)));
      return { items, offset, total: members.length };
    },
    'clients/{id}': async ({ at }, { params: { id } }) => {
      const client = at === undefined ? subjects.findNow(id) : (await subjects.find(id, at))?.client;
      if (client === undefined) throw missingSubject({ clientId: id });
      return client;
    },
    fleet: (query) => fleetApi.find(query),
    cohorts: (query) => cohorts.find(query),
    sizes: (query) => sizes.find(query),
    identity: (query) => identity.find(query),
    divergences: (query) => variantsApi.list(query),
  });
  const diffs = new DiffApi({ ...parts, subjects, permalinks });
  const failover = new FailoverApi({ ...parts, findSubject });
  const permalinkLoads = new PermalinkLoadsApi({
    permalinks,
    simulate: (input) => failover.simulate(input),
  });
  const nodeIdOf = (clientId: string) => live.world.get(clientId)?.node.id;
  const isOfRemovedFile = (clientId: string) =>
    isImportedClient(clientId) && parts.imports.fileOf(clientId) === undefined && !live.world.has(clientId);
  const observations = new HistoryApi({ ...parts, nodeIdOf, isOfRemovedFile });
  const timeOf = (moment: string) => past.findTime(parseMoment(moment, 'at'), 'at');
  const nowOf = nowOfClient(parts.clock, (id) => live.world.get(id));
  const loads = new LoadApi({
    ...parts,
    notices: () => parts.load.notices,
    nowOf,
    timeOf,
    nodeIdOf,
    localityOf: (clientId) => live.world.get(clientId)?.node.locality ?? null,
  });
  const nacks = new NacksApi({ ...parts, findTold, listResources });
  const pins = new PinsApi(parts);
  const exports = new ExportsApi(parts);
  const churn = new ChurnApi(parts);
  const certificates = new CertificatesApi(parts);
  const convergence = new ConvergenceApi({ ...parts, nodeIdOf });
  const replays = new ReplaysApi({
    ...parts,
    findPermalink: (id) => permalinks.findSubject(id),
  });
  const metrics = new MetricsApi({
    ...{ clock: parts.clock, counters: parts.loadCounters, load: parts.load },
    loads: parts.loads,
    fleet,
    health: () => buildHealth(parts),
  });
  let openApi: unknown;

  return {
    health: () => buildHealth(parts),
    openApi() {
      openApi ??= buildOpenApi(parts.version);
      return openApi;
    },

    listSources: () => sources.list(),
    listCredentials: () => sources.listCredentials(),
    findSource: (id) => sources.find(id),
    pageSources: (query) => sources.page(query),
    addSource: (input) => saved(recorder, () => sources.add(input)),
    changeSource: (id, input) => saved(recorder, () => sources.change(id, input)),
    removeSource: (id) =>
      saved(recorder, async () => {
        if (!(await parts.imports.remove(id))) await sources.remove(id);
      }),
    addImport: (name, chunks, sizeBytes) =>
      saved(recorder, async () => {
        // Before all of it is received: what is not recorded would be read in vain.
        await recorder.flushed();
        const source = await parts.imports.add(name, chunks, sizeBytes);
        await recorder.flushed();
        return source;
      }),
    listImports: () => parts.imports.list(),
    importProblems: (id, query) => parts.imports.problems(id, query),
    cancelImport: (id) => saved(recorder, () => parts.imports.cancel(id)),
    exportRecording: (query, signal) => exports.make(query, signal),
    estimateExport: (query, signal) => exports.estimate(query, signal),

    listReplays: () => replays.list(),
    startReplay: (input, host) => replays.start(input, host),
    changeReplay: (id, input) => replays.change(id, input),
    removeReplay: (id) => replays.remove(id),

    listDescriptorSets: () => descriptorSets.list(),
    addDescriptorSet: (name, bytes) => saved(recorder, () => descriptorSets.add(name, bytes)),
    removeDescriptorSet: (id) => saved(recorder, () => descriptorSets.remove(id)),

    findClient: (id) => subjects.findNow(id),
    findLastMoment: (id) => subjects.findLastMoment(id),
    prepareDiff: () => parts.differ.prepare(),
    getDiff: (query) => diffs.find(query),
    askClient,
    ask,
    answerRequest: createAnswerRequest({ ask, askClient, findRowsTag }),
    simulateFailover: (input) => failover.simulate(input),

    async getResourceBody(hash, format, typeUrl) {
      const body = await recorder.readBody(hash, typeUrl);
      if (body === undefined) return undefined;
      const { text, opaque, unknown, v2, redacted } = await codec.render(body, format);
      return {
        hash: body.hash,
        typeUrl: body.typeUrl,
        sizeBytes: body.bytes.byteLength,
        text,
        opaque: [...opaque],
        unknown: [...unknown],
        v2: [...v2],
        redacted: [...redacted],
      };
    },
    getResourceBytes: async (hash, typeUrl) => (await recorder.readBody(hash, typeUrl))?.bytes,

    listNacks: (query) => nacks.list(query),
    findNack: (groupId) => nacks.find(groupId),

    findConvergence: (query, signal) => convergence.find(query, signal),
    listRecentConvergence: (query, signal) => convergence.recent(query, signal),
    listCertificates: (query) => certificates.list(query),
    getChurn: (query) => churn.find(query),

    createPermalink: (input) => saved(recorder, () => permalinks.create(input)),
    getPermalink: (id) => permalinks.find(id),
    getPermalinkLoadSeries: (id, query) => permalinkLoads.series(id, query),
    getPermalinkLoadSplit: (id, query) => permalinkLoads.split(id, query),

    listLoad: (query) =>
      parts.load.rows((clientId) => nodeIdOf(clientId) ?? clientId, parseInput(loadQuery, query)),
    getLoadSplit: async (query, signal) => {
      const { client } = parseSplitQuery(query);
      const state = live.world.get(client);
      if (state === undefined) throw notFound('Client', `no client has the id ${JSON.stringify(client)}`);
      const about = {
        findChange: (names: readonly string[], until: number) => findChange(state, names, until),
        simulate: (cluster: string, at?: string) =>
          failover.simulate({ client, cluster, seconds: 0, ...(at !== undefined && { at }) }),
      };
      return findLoadSplit({ ...parts, nowOf, timeOf, ...about }, query, signal);
    },
    getMetrics: () => metrics.text(),
    getLoadTotals: (query, signal) => loads.totals(query, signal),
    getLoadSeries: (query, signal) => loads.series(query, signal),
    listEvents: ({ limit = 100, clientId }) =>
      live.events.filter((event) => clientId === undefined || event.clientId === clientId).slice(0, limit),

    getHistory: (query, signal) => observations.page(query, signal),
    getHistoryTimeline: (query, signal) => observations.timeline(query, signal),
    async getHistoryEvent(seq, query) {
      if (!/^\d{1,15}$/.test(seq))
        throw badRequest(`seq: expected a place in the log, got ${JSON.stringify(seq)}`, 'seq');
      return findHistoryDetail({ recorder, nodeIdOf, isOfRemovedFile }, Number(seq), query);
    },

    listPins: () => pins.list(),
    addPin: (input) => saved(recorder, () => pins.add(input)),
    removePin: (id) => saved(recorder, () => pins.remove(id)),

    validate: (input) => validateInput(judge, input),

    labStatus: () => lab.status(),
    labResources: () => lab.listResources(),
    setLabResource: (input) => lab.setResource(input),
    removeLabResource: (key) => lab.removeResource(key),
    renewLabVersion: (input) => lab.renewVersion(input),
    setLabWeather: (input) => lab.setWeather(input),
    setLabReporter: (input) => lab.setReporter(input),
    setLabBackend: (name, input) => lab.setBackend(name, input),
    setLabAssignment: (name, input) => lab.setAssignment(name, input),
    setLabMischief: (name, input) => lab.setMischief(name, input),
  };
}

/** The largest number that there is limits nothing. */
function countLimitOf(maxCount: number | undefined): number | null {
  return maxCount === undefined || maxCount === Number.MAX_SAFE_INTEGER ? null : maxCount;
}

function buildHealth({
  recorder,
  loads,
  registry,
  version,
  startedAt,
  lab,
  setAside,
  rejections,
}: ApiParts): Health {
  const stats = recorder.stats();
  const { total, up, down } = registry.counts();
  const unhandled = rejections.facts;
  const { damage: loadDamage, ...load } = loads.stats;
  const damaged = [stats.damage, loadDamage].filter((text) => text !== '');
  const isStored = stats.state === 'recording' && load.problem === '' && damaged.length === 0;
  return {
    status: isStored && down === 0 && unhandled.count === 0 ? 'ok' : 'degraded',
    version,
    startedAt: formatIsoTime(startedAt),
    recorder: {
      state: stats.state,
      reason: stats.reason,
      observations: stats.observations,
      bodies: stats.bodies,
      sizeBytes: stats.sizeBytes,
      oldestAt: formatIsoTimeOrNull(stats.oldestAt),
      newestSeq: stats.newestSeq,
      missed: stats.missed,
      notFollowed: stats.notFollowed,
      waiting: stats.waiting,
      gaps: { ...stats.gaps, newestAt: formatIsoTimeOrNull(stats.gaps.newestAt) },
      limits: { ...stats.limits, maxCount: countLimitOf(stats.limits.maxCount) },
      growth: stats.growth,
      retentionProblem: stats.retentionProblem,
    },
    storage: { damaged, setAside: [...setAside] },
    load,
    sources: { total, up, down },
    csds: registry.csdsAnswers(),
    eventLoop: loopDelay(),
    unhandledRejections: { ...unhandled, lastAt: formatIsoTimeOrNull(unhandled.lastAt) },
    lab: lab !== undefined,
  };
}
