import { clientsQuery, type Health, loadQuery } from '@/lib/api/schema';
import { formatIsoTime, formatIsoTimeOrNull } from '@/lib/format/iso-time';
import type { FreshnessOf } from '@/lib/view-model/client/choose-report';
import type { LoadTable } from '@/lib/view-model/load/load-table';
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
import { ClientViews, momentOf } from './client-views';
import { ConvergenceApi } from './convergence-api';
import { DescriptorSetsApi } from './descriptor-sets-api';
import { DiffApi } from './diff-api';
import { ExportsApi } from './exports-api';
import { FailoverApi } from './failover-api';
import { findFindings } from './findings-api';
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
import { readAt } from './past/read-at';
import { PermalinkLoadsApi } from './permalink-loads-api';
import { PermalinksApi } from './permalinks-api';
import { PinsApi } from './pins-api';
import { ReplaysApi } from './replays-api';
import { ResolvedApi } from './resolved-api';
import { drawQuery } from './resolved-query';
import { ResourcePagesApi } from './resource-pages-api';
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
  const { live, recorder, codec, graphs, sources, judge } = parts;
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
  const views = new ClientViews({ ...parts, rows, past, findTold });
  const pages = new ResourcePagesApi({ ...parts, views });
  const descriptorSets = new DescriptorSetsApi(parts.descriptorSets);
  const resolved = new ResolvedApi({ ...parts, views, findTold });
  const findFailovers: Api['getFailovers'] = async (id, query, signal) => {
    const told = await resolved.failovers(id, query, signal);
    return told && tellMeasured(told, parts.loads, signal);
  };
  const permalinks = new PermalinksApi({ ...parts, views, findFailovers });
  const diffs = new DiffApi({ ...parts, views, permalinks });
  const failover = new FailoverApi({ ...parts, views, permalinks });
  const permalinkLoads = new PermalinkLoadsApi({
    permalinks,
    simulate: (input) => failover.simulate(input),
  });
  const nodeIdOf = (clientId: string) => live.world.get(clientId)?.node.id;
  const isOfRemovedFile = (clientId: string) =>
    isImportedClient(clientId) && parts.imports.fileOf(clientId) === undefined && !live.world.has(clientId);
  const history = new HistoryApi({ ...parts, nodeIdOf, isOfRemovedFile });
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
    findPermalink: (id) => permalinks.find(id, undefined),
    permalinkRows: (id, query) => permalinks.resources(id, query),
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

    listClients: async (query) => {
      const { offset, limit } = parseInput(clientsQuery, query);
      const { members } = await fleet.find();
      const items = await takeSteps(fleetApi.summarise(members.slice(offset, offset + limit)));
      return { items, offset, total: members.length };
    },
    getFleet: (query) => fleetApi.find(query),
    getCohorts: (query) => cohorts.find(query),
    getSizes: (query) => sizes.find(query),
    getIdentity: (query) => identity.find(query),
    findClient: (id) => views.findNow(id),
    readClient: async (id, at) => (at === undefined ? views.findNow(id) : (await views.find(id, at))?.client),
    findLastMoment: (id) => views.findLastMoment(id),
    getChanges: (id, query) => findChanges(views, id, query),
    prepareDiff: () => parts.differ.prepare(),
    getDiff: (query) => diffs.find(query),
    listResources: (id, query) => pages.find(id, query),
    findResourcesTag: (id) => pages.findTag(id),
    async getGraph(id, { at, ...query }) {
      const view = await views.find(id, at);
      if (view === undefined) return undefined;
      const { node, reports, asClient } = view.client;
      const drawn = drawQuery(query, { node, reports, told: view.told, asClient });
      const graph = await graphs.build(id, view.source, drawn);
      return { ...graph, at: view.at, ...momentOf(view) };
    },
    async getLinks(id, key, at) {
      const view = await views.find(id, at);
      return view && { ...(await graphs.links(view.source, key)), ...momentOf(view) };
    },

    getTears: (id, query, signal) => resolved.tears(id, query, signal),
    getReferences: (id, query) => resolved.references(id, query),
    getResolved: (id, query) => resolved.find(id, query),
    getFailovers: findFailovers,
    getLbTree: (id, query) => failover.lbTree(id, query),
    simulateFailover: (input) => failover.simulate(input),
    async getFindings(id, query) {
      const view = await views.find(id, readAt(query));
      return view && { ...(await findFindings(judge, view, query)), ...momentOf(view) };
    },

    getTruth: (id, query) => truth.find(id, query),
    listDivergences: (query) => variantsApi.list(query),

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
    getPermalink: (id, query) => permalinks.find(id, query),
    listPermalinkResources: (id, query) => permalinks.resources(id, query),
    getPermalinkLbTree: (id, query) => permalinks.lbTree(id, query),
    getPermalinkFailovers: (id) => permalinks.failovers(id),
    getPermalinkResolved: (id, query) => permalinks.resolved(id, query),
    getPermalinkReferences: (id, query) => permalinks.references(id, query),
    getPermalinkLinks: (id, key) => permalinks.links(id, key),
    getPermalinkLoadSeries: (id, query) => permalinkLoads.series(id, query),
    getPermalinkLoadSplit: (id, query) => permalinkLoads.split(id, query),
    getPermalinkFindings: (id, query) => permalinks.findings(id, query),

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

    getHistory: (query, signal) => history.page(query, signal),
    getHistoryTimeline: (query, signal) => history.timeline(query, signal),
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
