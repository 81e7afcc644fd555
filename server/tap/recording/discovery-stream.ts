import { findRejectedNames } from '@/lib/nacks/find-rejected-names';
import type { ResourceChanges } from '@/lib/observation/observation';
import type { DiscoveryMethod } from '@/lib/xds/discovery-methods';
import { normaliseResourceName } from '@/lib/xds/resource-name';
import { CDS, LDS } from '@/lib/xds/resource-type';
import type { EpochMs } from '@/lib/xds/units';
import { decodeEnvelope } from '../../xds/response/decode-response';
import type { ResponseEnvelope } from '../../xds/response/response-envelope';
import type { Emit, MessageHandler, OpenedStream, Receipt, Speaker } from '../recorded-stream';
import { type ClientHoldings, RowChanges, type TypeHoldings } from './client-holdings';
import { decodeRequest, type ObservedRequest } from './decode-request';
import { asksAnew, keepOnly, readDelta, readWhole, type Subscription } from './read-subscription';
import type { PassedResource, ResourceReader } from './resource-reader';

export interface DiscoveryStreamOptions {
  readonly opened: OpenedStream;
  readonly method: DiscoveryMethod;
  readonly reader: ResourceReader;
  readonly emit: Emit;
  /** Who it is, as the first message that names a node says; the stream may be known from before. */
  readonly identify: (node: object | null) => Speaker;
  readonly holdingsOf: (clientId: string) => ClientHoldings;
  readonly known: Speaker | null;
  /** Something that cannot be read, in words. */
  readonly onUnreadable: (reason: string) => void;
}

interface PendingResponse {
  readonly receivedMs: number;
  readonly versionInfo: string;
  readonly isDelta: boolean;
  readonly resources: readonly PassedResource[];
  readonly removed: readonly string[];
}

interface ReportedNack {
  readonly nonce: string;
  readonly versionInfo: string;
  /** What it rejected. */
  readonly names: readonly string[];
}

interface StreamType extends Subscription {
  /** By nonce, the oldest first. */
  readonly pending: Map<string, PendingResponse>;
  /** The newest NACK. Clients tell it again whenever they change what they ask for, until the next response. */
  nacked: ReportedNack | null;
  /** When the newest request passed that nothing has answered yet. */
  askedMs: number | null;
}

/** A server that sends on and on without an answer: the oldest are forgotten. */
const maxPending = 16;
/** Of one stream. */
const maxTypes = 200;

/** State of the world: what is absent from them is deleted. */
const wholeTypes: ReadonlySet<string> = new Set([LDS.typeUrl, CDS.typeUrl]);
/** One xDS stream of one client, read along. Its requests make the client's rows, as far as they tell. */
export class DiscoveryStream implements MessageHandler {
  #speaker: Speaker | null;
  #holdings: ClientHoldings | null = null;
  readonly #types = new Map<string, StreamType>();
  hadResponse = false;

  constructor(private readonly options: DiscoveryStreamOptions) {
    this.#speaker = options.known;
    if (options.known === null) return;
    this.#holdings = options.holdingsOf(options.known.clientId);
    this.#holdings.openStreams += 1;
  }

  get speaker(): Speaker | null {
    return this.#speaker;
  }

  onRequest(message: Buffer, receipt: Receipt): void {
    const { method, onUnreadable } = this.options;
    const decoded = decodeRequest(message, {
      isDelta: method.isDelta,
      typeUrl: method.type?.typeUrl ?? null,
    });
    if (decoded.kind === 'unreadable') {
      onUnreadable(decoded.reason);
      return;
    }
    const { request } = decoded;
    const holdings = this.#open(request, receipt.at);
    const type = this.#typeOf(request.typeUrl);
    if (type === undefined) return;
    const held = holdings.typeOf(request.typeUrl);
    const pending = type.pending.get(request.responseNonce);
    const isAnswer = pending !== undefined || request.errorDetail !== null;
    if (isAnswer) this.#answer(request, type, held, pending, receipt);
    this.#subscribe(request, type, held, isAnswer, receipt);
  }

  onResponse(message: Buffer, receipt: Receipt): void {
    const { method, reader, onUnreadable } = this.options;
    this.hadResponse = true;
    const { isDelta, apiVersion } = method;
    const decoded = decodeEnvelope(message, { isDelta, typeUrl: method.type?.typeUrl ?? null, apiVersion });
    if (decoded.kind === 'unreadable') {
      onUnreadable(decoded.reason);
      return;
    }
    const { envelope } = decoded;
    const resources = reader.read(envelope);
    const type = this.#typeOf(envelope.typeUrl);
    this.#emitResponse(envelope, resources, type, receipt);
    if (type === undefined) return;
    const { versionInfo, nonce } = envelope;
    const removed = envelope.removedResources.map(normaliseResourceName);
    type.pending.delete(nonce);
    type.pending.set(nonce, { receivedMs: receipt.clockMs, versionInfo, isDelta, resources, removed });
    if (type.pending.size <= maxPending) return;
    const [oldest] = type.pending.keys();
    if (oldest !== undefined) type.pending.delete(oldest);
  }

  /** Answers that were missed may have been to any of them. */
  onGap(): void {
    for (const type of this.#types.values()) {
      type.pending.clear();
      type.askedMs = null;
    }
  }

  onClosed(): void {
    for (const [typeUrl, { wants }] of this.#types) this.#holdings?.typeOf(typeUrl).leave(wants);
    if (this.#holdings !== null) this.#holdings.openStreams -= 1;
  }

  #open(request: ObservedRequest, at: EpochMs): ClientHoldings {
    if (this.#holdings !== null) return this.#holdings;
    const { identify, holdingsOf, opened, method, emit } = this.options;
    const speaker = identify(request.node);
    const holdings = holdingsOf(speaker.clientId);
    // It says that it has nothing, though nothing is known of it here, or it accepted some of the type before: what an
    // earlier process of it held is gone, of types too that this one may never ask for.
    const holdsNothing = request.versionInfo === '' && request.initialVersions.size === 0;
    const isAlone = holdings.openStreams === 0 && !opened.isLate;
    const isUnknown = holdings.isEmpty;
    const isAnew = method.type === null && !isUnknown && holdings.typeOf(request.typeUrl).hasAccepted;
    const isFresh = isAlone && holdsNothing && (isUnknown || isAnew);
    if (isFresh) holdings.clear();
    holdings.openStreams += 1;
    this.#speaker = speaker;
    this.#holdings = holdings;
    const { streamId, server, peer } = opened;
    const { clientId, node } = speaker;
    const reported = { clientId, streamId, server, peer, node, scope: '' };
    const name = method.path.slice(method.path.lastIndexOf('/') + 1);
    emit({ kind: 'stream-opened', ...reported, method: name, ...(isFresh && { cacheEmpty: true }) }, at);
    return holdings;
  }

  #typeOf(typeUrl: string): StreamType | undefined {
    let type = this.#types.get(typeUrl);
    if (type === undefined) {
      if (this.#types.size >= maxTypes) return undefined;
      const wants = { wildcard: false, names: new Set<string>() };
      type = { wants, hasNamed: false, isKnown: false, pending: new Map(), nacked: null, askedMs: null };
      this.#types.set(typeUrl, type);
      this.#holdings?.typeOf(typeUrl).join(wants);
    }
    return type;
  }

  /** What changes in what is asked for; or everything, when the type is new to the stream. */
  #subscribe(
    request: ObservedRequest,
    type: StreamType,
    held: TypeHoldings,
    isAnswer: boolean,
    receipt: Receipt,
  ): void {
    const { streamId } = this.options.opened;
    const { typeUrl, versionInfo, responseNonce, initialVersions } = request;
    const isFirst = !type.isKnown;
    type.isKnown = true;
    held.join(type.wants);
    const changes = new RowChanges();
    const isDelta = this.options.method.isDelta;
    if (isFirst && !this.options.opened.isLate && !held.isShared(type.wants)) {
      if (isDelta) keepOnly(held, initialVersions, changes);
      else if (versionInfo === '') held.clear(changes);
    }
    const { added, dropped } = isDelta ? readDelta(request, type, isFirst) : readWhole(request, type);
    for (const name of added) held.want(name, receipt.at, changes);
    for (const name of dropped) held.drop(name, changes);
    for (const [name, version] of initialVersions) {
      held.heldBefore(normaliseResourceName(name), version, receipt.at, changes);
    }
    const isChanged = added.length > 0 || dropped.length > 0;
    if (isAnswer && !isChanged) return;
    type.askedMs = receipt.clockMs;
    const { clientId } = this.#speakerOf();
    const unsubscribed = isDelta ? request.unsubscribedNames : [];
    this.options.emit(
      {
        ...{ kind: 'request-sent', clientId, streamId, typeUrl, versionInfo, responseNonce },
        resourceNames: request.resourceNames,
        ...(unsubscribed.length > 0 && { unsubscribedNames: unsubscribed }),
        ...changes.done(),
      },
      receipt.at,
    );
  }

  /** An ACK or a NACK; `pending` is undefined where the response was not seen. */
  #answer(
    request: ObservedRequest,
    type: StreamType,
    held: TypeHoldings,
    pending: PendingResponse | undefined,
    receipt: Receipt,
  ): void {
    const { typeUrl, versionInfo, responseNonce: nonce, errorDetail, errorCode } = request;
    const { streamId } = this.options.opened;
    const { clientId } = this.#speakerOf();
    const asks = this.options.method.isDelta ? request.resourceNames.length > 0 : asksAnew(request, type);
    type.pending.delete(nonce);
    const tookMs = pending === undefined ? {} : { tookMs: Math.max(0, receipt.clockMs - pending.receivedMs) };
    const names = asks ? { resourceNames: request.resourceNames } : {};
    const reported = { clientId, streamId, typeUrl, versionInfo, nonce, ...names, ...tookMs };
    if (errorDetail === null) {
      const changes = pending === undefined ? noChanges : this.#accept(pending, held, receipt.at);
      this.options.emit({ kind: 'ack-sent', ...reported, ...changes }, receipt.at);
      return;
    }
    const again = pending === undefined && type.nacked?.nonce === nonce ? type.nacked : undefined;
    const changes =
      pending === undefined
        ? rejectedStill(again?.names ?? [], errorDetail, held)
        : this.#reject(pending, { ...request, errorDetail }, held, receipt.at);
    const rejectedVersion = (pending ?? again)?.versionInfo ?? '';
    if (pending !== undefined) {
      const rejected = changes.changed.filter(({ clientStatus }) => clientStatus === 'NACKED');
      type.nacked = { nonce, versionInfo: rejectedVersion, names: rejected.map(({ name }) => name) };
    }
    this.options.emit(
      { kind: 'nack-sent', ...reported, rejectedVersion, errorDetail, errorCode, ...changes },
      receipt.at,
    );
  }

  #accept(pending: PendingResponse, held: TypeHoldings, at: EpochMs): ResourceChanges {
    const changes = new RowChanges();
    const { versionInfo, resources } = pending;
    for (const resource of resources) held.accept(resource, { versionInfo, at }, changes);
    this.#applyAbsence(pending, held, at, changes);
    return changes.done();
  }

  #applyAbsence(
    { isDelta, removed, resources }: PendingResponse,
    held: TypeHoldings,
    at: EpochMs,
    changes: RowChanges,
  ): void {
    for (const name of removed) held.delete(name, at, changes);
    if (isDelta || !wholeTypes.has(held.typeUrl)) return;
    const present = new Set(resources.map(({ name }) => name));
    for (const [name, { clientStatus }] of [...held.rows]) {
      // What was never heard of waits: the response may be older than the request.
      if (present.has(name) || clientStatus === 'REQUESTED') continue;
      held.delete(name, at, changes);
    }
  }

  #reject(
    pending: PendingResponse,
    { errorDetail, versionInfo: sent }: { readonly errorDetail: string; readonly versionInfo: string },
    held: TypeHoldings,
    at: EpochMs,
  ): ResourceChanges {
    const changes = new RowChanges();
    const { versionInfo, resources, isDelta } = pending;
    const { rejected, others } = findRejectedNames({
      names: resources.map(({ name }) => name),
      errorDetail,
      userAgentName: this.#speakerOf().node.userAgentName,
      movesVersion: !isDelta && sent !== '' && sent === versionInfo,
    });
    const acceptance = { versionInfo, at };
    for (const resource of resources) {
      const { name, body } = resource;
      if (name !== null && rejected.has(name)) held.reject(resource, errorDetail, acceptance, changes);
      else if (others === 'accepted') held.accept(resource, acceptance, changes);
      else if (others === 'unknown') held.lose(resource, errorDetail, acceptance, changes);
      else if (others === 'rejected' && held.rows.get(name ?? '')?.hash !== body?.hash) {
        held.reject(resource, errorDetail, acceptance, changes);
      }
    }
    if (others === 'accepted') this.#applyAbsence(pending, held, at, changes);
    return changes.done();
  }

  #emitResponse(
    envelope: ResponseEnvelope,
    resources: readonly PassedResource[],
    type: StreamType | undefined,
    { at, clockMs }: Receipt,
  ): void {
    const { emit, opened, onUnreadable } = this.options;
    if (this.#speaker === null || this.#holdings === null) {
      onUnreadable('a response on a stream whose first request was not seen');
      return;
    }
    const { clientId } = this.#speaker;
    const { typeUrl, versionInfo, nonce, sizeBytes, controlPlane, apiVersion, isDelta } = envelope;
    const { rows } = this.#holdings.typeOf(typeUrl);
    const news = resources.filter(
      ({ name, body }) => name !== null && body !== null && rows.get(name)?.hash !== body.hash,
    );
    const received = news.flatMap(({ name, body }) =>
      name === null || body === null ? [] : [{ name, hash: body.hash, sizeBytes: body.bytes.length }],
    );
    const unchangedResources = resources.filter(({ name }) => name !== null).length - received.length;
    const names = namesToReport(envelope, resources, rows, unchangedResources);
    const removedNames = envelope.removedResources;
    const askedMs = type?.askedMs ?? null;
    if (type !== undefined) type.askedMs = null;
    emit(
      {
        ...{ kind: 'response-received', clientId, streamId: opened.streamId, typeUrl, versionInfo, nonce },
        ...{ sizeBytes, controlPlane, resources: received, unchangedResources },
        ...(names !== undefined && { names }),
        ...(isDelta && removedNames.length > 0 && { removedNames }),
        ...(askedMs !== null && { tookMs: Math.max(0, clockMs - askedMs) }),
        ...(apiVersion === 'v2' && { apiVersion }),
      },
      at,
      // A resource that is rejected is there to be looked at, too.
      news.flatMap(({ body }) => (body === null ? [] : [body])),
    );
  }

  #speakerOf(): Speaker {
    if (this.#speaker === null) throw new Error('a stream was read before it was opened');
    return this.#speaker;
  }
}

const noChanges: ResourceChanges = { changed: [], removed: [] };

/** Rows that are as a NACK with these words left them. */
function rejectedStill(names: readonly string[], words: string, { rows }: TypeHoldings): ResourceChanges {
  const changes = new RowChanges();
  for (const name of names) {
    const row = rows.get(name);
    if (row?.clientStatus === 'NACKED' && row.errorState?.details === words) changes.put(row);
  }
  return changes.done();
}

/** Only where they cannot be concluded; see ResponseReceived.names. */
function namesToReport(
  { isDelta, typeUrl }: ResponseEnvelope,
  resources: readonly PassedResource[],
  rows: ReadonlyMap<string, { readonly hash: string | null }>,
  unchanged: number,
): readonly string[] | undefined {
  const names = resources.flatMap(({ name }) => (name === null ? [] : [name]));
  if (isDelta) return unchanged > 0 ? names : undefined;
  if (wholeTypes.has(typeUrl)) return undefined;
  const present = new Set(names);
  for (const [name, { hash }] of rows) if (hash !== null && !present.has(name)) return names;
  return undefined;
}
