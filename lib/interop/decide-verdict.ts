import type { InteropVerdict } from '../observation/interop-verdicts';

/** What a run measured, of which its verdict follows. */
export interface RunEvidence {
  /** The first step whose assertion did not hold. Absent: all held. */
  readonly failed?: {
    readonly title: string;
    readonly expected: string;
    readonly seen: string;
    /** The newest xDS message of the client. */
    readonly preceded: string;
    /** What was seen is what the RPCs were before the step. */
    readonly isUnchanged: boolean;
  };
  /** The first NACK of the client. */
  readonly nack?: { readonly resourceType: string; readonly errorDetail: string };
  /** The client ended by itself. `hadRpc`: one of its RPCs had succeeded before. */
  readonly exit?: { readonly text: string; readonly hadRpc: boolean };
  /** Why the test program cannot run the case, as a list of the program states it. */
  readonly unable?: string;
  /** The run has these environment variables, because the client does not do without them what the case proves. */
  readonly flags?: {
    readonly environment: Readonly<Record<string, string>>;
    /** The reason of the run without them. */
    readonly without: string;
  };
  /** What was not the client's fault, as in a port that was taken. */
  readonly obstacle?: string;
  /** RPCs per second that the case asks for, and those that started and ended. Absent: not measured. */
  readonly rate?: { readonly asked: number; readonly measured: number };
  /** The longest time for which the process of the servers and backends did nothing. Absent: not measured. */
  readonly delayMs?: number;
}

export interface Verdict {
  readonly verdict: InteropVerdict;
  /** Empty if the case works. */
  readonly reason: string;
}

/** Clients drop config for which they wait 15 s: a server that is late by several seconds is not their fault. */
const longestDelayMs = 2_000;
/** Below this share of the rate that the case asks for, a failure proves nothing. */
const sufficientRate = 0.8;

/** The rules, of which the first one that applies decides. */
export function decideVerdict(evidence: RunEvidence): Verdict {
  const { failed, nack, exit, unable, obstacle, rate, flags, delayMs = 0 } = evidence;
  if (obstacle !== undefined) return { verdict: 'inconclusive', reason: obstacle };
  if (exit !== undefined && !exit.hadRpc)
    return { verdict: 'inconclusive', reason: `the client ended before its first RPC: ${exit.text}` };
  if (failed === undefined && exit === undefined) return describeSuccess(flags);
  if (unable !== undefined) return { verdict: 'unable', reason: unable };
  if (nack !== undefined)
    return { verdict: 'rejects', reason: `NACK of ${nack.resourceType}: ${nack.errorDetail}` };
  if (delayMs > longestDelayMs) {
    const text = `expected servers that are late by ${longestDelayMs} ms at most, got ${Math.round(delayMs)} ms: the machine is busy`;
    return { verdict: 'inconclusive', reason: text };
  }
  if (exit !== undefined) return { verdict: 'fails', reason: `the client ended: ${exit.text}` };
  if (rate !== undefined && rate.measured < rate.asked * sufficientRate) {
    const text = `expected ${rate.asked} RPCs per second, got ${rate.measured.toFixed(1)}`;
    return { verdict: 'inconclusive', reason: text };
  }
  if (failed === undefined) return describeSuccess(flags);
  const { title, expected, seen, preceded, isUnchanged } = failed;
  const reason = `${title}: expected ${expected}; seen ${seen}; preceded by ${preceded}`;
  return { verdict: isUnchanged ? 'ignored' : 'fails', reason };
}

function describeSuccess(flags: RunEvidence['flags']): Verdict {
  if (flags === undefined) return { verdict: 'works', reason: '' };
  const variables = Object.entries(flags.environment).map(([name, value]) => `${name}=${value}`);
  return { verdict: 'by-flag', reason: `works with ${variables.join(' ')}; without: ${flags.without}` };
}

/** The verdict of several runs of one version, the newest first. */
export function combineVerdicts(verdicts: readonly InteropVerdict[]): InteropVerdict {
  const [newest = 'not-run'] = verdicts;
  const decided = verdicts.filter((each) => each !== 'inconclusive' && each !== 'not-run');
  const working = decided.filter((each) => each === 'works').length;
  return working > 0 && working < decided.length ? 'flaky' : newest;
}
