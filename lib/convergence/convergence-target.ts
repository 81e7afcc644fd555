import type { EpochMs } from '../xds/units';
import type { ConvergenceFact } from './convergence-fact';

/** What clients converge to: a version of a type, or a content of a resource. */
export interface ConvergenceTarget {
  readonly typeUrl: string;
  /** When it was seen first, anywhere. */
  readonly firstAt: EpochMs;
  /** A poll saw it first: it may be older than `firstAt`, but not than this; null: nobody looked before. */
  readonly firstAfter?: EpochMs | null;
  /** Of a resource's content; null: of a version. */
  readonly hash: string | null;
  /** Is the fact about this, and nothing else? */
  readonly isIt: (fact: ConvergenceFact) => boolean;
  /** Does it say that its client has to do with this: was sent it, or asks for or holds what this brought? */
  readonly concerns: (fact: ConvergenceFact) => boolean;
  /** Is it about one that came after it? For a version by resources alone: messages are reported by their order. */
  readonly isNewer: (fact: ConvergenceFact) => boolean;
}

/** Of the facts, the one that came first; its interval goes with it. */
export function firstOf(facts: Iterable<ConvergenceFact>): ConvergenceFact | undefined {
  let first: ConvergenceFact | undefined;
  for (const fact of facts) {
    if (first === undefined || fact.at < first.at) first = fact;
  }
  return first;
}
