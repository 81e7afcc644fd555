import type { DescriptorSet } from '@/lib/api/descriptor-sets';
import type { FailoverSimulation } from '@/lib/api/failover';
import type { Validation } from '@/lib/api/findings';
import type { FileImport, ImportProblems } from '@/lib/api/imports';
import type { LabResource, LabStatus } from '@/lib/api/lab';
import type { LoadAnswered, LoadSeriesAnswer, LoadSplit, LoadTotalsAnswer } from '@/lib/api/load';
import type { Pin } from '@/lib/api/pins';
import type { Replay } from '@/lib/api/replays';
import type {
  ClientDetail,
  CredentialsShown,
  LoadRowsPage,
  NewPermalink,
  Permalink,
  Source,
  SourcePage,
} from '@/lib/api/schema';
import type { ResourceKey } from '@/lib/observation/observation';
import type { Ask } from '../answers/ask';
import type { AskClient } from '../answers/ask-client';
import type { AnswerRequest } from '../http/answer-request';
import type { RawInput } from './validate-api';

/**
 * What the pages and the HTTP API can ask; the route handlers parse, call and map, nothing more. `signal`: aborted once
 * whoever asks has left; the answer is then rejected with its reason, and no further work is done for it.
 */
export interface Api {
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

  listReplays(): Replay[];
  /** `host`: where it listens; this machine alone where it is not told. */
  startReplay(input: unknown, host?: string): Promise<Replay>;
  changeReplay(id: string, input: unknown): Promise<Replay>;
  removeReplay(id: string): Promise<void>;

  listDescriptorSets(): DescriptorSet[];
  /** `bytes`: a FileDescriptorSet. */
  addDescriptorSet(name: string, bytes: Uint8Array): Promise<DescriptorSet>;
  removeDescriptorSet(id: string): Promise<void>;

  /** As it is now. */
  findClient(id: string): ClientDetail | undefined;
  /** `at` of the last that the log tells of a client, which may be gone. undefined: it never told of it. */
  findLastMoment(id: string): Promise<string | undefined>;
  /** Somebody is about to ask for that: what it takes gets ready meanwhile. */
  prepareDiff(): void;
  /** Answers a question about one client, of now, of a moment or of a permalink. */
  readonly askClient: AskClient;
  /** Answers any other question. */
  readonly ask: Ask;
  readonly answerRequest: AnswerRequest;
  simulateFailover(input: unknown): Promise<FailoverSimulation>;

  createPermalink(input: unknown): Promise<{ id: string; url: string }>;
  getPermalink(id: string): Promise<Permalink | undefined>;
  /** undefined: there is no such permalink, or it keeps no load. */
  getPermalinkLoadSeries(id: string, query: unknown): Promise<LoadAnswered<LoadSeriesAnswer> | undefined>;
  getPermalinkLoadSplit(id: string, query: unknown): Promise<LoadSplit | undefined>;
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
