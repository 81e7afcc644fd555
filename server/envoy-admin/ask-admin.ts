import type { Agent } from 'node:http';
import type { Problem } from '@/lib/observation/observation';
import type { Target } from '../dial/target';
import { explainOutcome } from '../http-client/explain-http';
import { type RunningCall, startHttpCall } from '../http-client/http-call';
import type { Clock } from '../observe';

/** What is asked for, with what to expect. */
export interface AdminQuestion {
  readonly path: string;
  /** In words, for errors. */
  readonly expected: string;
  /** A larger answer is given up while it comes. */
  readonly maxBytes: number;
}

export interface AskAdmin {
  readonly target: Target;
  readonly agent: Agent;
  readonly clock: Clock;
  readonly deadlineMs: number;
  /** Of a document, where it is not to be the usual one. */
  readonly maxBytes?: number | undefined;
}

export type AdminAsked =
  | { readonly kind: 'answer'; readonly bytes: Buffer; readonly hash: string }
  /** It answers, but has no such document, or not in a way that can be used. */
  | {
      readonly kind: 'rejected';
      readonly isAbsent: boolean;
      readonly problem: Problem;
      /** What it says instead; empty: too much. */
      readonly body: Uint8Array;
    }
  /** It does not answer. */
  | { readonly kind: 'failed'; readonly problem: Problem }
  | { readonly kind: 'aborted' };

const hint =
  "Is this the port of Envoy's admin interface (admin.address of its bootstrap), and is it Envoy's own address?";

/** One question; `onStart` gets what gives it up. */
export async function askAdmin(
  { path, expected, maxBytes: usualMaxBytes }: AdminQuestion,
  { target, agent, clock, deadlineMs, maxBytes }: AskAdmin,
  onStart: (call: RunningCall) => void,
): Promise<AdminAsked> {
  const call = startHttpCall({
    method: 'GET',
    target,
    path,
    isTls: false,
    agent,
    headers: { host: target.text, accept: 'application/json' },
    connectTimeoutMs: deadlineMs,
    timeoutMs: deadlineMs,
    maxBytes: maxBytes ?? usualMaxBytes,
    clock,
  });
  onStart(call);
  const outcome = await call.outcome;
  if (outcome.kind === 'aborted') return outcome;
  const isWhole = outcome.kind === 'answer' && outcome.status === 200 && outcome.contentEncoding === '';
  if (isWhole) return { kind: 'answer', bytes: outcome.body, hash: outcome.hash };
  const { problem } = explainOutcome(outcome, { target, request: `GET ${path}`, expected, hint });
  if (outcome.kind === 'answer') {
    return { kind: 'rejected', isAbsent: outcome.status === 404, problem, body: outcome.body };
  }
  if (outcome.kind === 'too-large') {
    return { kind: 'rejected', isAbsent: false, problem, body: new Uint8Array() };
  }
  return { kind: 'failed', problem };
}
