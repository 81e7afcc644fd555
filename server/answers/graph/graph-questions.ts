import type { ConfigUse } from '@/lib/known-bugs/read-config-use';
import type { Failovers } from '@/lib/lb/find-failovers';
import type { SplitEpochs } from '@/lib/lb/find-split-epochs';
import type { Connection } from '@/lib/observation/connection';
import type { PackedFigures } from '@/lib/observation/packed-figures';
import type { ResourceRow } from '@/lib/observation/resource-row';
import type { ResourceKey } from '@/lib/observation/resource-state';
import type { LeadingListeners } from '@/lib/resolve/leading-listeners';
import type { EffectLines } from '@/lib/views/check/list-effect';
import type { ConnectionsContent, ConnectionsInput } from '@/lib/views/connections/build-connections';
import type { ConnectionsQuery } from '@/lib/views/connections/schema';
import type { Graph } from '@/lib/views/graph/schema';
import type { ResourceLinks } from '@/lib/views/inspector/schema';
import type { References } from '@/lib/views/resolved/schema';
import type { ConfiguredPeer, ConfiguredServer } from '@/lib/views/test-client/expected-shares';
import type { Profile } from '@/lib/xds/profile';
import type { Body } from '../../observe';
import type { DataFile, JobSet } from '../../workers/compute';
import type { EncodedConnections } from '../connections/encoded-connections';
import type { LbTreeAnswer, LbTreeQuestion, PlayAnswer, PlayQuestion } from '../failover/failover-builder';
import type { ChildNumbersFound, TearsFound } from '../resolved/resolved-history';
import type {
  DrawQuery,
  ExplainAnswer,
  ExplainQuestion,
  FailoversQuestion,
  HistoryQuery,
  ResolvedAnswer,
  ResolverQuestion,
  SplitEpochsQuestion,
  TearsQuestion,
  WitnessesAnswer,
} from '../resolved/resolved-questions';
import type { ReferencesPage } from '../resources/references-page';
import type { HistoryExtent, Past } from '../rows/read-past';

/** The query about a list of rows and the answer, by name of the question. */
export interface Questions {
  graph: { query: DrawQuery; answer: DrawnGraph };
  links: { query: ResourceKey; answer: ResourceLinks };
  /** What known bugs depend on, by the rules of a profile. */
  use: { query: Profile; answer: ConfigUse };
  references: { query: ReferencesPage; answer: References };
  connections: { query: ConnectionsQuestion; answer: ConnectionsContent };
  peers: {
    query: { readonly peers: readonly string[]; readonly addresses: readonly string[] };
    answer: { readonly peers: readonly ConfiguredPeer[]; readonly servers: readonly ConfiguredServer[] };
  };
  /** The effective config (gRFC A74). */
  resolved: { query: ResolverQuestion; answer: ResolvedAnswer };
  witnesses: { query: ResolverQuestion; answer: WitnessesAnswer };
  explain: { query: ExplainQuestion; answer: ExplainAnswer };
  /** The listeners that lead to resources. */
  leading: { query: { readonly of: readonly ResourceKey[] }; answer: LeadingListeners };
  effect: { query: ResolverQuestion & { readonly withShares: readonly string[] }; answer: EffectLines };
  lbTree: { query: ResolverQuestion & { readonly about: LbTreeQuestion }; answer: LbTreeAnswer };
  failover: { query: ResolverQuestion & { readonly about: PlayQuestion }; answer: PlayAnswer };
  tears: { query: TearsQuestion; answer: TearsFound };
  failovers: { query: FailoversQuestion; answer: Failovers };
  splitEpochs: { query: SplitEpochsQuestion; answer: SplitEpochs };
  childNumbers: { query: HistoryQuery; answer: ChildNumbersFound };
}

export const graphJobs: JobSet<'graph', DataFile, GraphJobs> = { name: 'graph', thread: 'shared' };

export interface GraphJobs {
  rows: { input: RowsPart; output: null };
  /** Reads a past from the log; its list has version 0. */
  history: { input: Past; output: HistoryExtent };
  question: { input: QuestionInput; output: QuestionOutput };
}

export interface QuestionInput<Name extends keyof Questions = keyof Questions> {
  readonly list: string;
  readonly version: number;
  readonly name: Name;
  readonly query: Questions[Name]['query'];
  /** Bodies of the rows that are not written yet, so that a worker does not find them in the log. */
  readonly pending?: readonly Body[];
}

/** Runs on the main thread, or in a worker that may have been restarted since and then has no list. */
export type RunGraphJob = <K extends keyof GraphJobs>(
  kind: K,
  input: GraphJobs[K]['input'],
  signal?: AbortSignal,
) => Promise<GraphJobs[K]['output']>;

export interface RowsPart {
  /** Name of the list of rows. */
  readonly list: string;
  /** It is never used twice. */
  readonly version: number;
  /** The place of the first of these rows; 0 begins the list. */
  readonly from: number;
  readonly rows: readonly ResourceRow[];
}

/** `unknown`: the list is missing, because the worker was restarted or dropped it. */
export type QuestionOutput<Name extends keyof Questions = keyof Questions> =
  | { readonly kind: 'unknown' }
  | { readonly kind: 'answer'; readonly answer: Questions[Name]['answer'] };

export interface ConnectionsQuestion extends Pick<ConnectionsInput, 'serverAddresses' | 'servesAnyAddress'> {
  /** undefined: no source reports connections. */
  readonly connections: readonly Connection[] | EncodedConnections | undefined;
  readonly figures: PackedFigures | null;
  readonly view: ConnectionsQuery;
}

export type DrawnGraph = Pick<
  Graph,
  'nodes' | 'edges' | 'totals' | 'aggregated' | 'hidden' | 'matches' | 'marks'
>;
