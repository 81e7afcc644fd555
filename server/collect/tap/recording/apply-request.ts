import { findResponseOfNack } from '@/lib/nacks/find-response-of-nack';
import type { AckSent, NackSent } from '@/lib/observation/observation';
import { normaliseResourceName } from '@/lib/xds/resource-name';
import type { Receipt } from '../recorded-stream';
import { type AnswerTarget, applyAccepted, applyInferred, applyRejected } from './apply-answer';
import type { ObservedRequest } from './decode-request';
import { repeatsOf } from './describe-response';
import { applyMissed } from './missed-messages';
import { clearUnanswered, type PendingResponse, takeUntil } from './pending-responses';
import { keepOnly, repeatsAfterDrop, type SubscriptionChange } from './read-subscription';
import type { StreamType } from './stream-type';

export interface ReadSubscription extends SubscriptionChange {
  /** True if names or the wildcard changed. */
  readonly isChanged: boolean;
  /** True for the first request for the type on the stream. */
  readonly isFirst: boolean;
}

/**
 * Applies what a request subscribes to, and what the client holds by the request. `isLate`: earlier messages of the stream were
 * not recorded. MUTATES `target`.
 */
export function applySubscription(
  request: ObservedRequest,
  { added, dropped, isChanged, isFirst }: ReadSubscription,
  { isAnswer, isLate }: { readonly isAnswer: boolean; readonly isLate: boolean },
  target: RequestTarget,
): void {
  const { versionInfo, initialVersions, responseNonce } = request;
  const { type, holdings, wants, at, changes, isDelta, userAgentName } = target;
  holdings.subscriptions.add(wants);
  if (isFirst && !isLate && !holdings.subscriptions.isShared(wants)) {
    holdings.clearAllUnanswered(at, changes);
    if (isDelta) keepOnly(holdings, initialVersions, changes);
    else if (versionInfo === '') holdings.clear(changes);
  }
  for (const name of added) holdings.want(name, at, changes);
  for (const name of dropped) holdings.drop(name, changes);
  for (const [name, version] of initialVersions) {
    holdings.addHeld(normaliseResourceName(name), version, at, changes);
  }
  if (type.missed !== null) applyMissed(type.missed, request, target);
  const isRepeated = !isAnswer && !isChanged && !isDelta && responseNonce === type.answeredNonce;
  if (isRepeated && type.missed === null && repeatsAfterDrop(userAgentName)) {
    for (const name of wants.names) holdings.requestAgain(name, at, changes);
  }
}

/** The state that a request is applied to. MUTABLE. */
export interface RequestTarget extends AnswerTarget {
  readonly type: StreamType;
  readonly receipt: Receipt;
  readonly isDelta: boolean;
  /** The request is a poll of REST. */
  readonly isPolled: boolean;
  readonly userAgentName: string;
}

/** The parts of the observation that only an ACK or a NACK has. */
export type AnswerFields =
  | (Pick<AckSent, 'kind' | 'nonce' | 'isInferred'> & { readonly tookMs?: number })
  | (Pick<NackSent, 'kind' | 'nonce' | 'rejectedVersion' | 'errorDetail' | 'isInferred'> & {
      readonly errorCode: number;
      readonly tookMs?: number;
      readonly repeats?: number;
    });

/** Applies an ACK or a NACK. `pending` is undefined if the response was not recorded. MUTATES `target`. */
export function readAnswer(
  { responseNonce: nonce, versionInfo, errorDetail, errorCode, isInferred = false }: ObservedRequest,
  pending: PendingResponse | undefined,
  target: RequestTarget,
): AnswerFields {
  const { type, holdings, changes, receipt, isDelta, isPolled, userAgentName } = target;
  const answered = (isDelta ? pending && [pending] : takeUntil(type.pending, nonce)) ?? [];
  type.pending.delete(nonce);
  type.answeredNonce = nonce;
  const isTimed = pending !== undefined && !isPolled;
  const tookMs = !isTimed ? {} : { tookMs: Math.max(0, receipt.clockMs - pending.receivedMs) };
  for (const response of answered) clearUnanswered(response, holdings, receipt.at, changes);
  const evidence = isInferred ? ({ isInferred } as const) : {};
  if (errorDetail === null) {
    if (pending !== undefined) applyAccepted(pending, target);
    return { kind: 'ack-sent', nonce, ...tookMs, ...evidence };
  }
  const repeated = pending === undefined && type.nacked?.nonce === nonce ? type.nacked : undefined;
  const late = findResponseOfNack({ answered, errorDetail, versionInfo });
  const rejectedVersion = (late ?? pending ?? repeated)?.versionInfo ?? '';
  if (pending === undefined) putRejected(repeated?.names ?? [], errorDetail, target);
  else if (isInferred) applyInferred(pending, errorDetail, target);
  else {
    applyRejected(late ?? pending, { errorDetail, versionInfo, userAgentName }, target);
    if (late !== undefined) applyAccepted(pending, target);
    const rejected = changes.done().changed.filter(({ clientStatus }) => clientStatus === 'NACKED');
    type.nacked = { nonce, versionInfo: rejectedVersion, names: rejected.map(({ name }) => name) };
  }
  const reported = { nonce, rejectedVersion, errorDetail, errorCode };
  return { kind: 'nack-sent', ...reported, ...tookMs, ...repeatsOf(receipt), ...evidence };
}

/** Reports the rows that are unchanged since a NACK with these details. */
function putRejected(
  names: readonly string[],
  details: string,
  { holdings: { rows }, changes }: AnswerTarget,
): void {
  for (const name of names) {
    const row = rows.get(name);
    if (row?.clientStatus === 'NACKED' && row.errorState?.details === details) changes.put(row);
  }
}
