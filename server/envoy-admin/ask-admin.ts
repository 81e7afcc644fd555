import type { Agent } from 'node:http';
import type { Problem } from '@/lib/observation/observation';
import type { Target } from '../grpc/target';
import { explainOutcome } from '../http-client/explain-http';
import { type RunningCall, startHttpCall } from '../http-client/http-call';
import type { Clock } from '../observe';
import { type AdminDocument, documentFacts } from './admin-document';

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
  | { readonly kind: 'refused'; readonly isAbsent: boolean; readonly problem: Problem }
  /** It does not answer. */
  | { readonly kind: 'failed'; readonly problem: Problem }
  | { readonly kind: 'aborted' };

const hint =
  "Is this the port of Envoy's admin interface (admin.address of its bootstrap), and is it Envoy's own address?";

/** One question; `onStart` gets what gives it up. */
export async function askAdmin(
  document: AdminDocument,
  { target, agent, clock, deadlineMs, maxBytes }: AskAdmin,
  onStart: (call: RunningCall) => void,
): Promise<AdminAsked> {
  const { path, expected, maxBytes: usualMaxBytes } = documentFacts[document];
  const call = startHttpCall({
    method: 'GET',
    host: target.host,
    port: target.port,
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
  if (outcome.kind === 'answer' || outcome.kind === 'too-large') {
    return { kind: 'refused', isAbsent: outcome.kind === 'answer' && outcome.status === 404, problem };
  }
  return { kind: 'failed', problem };
}
