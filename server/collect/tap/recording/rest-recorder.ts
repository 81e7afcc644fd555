import { createHash, randomUUID } from 'node:crypto';
import { gunzipSync, inflateSync } from 'node:zlib';
import type { NodeInfo } from '@/lib/observation/observation';
import { scopeOfProbe } from '@/lib/xds/client-scope';
import { normaliseResourceName } from '@/lib/xds/resource-name';
import { findResourceType } from '@/lib/xds/resource-type';
import { type ApiVersion, findTypeOfRestPath, methodOfPolls } from '@/lib/xds/rest-path';
import type { EpochMs } from '@/lib/xds/units';
import type { Codec } from '../../../codec/codec';
import { readDiscoveryDocument } from '../../../codec/discovery-document';
import { parseJson } from '../../../codec/input/parse-notation';
import { isJsonObject } from '../../../codec/json/json-object';
import { encodeJson, formatProblems } from '../../../codec/json/json-to-message';
import { readNodeInfo } from '../../../codec/node-info';
import { messageType } from '../../../codec/root';
import { readHttpErrorText } from '../../../transport/grpc/http-error-text';
import { type EnvelopeResult, toEnvelope } from '../../xds/response/decode-response';
import type { PollEvent } from '../copy-events';
import type { Emit, OpenedStream, Receipt, StreamClient } from '../recorded-stream';
import type { ClientHoldings } from './client-holdings';
import { type DecodedRequest, decodeRequest, type ObservedRequest } from './decode-request';
import { ownUserAgent } from './discovery-recorder';
import { DiscoveryStream } from './discovery-stream';
import { PollStream } from './poll-stream';
import type { ResourceReader } from './resource-reader';

interface RestRecorderOptions {
  readonly codec: Pick<Codec, 'redactNode'>;
  readonly reader: ResourceReader;
  readonly emitOf: (tap: number) => Emit;
  readonly identify: (tap: number, node: NodeInfo, scope: string) => StreamClient;
  readonly holdingsOf: (tap: number, client: StreamClient) => ClientHoldings;
  readonly onNote: (tap: number, note: string) => void;
  readonly onEnd: (end: EndOfPolls) => void;
}

/** The end of a stream. */
export interface EndOfPolls {
  readonly tap: number;
  readonly streamId: string;
  readonly client: StreamClient;
  readonly at: EpochMs;
  readonly code: string;
  readonly details: string;
  readonly hadResponse: boolean;
}

type Of<K extends PollEvent['kind']> = Extract<PollEvent, { readonly kind: K }>;

interface DecodedPoll {
  readonly request: ObservedRequest;
  readonly node: NodeInfo;
}

/** A poll whose response has not arrived. */
interface Outstanding {
  readonly stream: PollStream;
  readonly typeUrl: string;
  readonly apiVersion: 'v3' | 'v2';
}

const maxStreams = 50_000;
const maxOutstanding = 50_000;
/** Limits the kept polls, which each client repeats. */
const maxKnownPolls = 2_000;

/**
 * Records xDS over REST. The polls of one subscription (a client, a type and its names) are one stream, whatever connections
 * they use: a client may use any of its connections for the next poll.
 */
export class RestRecorder {
  readonly #options: RestRecorderOptions;

  /** The keys consist of tap, client and type. */
  readonly #streams = new Map<string, PollStream[]>();
  #streamCount = 0;
  #newestAt: EpochMs = 0;
  /** The keys are the connection and the exchange. */
  readonly #outstanding = new Map<string, Map<number, Outstanding>>();
  /** The key is the digest. */
  readonly #known = new Map<string, DecodedPoll>();

  constructor(options: RestRecorderOptions) {
    this.#options = options;
  }

  record(event: PollEvent, body: Buffer): void {
    this.#newestAt = event.at;
    if (event.kind === 'polled') this.#onPoll(event, body);
    else if (event.kind === 'poll-answered') this.#onAnswer(event, body);
    else if (event.kind === 'polls-dropped') this.#onDropped(event);
    else this.#onConnectionClosed(event);
  }

  /** Ends the streams of clients that poll no longer. */
  check(now: EpochMs): void {
    for (const stream of this.#all()) {
      const silentMs = stream.silentMs(now);
      if (silentMs === null) continue;
      this.#end(stream, now, 'CANCELLED', `the client has not polled for ${Math.round(silentMs / 1000)} s`);
    }
  }

  onTapClosed(tap: number): void {
    for (const stream of this.#all())
      if (stream.tap === tap) this.#end(stream, this.#newestAt, 'UNAVAILABLE', 'the tap was closed');
  }

  #onPoll(event: Of<'polled'>, body: Buffer): void {
    const { tap, path, at, clockMs } = event;
    const found = findTypeOfRestPath(path);
    if (found === undefined) return;
    const decoded = this.#decode(tap, body, found.typeUrl);
    if (decoded === undefined) return;
    const { node, request } = decoded;
    const stream = this.#streamOf(event, node, request);
    if (stream === undefined) return;
    const outstanding = this.#outstanding.get(event.connectionId) ?? new Map<number, Outstanding>();
    this.#outstanding.set(event.connectionId, outstanding);
    // A connection sends its next request when it has the response, or has few requests without one.
    if (this.#outstanding.size <= maxOutstanding) outstanding.set(event.exchange, { stream, ...found });
    else {
      const expected = `expected at most ${maxOutstanding} connections with polls over REST at a time`;
      this.#options.onNote(tap, `${expected}, got more: the responses to the last ones are not recorded`);
    }
    if (stream.isRestart(request)) {
      this.#close(stream, at, 'CANCELLED', 'the client polls without a version again: it has started anew');
    }
    stream.poll(request, event, { at, clockMs });
  }

  #decode(tap: number, body: Buffer, typeUrl: string): DecodedPoll | undefined {
    const digest = `${typeUrl} ${createHash('sha256').update(body).digest('base64')}`;
    const known = this.#known.get(digest);
    if (known !== undefined) return known;
    const decoded = decodePoll(body, typeUrl);
    if (decoded.kind === 'unreadable') {
      this.#options.onNote(tap, `not recorded: ${decoded.reason}`);
      return undefined;
    }
    const node = readNodeInfo(decoded.request.node, (json) => this.#options.codec.redactNode(json));
    const poll = { node, request: { ...decoded.request, typeUrl } };
    this.#known.set(digest, poll);
    const [oldest] = this.#known.keys();
    if (this.#known.size > maxKnownPolls && oldest !== undefined) this.#known.delete(oldest);
    return poll;
  }

  /**
   * Envoy polls each cluster's endpoints and each route configuration by itself. A poll whose names overlap with those of a
   * stream continues it with a changed subscription.
   */
  #streamOf(event: Of<'polled'>, node: NodeInfo, { resourceNames }: ObservedRequest): PollStream | undefined {
    const { tap, path } = event;
    const scope = node.userAgentName === ownUserAgent ? scopeOfProbe(node.id, 'rest') : '';
    const key = [tap, node.id, node.cluster, scope, path].join('\u0000');
    const streams = this.#streams.get(key) ?? [];
    const names = new Set(resourceNames.map(normaliseResourceName));
    const known = streams.find((each) => each.continues(names));
    if (known !== undefined) return known;
    if (this.#streamCount >= maxStreams) {
      this.#options.onNote(
        tap,
        `expected at most ${maxStreams} subscriptions over REST at a time, got more: the last ones are not recorded`,
      );
      return undefined;
    }
    const stream = new PollStream({
      ...{ tap, key },
      open: (at, peer, server) => this.#open({ tap, path, peer, server, at }, node, scope),
      onFailed: (failed, at, code, details) => this.#close(failed, at, code, details),
    });
    this.#streams.set(key, [...streams, stream]);
    this.#streamCount += 1;
    return stream;
  }

  #open(
    { tap, path, peer, server, at }: Omit<OpenedStream, 'streamId' | 'isLate'>,
    node: NodeInfo,
    scope: string,
  ): { readonly streamId: string; readonly discovery: DiscoveryStream } {
    const options = this.#options;
    const found = findTypeOfRestPath(path);
    const client = options.identify(tap, node, scope);
    const streamId = randomUUID();
    const discovery = new DiscoveryStream({
      opened: { ...{ streamId, tap, path, peer, server, at }, isLate: false },
      method: {
        path: methodOfPolls(path),
        type: findResourceType(found?.typeUrl ?? '') ?? null,
        isDelta: false,
        apiVersion: found?.apiVersion ?? 'v3',
      },
      reader: options.reader,
      emit: options.emitOf(tap),
      client,
      scope,
      holdingsOf: (of) => options.holdingsOf(tap, of),
      onUnreadable: (reason) => options.onNote(tap, `not recorded: ${reason}`),
      isPolled: true,
    });
    return { streamId, discovery };
  }

  #onAnswer(
    { tap, connectionId, exchange, status, encoding, at, clockMs }: Of<'poll-answered'>,
    body: Buffer,
  ) {
    const outstanding = this.#outstanding.get(connectionId);
    const poll = outstanding?.get(exchange);
    outstanding?.delete(exchange);
    if (poll === undefined) return;
    const { stream, typeUrl, apiVersion } = poll;
    const receipt: Receipt = { at, clockMs };
    if (status === 304) stream.onNotModified(at);
    else if (status !== 200) stream.onError(at, codeOfStatus(status), describeError(status, body));
    else if (stream.isRepeated(body)) stream.onUnchanged();
    else {
      const answer = decodePollAnswer({ body, encoding, typeUrl, apiVersion });
      if (answer.kind === 'envelope') stream.onResponse(answer.envelope, body, receipt);
      else {
        this.#options.onNote(tap, `not recorded: ${answer.reason}`);
        stream.onDropped({ messages: 1, bytes: body.length, from: at, reason: answer.reason }, at);
      }
    }
  }

  #onDropped({ tap, connectionId, exchange, at, ...dropped }: Of<'polls-dropped'>): void {
    const { messages, bytes, from, reason } = dropped;
    this.#options.onNote(tap, `not recorded: ${reason}`);
    const outstanding = this.#outstanding.get(connectionId);
    for (const [number, { stream }] of outstanding ?? []) {
      if (exchange !== null && exchange !== number) continue;
      outstanding?.delete(number);
      stream.onDropped({ messages, bytes, from, reason }, at);
    }
  }

  #onConnectionClosed({ connectionId, details, at }: Of<'polls-ended'>): void {
    const polls = this.#outstanding.get(connectionId)?.values() ?? [];
    this.#outstanding.delete(connectionId);
    const code = details.startsWith('the server') ? 'UNAVAILABLE' : 'CANCELLED';
    for (const { stream } of polls) stream.onError(at, code, `${details} before its response`);
    for (const stream of this.#all()) stream.onConnectionClosed(connectionId);
  }

  *#all(): Generator<PollStream> {
    for (const streams of [...this.#streams.values()]) yield* [...streams];
  }

  /** The stream is opened again with the next answered poll. */
  #close(stream: PollStream, at: EpochMs, code: string, details: string): void {
    const opened = stream.close();
    if (opened === null) return;
    const { streamId, discovery } = opened;
    discovery.onClosed();
    const { client, hadResponse } = discovery;
    this.#options.onEnd({ tap: stream.tap, streamId, client, at, code, details, hadResponse });
  }

  #end(stream: PollStream, at: EpochMs, code: string, details: string): void {
    this.#close(stream, at, code, details);
    const left = (this.#streams.get(stream.key) ?? []).filter((each) => each !== stream);
    if (left.length > 0) this.#streams.set(stream.key, left);
    else this.#streams.delete(stream.key);
    this.#streamCount -= 1;
  }
}

function describeError(status: number, body: Buffer): string {
  const text = readHttpErrorText(body);
  return `HTTP status ${status}${text === '' ? '' : `: ${text}`}`;
}

/** The gRPC status code that the HTTP status stands for (grpc/doc/http-grpc-status-mapping.md). */
function codeOfStatus(status: number): string {
  if (status === 400) return 'INTERNAL';
  if (status === 401) return 'UNAUTHENTICATED';
  if (status === 403) return 'PERMISSION_DENIED';
  if (status === 404) return 'UNIMPLEMENTED';
  return [429, 502, 503, 504].includes(status) ? 'UNAVAILABLE' : 'UNKNOWN';
}

/** Larger than a copied body, which may be compressed. */
const maxPlainBytes = 256 * 1024 * 1024;

/** Decodes a DiscoveryRequest in JSON, in camelCase or snake_case. */
function decodePoll(body: Buffer, typeUrl: string): DecodedRequest {
  const unreadable = (reason: string): DecodedRequest => {
    const what = `expected a DiscoveryRequest in JSON, got ${body.length} bytes`;
    return { kind: 'unreadable', reason: `${what}: ${reason}` };
  };
  const parsed = parseJson(body.toString('utf8'));
  if (!parsed.ok) return unreadable(parsed.reason);
  const [json = null] = parsed.documents;
  if (!isJsonObject(json)) return unreadable('it is no object');
  const { node } = json;
  // Envoy lists more than 1,000 extensions in each poll.
  const { extensions: _, ...identity } = isJsonObject(node) ? node : {};
  const type = messageType('envoy.service.discovery.v3.DiscoveryRequest');
  const { bytes, problems } = encodeJson(type, { ...json, node: identity });
  const serious = problems.filter(({ isUnknownField }) => !isUnknownField);
  if (serious.length > 0) return unreadable(formatProblems(serious));
  return decodeRequest(bytes, { isDelta: false, typeUrl, withNode: true });
}

interface PollAnswer {
  readonly body: Buffer;
  /** Content-Encoding. */
  readonly encoding: string;
  readonly typeUrl: string;
  readonly apiVersion: ApiVersion;
}

/** Decodes a DiscoveryResponse in JSON. */
function decodePollAnswer({ body, encoding, typeUrl, apiVersion }: PollAnswer): EnvelopeResult {
  const plain = inflate(body, encoding);
  if (typeof plain === 'string') return { kind: 'unreadable', reason: plain };
  const document = readDiscoveryDocument({ bytes: plain, format: 'json' });
  if (document.kind === 'unreadable') return document;
  return toEnvelope(document, { isDelta: false, typeUrl, apiVersion }, plain.length);
}

/** Returns the reason if the body cannot be read. */
function inflate(body: Buffer, encoding: string): Buffer | string {
  if (encoding === '' || encoding === 'identity') return body;
  if (encoding !== 'gzip' && encoding !== 'deflate') {
    return `expected the Content-Encoding gzip or deflate, got ${JSON.stringify(encoding.slice(0, 40))}`;
  }
  try {
    const limits = { maxOutputLength: maxPlainBytes };
    return encoding === 'gzip' ? gunzipSync(body, limits) : inflateSync(body, limits);
  } catch (error) {
    return `expected a body in ${encoding}: ${error instanceof Error ? error.message : ''}`;
  }
}
