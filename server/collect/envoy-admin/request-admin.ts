import type { Agent } from 'node:http';
import type { Problem } from '@/lib/observation/observation';
import type { Clock } from '../../observe';
import { explainOutcome } from '../../transport/http-client/explain-http';
import { type RunningCall, startHttpCall } from '../../transport/http-client/http-call';
import type { Target } from '../../transport/targets/target';

/** A request and the limits of its answer. */
export interface AdminRequest {
  readonly path: string;
  /** The path in error messages, if it is long. Absent: `path`. */
  readonly shownPath?: string;
  /** A description for error messages. */
  readonly expected: string;
  /** A larger answer is cancelled while it is received. */
  readonly maxBytes: number;
}

interface AdminRequestOptions {
  readonly target: Target;
  readonly agent: Agent;
  readonly clock: Clock;
  readonly deadlineMs: number;
  /** Overrides the limit of the document. */
  readonly maxBytes?: number | undefined;
}

export type AdminOutcome =
  | { readonly kind: 'answer'; readonly bytes: Buffer; readonly hash: string }
  /** The server answers, but not with a document that can be read. */
  | {
      readonly kind: 'rejected';
      readonly isAbsent: boolean;
      readonly problem: Problem;
      readonly receivedBytes: number;
    }
  /** The server does not answer. */
  | { readonly kind: 'failed'; readonly problem: Problem }
  | { readonly kind: 'aborted' };

const hint =
  "Is this the port of Envoy's admin interface (admin.address of its bootstrap), and is it Envoy's own address?";

/** Sends one request. `onStart` receives the function that cancels it. */
export async function requestAdmin(
  { path, shownPath = path, expected, maxBytes: usualMaxBytes }: AdminRequest,
  { target, agent, clock, deadlineMs, maxBytes }: AdminRequestOptions,
  onStart: (call: RunningCall) => void,
): Promise<AdminOutcome> {
  const call = startHttpCall({
    method: 'GET',
    target,
    path,
    isTls: false,
    agent,
    headers: {
      host: target.socketPath === undefined ? target.text : target.host,
      accept: 'application/json',
    },
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
  const { problem } = explainOutcome(outcome, { target, request: `GET ${shownPath}`, expected, hint });
  if (outcome.kind === 'answer') {
    const receivedBytes = outcome.body.length;
    return { kind: 'rejected', isAbsent: outcome.status === 404, problem, receivedBytes };
  }
  if (outcome.kind === 'too-large') {
    return { kind: 'rejected', isAbsent: false, problem, receivedBytes: outcome.receivedBytes };
  }
  return { kind: 'failed', problem };
}
