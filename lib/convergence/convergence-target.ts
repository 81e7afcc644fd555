import type { EpochMs } from '../xds/units';
import type { ConvergenceFact } from './convergence-fact';

/** The target of convergence: a version of a type, or a content of a resource. */
export interface ConvergenceTarget {
  readonly typeUrl: string;
  readonly firstAt: EpochMs;
  /** The time of the previous poll, if a poll observed the target first; null if there was no previous poll. */
  readonly firstAfter?: EpochMs | null;
  /** The hash of a resource's content; null for a version. */
  readonly hash: string | null;
  /** null for a resource's content. */
  readonly version: string | null;
  readonly isIt: (fact: ConvergenceFact) => boolean;
  /** Returns true if the fact's resource has the content of the target. */
  readonly hasContent: (fact: ConvergenceFact) => boolean;
  /** Returns true if the fact is about a resource of the target. */
  readonly isNamed: (fact: ConvergenceFact) => boolean;
  /** Returns true if the fact's client was sent the target, or requests or holds one of its resources. */
  readonly concerns: (fact: ConvergenceFact) => boolean;
  /**
   * Returns true if the fact is about a later target. For a version this considers resources only; messages are
   * ordered by nonce.
   */
  readonly isNewer: (fact: ConvergenceFact) => boolean;
}
