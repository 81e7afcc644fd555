import type { CheckSource } from './check-source';

/**
 * How the protocol states the rule. `must`: a miss is an error. `should`: a miss is legal, but costs clients something.
 * `informational`: the protocol leaves the behavior open.
 */
export type CheckLevel = 'must' | 'should' | 'informational';

/** One rule of the xDS transport protocol, by which a management server is checked. */
export interface ServerCheck {
  /** The order of the rule in its variant of the protocol: S1 (state of the world), D1 (delta). */
  readonly id: string;
  readonly title: string;
  readonly level: CheckLevel;
  /** What a server does that follows the rule. */
  readonly expected: string;
  readonly source: CheckSource;
  /** The check changes what the server serves, which needs an adapter. */
  readonly changesConfig?: true;
  /** The check rejects a response: the server reports it, and may alert somebody. */
  readonly sendsNack?: true;
}

/** A message of a check, in the order of the stream. */
export interface CheckMessage {
  readonly isSent: boolean;
  /** Streams of a check are numbered from 1. */
  readonly stream: number;
  /** Since the beginning of the check. */
  readonly afterMs: number;
  readonly typeUrl: string;
  readonly version: string;
  readonly nonce: string;
  /** Names that are requested or sent. */
  readonly names: readonly string[];
  /** Names that are unsubscribed or removed. */
  readonly removed: readonly string[];
  /** The number of names that were not recorded; absent: none. */
  readonly moreNames?: number;
  /** Request: the reason for a rejection. Response: the names with an error in their place. Empty: there is none. */
  readonly error: string;
}

/** `non-strict`: a rule of the level `should` is missed. `not-asked`: `seen` states why the check did not run. */
export type CheckVerdict = 'passes' | 'fails' | 'non-strict' | 'informational' | 'not-asked';

export interface CheckResult extends ServerCheck {
  readonly verdict: CheckVerdict;
  /** What the server did, as a sentence. */
  readonly seen: string;
  readonly messages: readonly CheckMessage[];
  /** The number of later messages that were not recorded; absent: none. */
  readonly moreMessages?: number;
  readonly tookMs: number;
}

/** The outcome of one check. `undefined`: it could not be decided. */
export interface CheckOutcome {
  readonly isMet: boolean | undefined;
  readonly seen: string;
}

export function verdictOf(level: CheckLevel, isMet: boolean | undefined): CheckVerdict {
  if (isMet === undefined) return 'not-asked';
  if (isMet) return 'passes';
  return level === 'must' ? 'fails' : level === 'should' ? 'non-strict' : 'informational';
}

/** Counts the results of each verdict. */
export function countVerdicts(
  results: readonly Pick<CheckResult, 'verdict'>[],
): Record<CheckVerdict, number> {
  const counts = { passes: 0, fails: 0, 'non-strict': 0, informational: 0, 'not-asked': 0 };
  for (const { verdict } of results) counts[verdict] += 1;
  return counts;
}
