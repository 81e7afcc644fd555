import type { Resolved } from '@/lib/api/resolved';
import type { ClientKind } from '@/lib/lb/client-kind';
import type { Failovers } from '@/lib/lb/find-failovers';
import type { ChildNumbers } from '@/lib/lb/grpc/child-numbers';
import type { ClientQuestions } from '@/lib/questions/client-questions';
import type { QueryOf } from '@/lib/questions/question';
import type { PossibleStart } from '@/lib/resolve/find-starts';
import type { Tear } from '@/lib/resolve/find-tears';
import type { ResolveStart } from '@/lib/resolve/resolve-listener';
import type { ResolveProfile } from '@/lib/resolve/resolve-profile';
import type { Resolver } from '@/lib/resolve/resolver';
import type { Trust } from '@/lib/resolve/validate-row';
import type { ListenerNameTemplates } from '@/lib/xds/listener-name';
import type { EpochMs } from '@/lib/xds/units';
import { badRequest } from '../../api-error';

export type ResolvedAnswer = Omit<Resolved, 'clientId' | 'at' | 'revision'>;

/** A bad target is an error of the request; other errors are ours. */
export type ResolvedOutcome =
  | { readonly kind: 'answer'; readonly answer: ResolvedAnswer }
  | { readonly kind: 'bad'; readonly message: string };

export type OpenedResolver =
  | { readonly kind: 'bad'; readonly message: string }
  /** There is no listener to begin with. */
  | { readonly kind: 'nothing'; readonly starts: readonly PossibleStart[] }
  | {
      readonly kind: 'resolver';
      readonly resolver: Resolver;
      readonly start: ResolveStart;
      readonly starts: readonly PossibleStart[];
    };

export type ResolverQuestion = Omit<ResolvedQuery, 'profile' | 'at'> & {
  readonly profile: ResolveProfile;
  /** How the client makes a listener's name of a target; null and not there: as gRFC A47 has it by default. */
  readonly templates?: ListenerNameTemplates | null;
  /** Of its bootstrap, sorted; null and not there: not known. */
  readonly certificateProviders?: readonly string[] | null;
  readonly trust: Trust;
};

/** What a client's whole history is asked by. */
export type HistoryQuery = Pick<
  ResolverQuestion,
  'target' | 'listener' | 'profile' | 'errors' | 'templates' | 'certificateProviders' | 'trust'
>;

export interface FailoversQuestion extends HistoryQuery {
  readonly kind: ClientKind;
  /** undefined: the first that the routes reach at the end. */
  readonly cluster: string | undefined;
}

export type ChildNumbersQuestion = Omit<FailoversQuestion, 'cluster'>;

export type ChildNumbersOutcome =
  | { readonly kind: 'answer'; readonly numbers: ReadonlyMap<string, ChildNumbers> }
  | { readonly kind: 'bad'; readonly message: string };

export type FailoversOutcome =
  | ({ readonly kind: 'answer' } & Failovers)
  | { readonly kind: 'bad'; readonly message: string };

export interface TearsQuestion extends HistoryQuery {
  /** Tears that ended before are left out. */
  readonly from: EpochMs;
  readonly until: EpochMs;
}

export type TearsOutcome =
  | {
      readonly kind: 'answer';
      readonly start: ResolveStart | null;
      readonly tears: readonly Tear[];
    }
  | { readonly kind: 'bad'; readonly message: string };

/** Of an outcome that is one. */
export function answerOf(outcome: ResolvedOutcome): ResolvedAnswer {
  if (outcome.kind === 'answer') return outcome.answer;
  throw badRequest(outcome.message);
}

export type ResolvedQuery = QueryOf<ClientQuestions['resolved']>;

/** How much of a graph to draw, and around which node. */
export interface DrawQuery {
  /** The approximate number of nodes. */
  readonly limit?: number;
  /** Ids of aggregates to expand. */
  readonly expand?: readonly string[];
  /** Id of the node whose neighborhood is drawn. */
  readonly focus?: string;
  readonly find?: string;
  /** The effective config that marks the nodes. */
  readonly resolve?: ResolverQuestion;
}
