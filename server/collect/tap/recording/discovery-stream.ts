import type { DiscoveryMethod } from '@/lib/xds/discovery-methods';
import { normaliseResourceName } from '@/lib/xds/resource-name';
import { findResourceType, RDS, SRDS, VHDS } from '@/lib/xds/resource-type';
import type { EpochMs } from '@/lib/xds/units';
import { decodeEnvelope } from '../../xds/response/decode-response';
import type { ResponseEnvelope } from '../../xds/response/response-envelope';
import type { Dropped, Emit, MessageHandler, OpenedStream, Receipt, StreamClient } from '../recorded-stream';
import type { AnswerFields, ReadSubscription, RequestTarget } from './apply-request';
import { applySubscription, readAnswer } from './apply-request';
import { referencedTypes } from './client-doubts';
import type { ClientHoldings } from './client-holdings';
import { decodeRequest, type ObservedRequest } from './decode-request';
import { describeResponse } from './describe-response';
import { applyMissedRequests } from './missed-messages';
import { readDelta, readWhole } from './read-subscription';
import type { PassedResource, ResourceReader } from './resource-reader';
import { RowChanges } from './row-changes';
import { newStreamType, type StreamType } from './stream-type';

export interface DiscoveryStreamOptions {
  readonly opened: OpenedStream;
  readonly method: DiscoveryMethod;
  readonly reader: ResourceReader;
  readonly emit: Emit;
  readonly client: StreamClient;
  /** The scope of the client. Null: an earlier recording thread has reported the stream. */
  readonly scope: string | null;
  readonly holdingsOf: (client: StreamClient) => ClientHoldings;
  readonly onUnreadable: (reason: string) => void;
  /**
   * The messages are polls of REST. A poll without a changed subscription is not reported, and the next poll, which answers
   * a response, does not show how long the client took.
   */
  readonly isPolled?: boolean;
}

/** A client that processes a response answers in less time, unless it waits for something else. */
const answerMs = 2_000;
/** Limits the unanswered responses. The oldest are discarded. */
const maxPending = 16;
const maxTypes = 200;

/** Records one xDS stream of one client. The rows of the client follow from its requests. */
export class DiscoveryStream implements MessageHandler {
  readonly #options: DiscoveryStreamOptions;
  readonly #holdings: ClientHoldings;
  #isReported: boolean;
  /** Earlier messages of the stream were not recorded. */
  #isLate: boolean;
  readonly #types = new Map<string, StreamType>();
  hadResponse = false;

  constructor(options: DiscoveryStreamOptions) {
    this.#options = options;
    this.#holdings = options.holdingsOf(options.client);
    this.#isReported = options.scope === null;
    this.#isLate = options.opened.isLate;
    if (this.#isReported) this.#continue();
  }

  /** The stream has subscribed to what the client holds, as far as is known before its next request. */
  #continue(): void {
    const { type: only, isDelta } = this.#options.method;
    this.#holdings.openStreams += 1;
    for (const typeUrl of [...this.#holdings.typeUrls]) {
      const type = only === null || only.typeUrl === typeUrl ? this.#typeOf(typeUrl) : undefined;
      if (type === undefined) continue;
      type.isKnown = isDelta;
      type.wants.wildcard = isOfWildcard(typeUrl);
      if (isDelta && type.wants.wildcard) continue;
      for (const name of this.#holdings.typeOf(typeUrl).rows.keys()) type.wants.names.add(name);
    }
  }

  get client(): StreamClient {
    return this.#options.client;
  }

  onRequest(message: Buffer, receipt: Receipt): void {
    const { method, onUnreadable } = this.#options;
    const typeUrl = method.type?.typeUrl ?? null;
    const decoded = decodeRequest(message, { isDelta: method.isDelta, typeUrl, withNode: false });
    if (decoded.kind === 'unreadable') {
      onUnreadable(decoded.reason);
      return;
    }
    this.request(decoded.request, receipt);
  }

  request(request: ObservedRequest, receipt: Receipt): void {
    if (!this.#isReported) this.#open(request, receipt.at);
    const type = this.#typeOf(request.typeUrl);
    if (type === undefined) return;
    const holdings = this.#holdings.typeOf(request.typeUrl);
    const { method, isPolled = false } = this.#options;
    const { isDelta } = method;
    const { userAgentName } = this.client.node;
    const pending = type.pending.get(request.responseNonce);
    const isAnswer = pending !== undefined || request.errorDetail !== null;
    const wasWildcard = type.wants.wildcard;
    const isFirst = !type.isKnown;
    // The answer can be the first request that was recorded, and is about what it subscribes to.
    const { added, dropped } = isDelta ? readDelta(request, type) : readWhole(request, type);
    type.isKnown = true;
    const isChanged = added.length > 0 || dropped.length > 0 || type.wants.wildcard !== wasWildcard;
    const target: RequestTarget = {
      ...{ type, holdings, wants: type.wants, at: receipt.at, changes: new RowChanges() },
      ...{ receipt, isDelta, isPolled, userAgentName },
    };
    if (pending !== undefined && type.missed !== null) {
      applyMissedRequests(pending, added, target);
      type.missed = null;
    }
    const answer = isAnswer ? readAnswer(request, pending, target) : undefined;
    const subscription = { added, dropped, isChanged, isFirst };
    applySubscription(request, subscription, { isAnswer, isLate: this.#isLate }, target);
    type.versionInfo = request.versionInfo;
    if (!isAnswer || isChanged || isPolled) type.requestedMs = receipt.clockMs;
    if (isPolled && !isAnswer && !isFirst && !isChanged && target.changes.isEmpty) return;
    this.#emitRequest(request, subscription, answer, target);
    if (isChanged || request.typeUrl === RDS.typeUrl) this.#decideDoubts(request.typeUrl, receipt.at);
  }

  onResponse(message: Buffer, receipt: Receipt): void {
    const { method, onUnreadable } = this.#options;
    const { isDelta, apiVersion } = method;
    const decoded = decodeEnvelope(message, { isDelta, typeUrl: method.type?.typeUrl ?? null, apiVersion });
    if (decoded.kind === 'unreadable') {
      onUnreadable(decoded.reason);
      return;
    }
    this.response(decoded.envelope, receipt);
  }

  response(envelope: ResponseEnvelope, receipt: Receipt): void {
    const { isDelta } = this.#options.method;
    this.hadResponse = true;
    const resources = this.#options.reader.read(envelope);
    const type = this.#typeOf(envelope.typeUrl);
    this.#emitResponse(envelope, resources, type, receipt);
    if (type === undefined) return;
    this.#holdings.typeOf(envelope.typeUrl).send(resources);
    const { versionInfo, nonce } = envelope;
    const removed = envelope.removedResources.map(normaliseResourceName);
    type.pending.delete(nonce);
    const { at, clockMs: receivedMs } = receipt;
    type.pending.set(nonce, { receivedMs, at, isMarked: false, versionInfo, isDelta, resources, removed });
    if (type.pending.size <= maxPending) return;
    const [oldest] = type.pending.keys();
    if (oldest !== undefined) type.pending.delete(oldest);
  }

  /** Polls of REST: the next poll does not show whether the client accepted the response. */
  leaveUnknown(typeUrl: string, reason: string, at: EpochMs): void {
    const type = this.#types.get(typeUrl);
    const changes = new RowChanges();
    const holdings = this.#holdings.typeOf(typeUrl);
    for (const { resources, versionInfo } of type?.pending.values() ?? []) {
      for (const each of resources) holdings.markUnknown(each, reason, { versionInfo, at }, changes);
    }
    type?.pending.clear();
    this.#emitCacheChanged(reason, changes, at);
  }

  /** The management server serves what the client accepted before the responses that it rejected. */
  withdraw(typeUrl: string, reason: string, at: EpochMs): void {
    const type = this.#types.get(typeUrl);
    if (type === undefined) return;
    const changes = new RowChanges();
    this.#holdings.typeOf(typeUrl).restoreRejected(type.wants, at, changes);
    this.#emitCacheChanged(reason, changes, at);
  }

  /**
   * Marks the resources of responses that the client has not answered for a while. Returns whether a response may still
   * have to be marked.
   */
  checkAnswers(now: EpochMs): boolean {
    if (this.#options.isPolled === true) return false;
    let isWaiting = false;
    for (const [typeUrl, { pending }] of this.#types) {
      const changes = new RowChanges();
      for (const response of pending.values()) {
        if (response.isMarked) continue;
        response.isMarked = now - response.at >= answerMs;
        isWaiting ||= !response.isMarked;
        const resources = response.isMarked ? response.resources : [];
        for (const each of resources) this.#holdings.typeOf(typeUrl).markUnanswered(each, response, changes);
      }
      this.#emitCacheChanged(`a response is not answered for ${answerMs / 1000} s`, changes, now);
    }
    return isWaiting;
  }

  #emitCacheChanged(reason: string, changes: RowChanges, at: EpochMs): void {
    if (changes.isEmpty) return;
    const { clientId } = this.client;
    this.#options.emit({ kind: 'cache-changed', clientId, reason, ...changes.done() }, at);
  }

  reportDropped(dropped: Dropped, at: EpochMs): void {
    const { streamId } = this.#options.opened;
    this.#options.emit({ kind: 'copies-dropped', clientId: this.client.clientId, streamId, ...dropped }, at);
  }

  /** The missed messages may have changed any resource. */
  onGap(at: EpochMs): void {
    this.#isLate = true;
    const changes = new RowChanges();
    for (const [typeUrl, type] of this.#types) {
      const nonce = type.pending.size === 0 ? type.answeredNonce : null;
      type.missed = { nonce, versionInfo: type.versionInfo };
      type.pending.clear();
      type.requestedMs = null;
      this.#holdings.typeOf(typeUrl).markMissed(type.wants, at, changes);
    }
    this.#emitCacheChanged('messages were not recorded', changes, at);
  }

  onClosed(): void {
    for (const [typeUrl, { wants }] of this.#types)
      this.#holdings.typeOf(typeUrl).subscriptions.remove(wants);
    this.#holdings.openStreams -= 1;
  }

  #open(request: ObservedRequest, at: EpochMs): void {
    const { opened, method, emit, client } = this.#options;
    const holdings = this.#holdings;
    // The client reports that it holds nothing, and either it is unknown or it has accepted resources of the type before.
    // Then it is a new process without any resources, also of types that it may never request.
    const holdsNothing = request.versionInfo === '' && request.initialVersions.size === 0;
    const isAlone = holdings.openStreams === 0 && !opened.isLate;
    const isUnknown = holdings.isEmpty;
    const isRestarted = method.type === null && !isUnknown && holdings.typeOf(request.typeUrl).hasAccepted;
    const isFresh = isAlone && holdsNothing && (isUnknown || isRestarted);
    if (isFresh) holdings.clear();
    holdings.openStreams += 1;
    this.#isReported = true;
    const { streamId, server, peer } = opened;
    const { clientId, node } = client;
    const reported = { clientId, streamId, server, peer, node, scope: this.#options.scope ?? '' };
    // Methods of polls ("POST /v3/discovery:clusters") are not shortened.
    const { path } = method;
    const name = path.includes(' ') ? path : path.slice(path.lastIndexOf('/') + 1);
    emit({ kind: 'stream-opened', ...reported, method: name, ...(isFresh && { cacheEmpty: true }) }, at);
  }

  #typeOf(typeUrl: string): StreamType | undefined {
    let type = this.#types.get(typeUrl);
    if (type === undefined) {
      if (this.#types.size >= maxTypes) return undefined;
      type = newStreamType(this.#isLate);
      this.#types.set(typeUrl, type);
      this.#holdings.typeOf(typeUrl).subscriptions.add(type.wants);
    }
    return type;
  }

  /** One message is one observation: an ACK or NACK that changes the subscription has the names. */
  #emitRequest(
    { typeUrl, versionInfo, responseNonce, resourceNames, unsubscribedNames }: ObservedRequest,
    { isFirst, isChanged }: ReadSubscription,
    answer: AnswerFields | undefined,
    { isDelta, changes, at }: RequestTarget,
  ): void {
    const { clientId } = this.client;
    const reported = { clientId, streamId: this.#options.opened.streamId, typeUrl, versionInfo };
    const hasNames = isDelta ? resourceNames.length > 0 : isFirst || isChanged;
    const unsubscribed = isDelta && unsubscribedNames.length > 0 ? { unsubscribedNames } : {};
    const rows = changes.done();
    this.#options.emit(
      answer === undefined
        ? { kind: 'request-sent', ...reported, responseNonce, resourceNames, ...unsubscribed, ...rows }
        : { ...answer, ...reported, ...(hasNames && { resourceNames }), ...unsubscribed, ...rows },
      at,
    );
  }

  /** The subscriptions and answers of the client for a type show whether it uses the resources that refer to the type. */
  #decideDoubts(typeUrl: string, at: EpochMs): void {
    for (const [referring, referenced] of referencedTypes) {
      if (referenced !== typeUrl) continue;
      const changes = new RowChanges();
      this.#holdings.typeOf(referring).decideDoubts(at, changes);
      this.#emitCacheChanged('a later request shows what the client uses', changes, at);
    }
  }

  #emitResponse(
    envelope: ResponseEnvelope,
    resources: readonly PassedResource[],
    type: StreamType | undefined,
    receipt: Receipt,
  ): void {
    const requestedMs = type?.requestedMs ?? null;
    if (type !== undefined) type.requestedMs = null;
    const { rows } = this.#holdings.typeOf(envelope.typeUrl);
    const ids = { clientId: this.client.clientId, streamId: this.#options.opened.streamId };
    const { observation, bodies } = describeResponse(envelope, resources, rows, {
      ids,
      requestedMs,
      receipt,
    });
    this.#options.emit(observation, receipt.at, bodies);
  }
}

/** Clients usually subscribe to these types as a whole. */
function isOfWildcard(typeUrl: string): boolean {
  return (
    [SRDS, VHDS].some((type) => type.typeUrl === typeUrl) ||
    findResourceType(typeUrl)?.absenceDeletes === true
  );
}
