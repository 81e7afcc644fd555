import type { CertificatePage } from '@/lib/api/certificates';
import type { ClientChanges } from '@/lib/api/changes';
import type { Churn } from '@/lib/api/churn';
import type { Convergence, RecentConvergence } from '@/lib/api/convergence';
import type { DescriptorSet } from '@/lib/api/descriptor-sets';
import type { DiffAnswer } from '@/lib/api/diff';
import type { ExportEstimate } from '@/lib/api/exports';
import type { FailoverSimulation } from '@/lib/api/failover';
import type { FailoverHistory } from '@/lib/api/failovers';
import type { ClientFindings, Validation } from '@/lib/api/findings';
import type { CohortsAnswer, FleetPage } from '@/lib/api/fleet';
import type { HistoryDetail, HistoryPage, HistoryTimeline } from '@/lib/api/history';
import type { IdentityPage } from '@/lib/api/identity';
import type { FileImport, ImportProblems } from '@/lib/api/imports';
import type { LabResource, LabStatus } from '@/lib/api/lab';
import type { LbTree } from '@/lib/api/lb-tree';
import type { LoadAnswered, LoadSeriesAnswer, LoadSplit, LoadTotalsAnswer } from '@/lib/api/load';
import type { NackDetail, NackPage } from '@/lib/api/nacks';
import type { Pin } from '@/lib/api/pins';
import type { Replay } from '@/lib/api/replays';
import type { References, Resolved, Tears } from '@/lib/api/resolved';
import type { ResourcePage } from '@/lib/api/resource-pages';
import type {
  ClientDetail,
  ClientsPage,
  CredentialsShown,
  Graph,
  Health,
  LoadRowsPage,
  NewPermalink,
  NotableEvent,
  Permalink,
  ResourceBody,
  ResourceLinks,
  Source,
  SourcePage,
} from '@/lib/api/schema';
import type { SizesAnswer } from '@/lib/api/sizes';
import type { Divergences, TruthPage } from '@/lib/api/truth';
import type { ResourceKey } from '@/lib/observation/observation';
import type { ExportedFile } from './exports-api';
import type { RawInput } from './validate-api';

/** How much of a graph to draw, and around what. */
export interface GraphQuery {
  /** At most about so many nodes. */
  readonly limit?: number;
  /** Ids of aggregates to open. */
  readonly expand?: readonly string[];
  /** Node whose neighbourhood stays. */
  readonly focus?: string;
  readonly find?: string;
  /** Marks nodes by the resolved config of a listener, or of a target; as in the URL of GET .../resolved. */
  readonly resolve?: GraphResolve;
  /** A moment, as the URL says it; left out: now. */
  readonly at?: string;
}

export interface GraphResolve {
  readonly listener?: string;
  readonly target?: string;
  readonly profile?: string;
  readonly errors?: string;
}

/**
 * What the pages and the HTTP API can ask; the route handlers parse, call and map, nothing more. `signal`: aborted once
 * whoever asks has left; the answer is then rejected with its reason, and no further work is done for it.
 */
export interface Api {
  health(): Health;
  openApi(): unknown;

  /** What was named by itself. */
  listSources(): Source[];
  findSource(id: string): Source | undefined;
  /** What callers can choose for a source, by name. */
  listCredentials(): CredentialsShown[];
  /** `query` as sourcesQuery has it; 400 where it is not. */
  pageSources(query: unknown): SourcePage;
  addSource(input: unknown): Promise<Source>;
  changeSource(id: string, input: unknown): Promise<Source>;
  removeSource(id: string): Promise<void>;

  /** A file, as a source. */
  /** `sizeBytes`: as announced; null: it was not. */
  addImport(name: string, chunks: AsyncIterable<Uint8Array>, sizeBytes: number | null): Promise<Source>;
  listImports(): FileImport[];
  /** `query`: as in the URL. */
  importProblems(id: string, query: unknown): ImportProblems;
  cancelImport(id: string): Promise<void>;
  /** A range of the log as a file. `query`: as in the URL. */
  exportRecording(query: unknown, signal?: AbortSignal): Promise<ExportedFile>;
  estimateExport(query: unknown, signal?: AbortSignal): Promise<ExportEstimate>;

  listReplays(): Replay[];
  /** `host`: where it listens; this machine alone where it is not told. */
  startReplay(input: unknown, host?: string): Promise<Replay>;
  changeReplay(id: string, input: unknown): Promise<Replay>;
  removeReplay(id: string): Promise<void>;

  listDescriptorSets(): DescriptorSet[];
  /** `bytes`: a FileDescriptorSet. */
  addDescriptorSet(name: string, bytes: Uint8Array): Promise<DescriptorSet>;
  removeDescriptorSet(id: string): Promise<void>;

  /** All of them, made in steps. */
  listClients(query: unknown): Promise<ClientsPage>;
  /** A window of the clients, sorted, filtered and grouped. `query`: as in the URL. */
  getFleet(query: unknown): Promise<FleetPage>;
  /** Who runs the same. `query`: as in the URL. */
  getCohorts(query: unknown): Promise<CohortsAnswer>;
  /** Bytes by client, type, resource and field. `query`: as in the URL. */
  getSizes(query: unknown): Promise<SizesAnswer>;
  /** Clients that share a node id, whose node changed, or that are gone. `query`: as in the URL. */
  getIdentity(query: unknown): Promise<IdentityPage>;
  /** As it is now. */
  findClient(id: string): ClientDetail | undefined;
  /** As it is, or as it was `at` a moment, as the URL says it. */
  readClient(id: string, at?: string): Promise<ClientDetail | undefined>;
  /** `at` of the last that the log tells of a client, which may be gone. undefined: it never told of it. */
  findLastMoment(id: string): Promise<string | undefined>;
  /** What became different between two moments. `query`: as in the URL. undefined: no such client. */
  getChanges(id: string, query: unknown): Promise<ClientChanges | undefined>;
  /** Somebody is about to ask for that: what it takes gets ready meanwhile. */
  prepareDiff(): void;
  /** What differs between two sides, each named by its address. `query`: as in the URL. */
  getDiff(query: unknown): Promise<DiffAnswer>;
  /** One page of a client's rows. `query`: as in the URL. undefined: no such client. */
  listResources(id: string, query: unknown): Promise<ResourcePage | undefined>;
  /** The same tag means the same rows: what was answered before still holds. undefined: no such client. */
  findResourcesTag(id: string): string | undefined;
  getGraph(id: string, query: GraphQuery): Promise<Graph | undefined>;
  getLinks(id: string, key: ResourceKey, at?: string): Promise<ResourceLinks | undefined>;

  /** gRFC A74's XdsConfig, or what it waits for. `query`: as in the URL. undefined: no such client. */
  getResolved(id: string, query: unknown): Promise<Resolved | undefined>;
  getFailovers(id: string, query: unknown, signal?: AbortSignal): Promise<FailoverHistory | undefined>;
  getLbTree(id: string, query: unknown): Promise<LbTree | undefined>;
  simulateFailover(input: unknown): Promise<FailoverSimulation>;

  getTears(id: string, query: unknown, signal?: AbortSignal): Promise<Tears | undefined>;
  /** `query`: as in the URL. undefined: no such client. */
  getReferences(id: string, query: unknown): Promise<References | undefined>;

  getFindings(id: string, query: unknown): Promise<ClientFindings | undefined>;

  /** What is told of each resource on its way to the client. `query`: as in the URL. undefined: no such client. */
  getTruth(id: string, query: unknown): Promise<TruthPage | undefined>;
  /** Where state of the world and delta tell different things. */
  listDivergences(query: unknown): Promise<Divergences>;

  getResourceBody(hash: string, format: 'json' | 'yaml', typeUrl?: string): Promise<ResourceBody | undefined>;
  getResourceBytes(hash: string, typeUrl?: string): Promise<Uint8Array | undefined>;

  /** Refusals in groups. `query`: as in the URL. */
  listNacks(query: unknown): NackPage;
  /** undefined: no such group. */
  findNack(groupId: string): Promise<NackDetail | undefined>;

  /** `query`: as in the URL. undefined: nothing that is recorded tells of it. */
  findConvergence(query: unknown, signal?: AbortSignal): Promise<Convergence | undefined>;
  /** The newest pushes. */
  listRecentConvergence(query: unknown, signal?: AbortSignal): Promise<RecentConvergence>;
  /** What was sent and changed between two moments. */
  listCertificates(query: unknown): Promise<CertificatePage>;
  getChurn(query: unknown): Promise<Churn>;

  createPermalink(input: unknown): Promise<{ id: string; url: string }>;
  getPermalink(id: string, query?: GraphQuery): Promise<Permalink | undefined>;
  listPermalinkResources(id: string, query: unknown): Promise<ResourcePage | undefined>;
  getPermalinkLbTree(id: string, query: unknown): Promise<LbTree | undefined>;
  getPermalinkFailovers(id: string): Promise<FailoverHistory | undefined>;
  getPermalinkResolved(id: string, query: unknown): Promise<Resolved | undefined>;
  getPermalinkReferences(id: string, query: unknown): Promise<References | undefined>;
  getPermalinkLinks(id: string, key: ResourceKey): Promise<ResourceLinks | undefined>;
  /** undefined: there is no such permalink, or it keeps no load. */
  getPermalinkLoadSeries(id: string, query: unknown): Promise<LoadAnswered<LoadSeriesAnswer> | undefined>;
  getPermalinkLoadSplit(id: string, query: unknown): Promise<LoadSplit | undefined>;
  getPermalinkFindings(id: string, query: unknown): Promise<ClientFindings | undefined>;

  /** Of those that reported last. `query`: as in the URL. */
  listLoad(query: unknown): LoadRowsPage;
  /** Exact sums of load reports. `query`: as in the URL. */
  getLoadTotals(query: unknown, signal?: AbortSignal): Promise<LoadAnswered<LoadTotalsAnswer>>;
  /** Expected against measured. `query`: as in the URL. */
  getLoadSplit(query: unknown, signal?: AbortSignal): Promise<LoadSplit>;
  /** For Prometheus, in its text format. */
  getMetrics(): Promise<string>;
  /** The same over time. */
  getLoadSeries(query: unknown, signal?: AbortSignal): Promise<LoadAnswered<LoadSeriesAnswer>>;
  listEvents(query: { limit?: number; clientId?: string }): NotableEvent[];

  /** `query`: as in the URL. */
  getHistory(query: URLSearchParams, signal?: AbortSignal): Promise<HistoryPage>;
  getHistoryTimeline(query: URLSearchParams, signal?: AbortSignal): Promise<HistoryTimeline>;
  /** `query`: as in the URL. undefined: the log holds no such event. */
  getHistoryEvent(seq: string, query: unknown): Promise<HistoryDetail | undefined>;

  listPins(): Promise<Pin[]>;
  addPin(input: unknown): Promise<Pin>;
  removePin(id: string): Promise<void>;

  validate(input: RawInput): Promise<Validation>;

  /** undefined: the lab does not run. */
  labStatus(): LabStatus | undefined;
  labResources(): LabResource[];
  setLabResource(input: unknown): LabResource[];
  removeLabResource(key: ResourceKey): LabResource[];
  renewLabVersion(input: unknown): LabStatus;
  setLabWeather(input: unknown): LabStatus;
  setLabReporter(input: unknown): LabStatus;
  setLabBackend(name: string, input: unknown): Promise<LabStatus>;
  setLabAssignment(name: string, input: unknown): Promise<LabStatus>;
  setLabMischief(name: string, input: unknown): LabStatus;
}

export type { NewPermalink };
