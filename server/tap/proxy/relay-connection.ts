import { randomUUID } from 'node:crypto';
import {
  type ClientHttp2Session,
  constants,
  type Http2Session,
  type IncomingHttpHeaders,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2';
import type { Clock } from '../../observe';
import { isRecordedPath } from '../recorded-paths';
import { toHeaderList } from './header-list';
import { RelayStream } from './relay-stream';
import { StreamCopies, type StreamCopiesOptions } from './stream-copies';
import { type StreamEnd, serverClosed } from './stream-end';

export interface RelayConnectionOptions {
  readonly near: ServerHttp2Session;
  readonly far: ClientHttp2Session;
  readonly tap: number;
  /** "127.0.0.1:43210". */
  readonly peer: string;
  readonly server: string;
  /** Where only one side is TLS, `:scheme` is not the same on both. */
  readonly scheme: 'http' | 'https';
  readonly queue: StreamCopiesOptions['queue'];
  readonly clock: Clock;
  /** Who does not answer a PING within that time is gone. */
  readonly pingTimeoutMs: number;
  /** Why no copies are to be made now; empty: they are. */
  readonly pausedFor: () => string;
  readonly handler: RelayHandler;
}

export interface RelayHandler {
  onBytes(direction: 'up' | 'down', sizeBytes: number): void;
  onDropped(messages: number): void;
  onStreams(change: 1 | -1): void;
  onClose(connection: RelayConnection): void;
}

/** What a client that reads slowly has to take the rest in, once its server is gone. */
const drainTimeoutMs = 5_000;
const drainPollMs = 10;

/**
 * One client's connection, and the connection to its server that belongs to it alone: streams, limits, GOAWAY, PING
 * and the end of the one are those of the other.
 */
export class RelayConnection {
  readonly #streams = new Map<
    string,
    { readonly relay: RelayStream; readonly copies: StreamCopies | null }
  >();
  /** Stream ids of the server's side -> those of the client's. */
  #newestIds: { readonly near: number; readonly far: number }[] = [];
  #isFarGoing = false;
  #isOver = false;

  constructor(private readonly options: RelayConnectionOptions) {
    const { near, far, pingTimeoutMs } = options;
    const silent = `answered no PING within ${pingTimeoutMs / 1000} s`;
    near.on(
      'stream',
      (stream: ServerHttp2Stream, headers: IncomingHttpHeaders, flags: number, raw: string[]) =>
        this.#openStream(stream, headers, flags, raw),
    );
    this.#relayGoaway();
    this.#relaySettings();
    this.#relayPings(near, far, { code: 'UNAVAILABLE', details: `the server ${silent}` });
    this.#relayPings(far, near, { code: 'CANCELLED', details: `the client ${silent}` });
    // Every error ends in 'close'.
    near.on('error', () => {});
    far.on('error', () => {});
    near.on('close', () => this.#onNearClosed());
    far.on('close', () => this.#onFarClosed());
  }

  get copies(): Iterable<readonly [string, StreamCopies]> {
    return [...this.#streams].flatMap(([id, { copies }]) => (copies === null ? [] : [[id, copies] as const]));
  }

  /** The tap is being closed. */
  destroy(details: string): void {
    this.#loseStreams({ code: 'UNAVAILABLE', details });
    this.options.near.destroy();
    this.options.far.destroy();
  }

  #openStream(near: ServerHttp2Stream, headers: IncomingHttpHeaders, flags: number, raw: string[]): void {
    const { far, scheme, handler } = this.options;
    near.on('error', () => {});
    if (this.#isFarGoing || far.closed || far.destroyed) {
      // The server has said that it takes no more; the client may try elsewhere, nothing was done.
      near.close(constants.NGHTTP2_REFUSED_STREAM);
      return;
    }
    const isHalfClosed = (flags & constants.NGHTTP2_FLAG_END_STREAM) !== 0;
    const list = toHeaderList(raw, headers);
    list[constants.HTTP2_HEADER_SCHEME] = scheme;
    let request: ReturnType<ClientHttp2Session['request']>;
    try {
      request = far.request(list, { endStream: isHalfClosed, waitForTrailers: !isHalfClosed });
    } catch {
      near.close(constants.NGHTTP2_PROTOCOL_ERROR);
      return;
    }
    request.once('ready', () => this.#newestIds.push({ near: near.id ?? 0, far: request.id ?? 0 }));
    const streamId = randomUUID();
    const copies = this.#copiesOf(streamId, headers);
    const relay = new RelayStream({
      near,
      far: request,
      isHalfClosed,
      copies,
      isNearAlive: () => isAlive(this.options.near),
      isFarAlive: () => isAlive(far),
      onBytes: handler.onBytes,
      onClose: () => {
        this.#streams.delete(streamId);
        this.#newestIds = this.#newestIds.filter((ids) => ids.near !== near.id);
        handler.onStreams(-1);
      },
    });
    this.#streams.set(streamId, { relay, copies });
    handler.onStreams(1);
  }

  #copiesOf(streamId: string, headers: IncomingHttpHeaders): StreamCopies | null {
    const path = String(headers[constants.HTTP2_HEADER_PATH] ?? '').slice(1);
    if (!isRecordedPath(path)) return null;
    const { tap, peer, server, queue, clock, handler } = this.options;
    const encoding = String(headers['grpc-encoding'] ?? '');
    const { onDropped } = handler;
    const copies = new StreamCopies({
      ...{ streamId, tap, path, peer, server, encoding, queue, onDropped },
      now: () => clock.now(),
    });
    const pausedFor = this.options.pausedFor();
    if (pausedFor !== '') copies.pause(pausedFor);
    return copies;
  }

  #relayGoaway(): void {
    const { near, far } = this.options;
    far.on('goaway', (code: number, lastStreamId: number, data?: Uint8Array) => {
      this.#isFarGoing = true;
      if (!near.destroyed) near.goaway(code, this.#nearIdOf(lastStreamId), data);
    });
    near.on('goaway', (code: number, _lastStreamId: number, data?: Uint8Array) => {
      // It names streams of the server's, of which gRPC has none.
      if (!far.destroyed) far.goaway(code, 0, data);
    });
  }

  /** "All of them" stays all; else the newest of the client's streams that the server may have begun. */
  #nearIdOf(lastFarId: number): number {
    if (lastFarId >= 2 ** 31 - 1) return lastFarId;
    const begun = this.#newestIds.filter(({ far }) => far <= lastFarId).map(({ near }) => near);
    return Math.max(0, ...begun);
  }

  /** What came at first is in the handshake of both; this is what changes later. */
  #relaySettings(): void {
    const { near, far } = this.options;
    far.on('remoteSettings', ({ maxConcurrentStreams }) => {
      if (!near.destroyed && maxConcurrentStreams !== undefined) near.settings({ maxConcurrentStreams });
    });
    near.on('remoteSettings', ({ maxHeaderListSize }) => {
      if (!far.destroyed && maxHeaderListSize !== undefined) far.settings({ maxHeaderListSize });
    });
  }

  /** Each hop answers for itself; so the question goes on, and who does not answer it is gone for both. */
  #relayPings(from: Http2Session, to: Http2Session, end: StreamEnd): void {
    const { clock, pingTimeoutMs } = this.options;
    from.on('ping', (payload: Buffer) => {
      if (to.destroyed || to.closed) return;
      const timer = clock.setTimeout(() => {
        this.#loseStreams(end);
        to.destroy();
      }, pingTimeoutMs);
      const isSent = to.ping(payload, () => timer.cancel());
      if (!isSent) timer.cancel();
    });
  }

  #onNearClosed(): void {
    this.#loseStreams({ code: 'CANCELLED', details: 'the client closed its connection' });
    // Its streams are being reset; then there is nobody whose connection this is.
    const { far } = this.options;
    if (!far.destroyed) setImmediate(() => far.destroy());
    this.#finish();
  }

  #onFarClosed(): void {
    this.#loseStreams(serverClosed);
    const { near, clock } = this.options;
    const until = clock.now() + drainTimeoutMs;
    const end = (): void => {
      if (near.destroyed) return;
      const isWaiting = [...this.#streams.values()].some(({ relay }) => relay.waitingBytes > 0);
      if (isWaiting && clock.now() < until) clock.setTimeout(end, drainPollMs);
      else if (near.closed) near.close();
      else hangUp(near);
    };
    end();
    this.#finish();
  }

  #loseStreams(end: StreamEnd): void {
    for (const { relay } of this.#streams.values()) relay.lose(end);
  }

  #finish(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.options.handler.onClose(this);
  }
}

function isAlive(session: Http2Session): boolean {
  return !session.destroyed && !session.socket.destroyed;
}

/** As a server does that is gone: the connection ends, without a word of HTTP/2. */
function hangUp(session: ServerHttp2Session): void {
  session.socket.destroySoon();
}
