import type { Failing, FailingTargets } from '@/lib/facts/failing-endpoints';
import type { UnusedResource } from '@/lib/known-bugs/find-known-bugs';
import type { SplitRules } from '@/lib/lb/find-split-epochs';
import type { SplitPart } from '@/lib/lb/split-part';
import type { QueryOf } from '@/lib/questions/question';
import type { ExplainRequest } from '@/lib/requests/request';
import type { PossibleStart } from '@/lib/resolve/find-starts';
import type { ResolveStart } from '@/lib/resolve/resolve-listener';
import type { Resolver } from '@/lib/resolve/resolver';
import type { Trust } from '@/lib/resolve/validate-row';
import type { ClientQuestions } from '@/lib/views/client-questions';
import type { Explanation } from '@/lib/views/explain/schema';
import type { Resolved, Witnesses } from '@/lib/views/resolved/schema';
import type { ListenerNameTemplates } from '@/lib/xds/listener-name';
import type { Profile } from '@/lib/xds/profile';
import type { EpochMs } from '@/lib/xds/units';

export type ResolvedAnswer = Omit<Resolved, 'clientId' | 'at' | 'revision'>;

export type WitnessesAnswer = Omit<Witnesses, 'clientId' | 'at' | 'moment'>;

export interface OpenedConfig {
  readonly resolver: Resolver;
  readonly start: ResolveStart;
  /** The profile whose rules resolve the config. */
  readonly profile: Profile;
}

/** A resolver, and the listeners with which the config can begin. */
export interface OpenedResolver {
  /** undefined if the config has no listener. */
  readonly opened: OpenedConfig | undefined;
  readonly starts: readonly PossibleStart[];
}

/** Whose rules decide what is rejected. */
export interface Judging {
  readonly profile: Profile;
  readonly trust: Trust;
  /** Set if `profile` is only assumed: a resource is rejected if all of these profiles reject it. */
  readonly possible?: readonly Profile[] | undefined;
}

export type ResolverQuestion = Omit<ResolvedQuery, 'profile' | 'at'> &
  Judging & {
    /** The templates for the names of listeners, by default those of gRFC A47. */
    readonly templates?: ListenerNameTemplates | null;
    /** The names under certificate_providers of the bootstrap, sorted; null or absent if they are not known. */
    readonly certificateProviders?: readonly string[] | null;
    /** The client itself is an Envoy, whatever the profile is. */
    readonly isEnvoy?: true;
    /** The client may use resources for which it has withdrawn its requests: see mayHoldWithdrawn(). */
    readonly mayHoldWithdrawn?: true;
    /** The endpoints that fail, as the client measured it. Absent: none is known. */
    readonly failing?: Failing;
    /** Set if no live source reports the connections of a gRPC client. */
    readonly lacksConnections?: 'envoy' | 'grpc';
    /** The targets whose channels fail. Absent: none is known. */
    readonly failingTargets?: FailingTargets;
    /** Absent: the client uses every listener that it has ACKed. */
    readonly unused?: readonly UnusedResource[];
    /** Replaces `profile` and `trust` if the config begins with a socket listener. Absent: they apply to it, too. */
    readonly ofSocket?: Judging;
  };

export type ExplainQuestion = ResolverQuestion & {
  readonly about: ExplainRequest;
  /** The number of steps in the answer, the last ones of the trace; absent: as many as an answer may have. */
  readonly stepsKept?: number;
};

export type ExplainAnswer = Omit<Explanation, 'clientId' | 'at' | 'revision'>;

/** The part of a query that decides what a history is resolved to. */
export type HistoryQuery = Pick<
  ResolverQuestion,
  | 'target'
  | 'listener'
  | 'profile'
  | 'templates'
  | 'certificateProviders'
  | 'trust'
  | 'possible'
  | 'isEnvoy'
  | 'ofSocket'
>;

export interface FailoversQuestion extends HistoryQuery {
  /** undefined selects the first cluster that the routes reach at the end. */
  readonly cluster: string | undefined;
  /** The id of the requests to a cluster with subsets; undefined: all requests. */
  readonly requests: string | undefined;
}

export interface SplitEpochsQuestion extends HistoryQuery {
  readonly rules: SplitRules;
  readonly by: SplitPart;
  readonly cluster: string;
}

export interface TearsQuestion extends HistoryQuery {
  /** Config tears that ended before it are left out. */
  readonly from: EpochMs;
  readonly until: EpochMs;
}

export type ResolvedQuery = QueryOf<ClientQuestions['resolved']>;

type GraphQuery = QueryOf<ClientQuestions['graph']>;

export interface DrawQuery extends Partial<Omit<GraphQuery, 'resolve' | 'target' | 'profile'>> {
  /** The client is known to be a gRPC client. */
  readonly isGrpc?: boolean;
  /** The endpoints that fail, as the client measured it. Absent: none is known. */
  readonly failing?: Failing;
  /** No source reports connections. */
  readonly lacksConnections?: true;
  /** The effective config that marks the nodes. */
  readonly resolve?: ResolverQuestion;
}
