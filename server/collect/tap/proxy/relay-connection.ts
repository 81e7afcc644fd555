import { randomUUID } from 'node:crypto';
import {
  type ClientHttp2Session,
  constants,
  type Http2Session,
  type IncomingHttpHeaders,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2';
import type { Clock } from '../../../observe';
import { isRecordedPath } from '../recorded-paths';
import type { TapCounters } from '../tap-counters';
import { toHeaderList } from './header-list';
import { RelayStream } from './relay-stream';
import { StreamCopies, type StreamCopiesOptions } from './stream-copies';
import { type StreamEnd, serverClosed } from './stream-end';

interface RelayConnectionOptions {
  readonly near: ServerHttp2Session;
  readonly far: ClientHttp2Session;
  readonly tap: number;
  /** The client's address, such as "127.0.0.1:43210". */
  readonly peer: string;
  readonly server: string;
  /** The `:scheme` of the server's side, which differs from the client's if only one side uses TLS. */
  readonly scheme: 'http' | 'https';
  readonly queue: StreamCopiesOptions['queue'];
  readonly clock: Clock;
  /** A peer that does not answer a PING within this time is disconnected. */
  readonly pingTimeoutMs: number;
  /** Returns the reason why no copies are made, or an empty text if copies are made. */
  readonly pausedFor: () => string;
  readonly counters: TapCounters;
  readonly onClose: () => void;
}

/** Limits the time for a slow client to read the remaining bytes after its server has disconnected. */
const drainTimeoutMs = 5_000;
const drainPollMs = 10;

/**
 * The connection of one client, and its connection to the server. Streams, limits, GOAWAY and PING frames and the end of one
 * connection are relayed to the other.
 */
export class RelayConnection {
  readonly #options: RelayConnectionOptions;
  readonly #streams = new Map<
    string,
    { readonly relay: RelayStream; readonly copies: StreamCopies | null }
  >();
  /** The stream ids of the open streams on both sides. */
  #ids: { readonly near: number; readonly far: number }[] = [];
  #isFarGoing = false;
  #isOver = false;

  constructor(options: RelayConnectionOptions) {
    this.#options = options;
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
    // 'close' follows every error.
    near.on('error', () => {});
    far.on('error', () => {});
    near.on('close', () => this.#onNearClosed());
    far.on('close', () => this.#onFarClosed());
  }

  get copies(): Iterable<readonly [string, StreamCopies]> {
    return [...this.#streams].flatMap(([id, { copies }]) => (copies === null ? [] : [[id, copies] as const]));
  }

  destroy(details: string): void {
    this.#endStreams({ code: 'UNAVAILABLE', details });
    this.#options.near.destroy();
    this.#options.far.destroy();
  }

  #openStream(near: ServerHttp2Stream, headers: IncomingHttpHeaders, flags: number, raw: string[]): void {
    const { far, scheme, counters } = this.#options;
    near.on('error', () => {});
    if (this.#isFarGoing || far.closed || far.destroyed) {
      // The server accepts no more streams. REFUSED_STREAM allows the client to retry the call elsewhere.
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
    request.once('ready', () => this.#ids.push({ near: near.id ?? 0, far: request.id ?? 0 }));
    const streamId = randomUUID();
    const copies = this.#copiesOf(streamId, headers);
    const relay = new RelayStream({
      near,
      far: request,
      isHalfClosed,
      copies,
      isNearAlive: () => isAlive(this.#options.near),
      isFarAlive: () => isAlive(far),
      onBytes: (direction, sizeBytes) => counters.bytes(direction, sizeBytes),
      onClose: () => {
        this.#streams.delete(streamId);
        this.#ids = this.#ids.filter((ids) => ids.near !== near.id);
        counters.streams(-1);
      },
    });
    this.#streams.set(streamId, { relay, copies });
    counters.streams(1);
  }

  #copiesOf(streamId: string, headers: IncomingHttpHeaders): StreamCopies | null {
    const path = String(headers[constants.HTTP2_HEADER_PATH] ?? '').slice(1);
    if (!isRecordedPath(path)) return null;
    const { tap, peer, server, queue, clock, counters } = this.#options;
    const encoding = String(headers['grpc-encoding'] ?? '');
    const copies = new StreamCopies({
      ...{ streamId, tap, path, peer, server, encoding, queue },
      now: () => clock.now(),
      onDropped: (messages) => counters.dropped(messages),
    });
    const pausedFor = this.#options.pausedFor();
    if (pausedFor !== '') copies.pause(pausedFor);
    return copies;
  }

  #relayGoaway(): void {
    const { near, far } = this.#options;
    far.on('goaway', (code: number, lastStreamId: number, data?: Uint8Array) => {
      this.#isFarGoing = true;
      if (!near.destroyed) near.goaway(code, this.#nearIdOf(lastStreamId), data);
    });
    near.on('goaway', (code: number, _lastStreamId: number, data?: Uint8Array) => {
      // A client's GOAWAY contains the id of a pushed stream, of which gRPC has none.
      if (!far.destroyed) far.goaway(code, 0, data);
    });
  }

  /** Maps the last stream id of a GOAWAY frame to the client's side. The maximum, which means all, is kept. */
  #nearIdOf(lastFarId: number): number {
    if (lastFarId >= 2 ** 31 - 1) return lastFarId;
    const begun = this.#ids.filter(({ far }) => far <= lastFarId).map(({ near }) => near);
    return Math.max(0, ...begun);
  }

  /** Relays later SETTINGS frames. The first ones are part of the handshakes. */
  #relaySettings(): void {
    const { near, far } = this.#options;
    far.on('remoteSettings', ({ maxConcurrentStreams }) => {
      if (!near.destroyed && maxConcurrentStreams !== undefined) near.settings({ maxConcurrentStreams });
    });
    near.on('remoteSettings', ({ maxHeaderListSize }) => {
      if (!far.destroyed && maxHeaderListSize !== undefined) far.settings({ maxHeaderListSize });
    });
  }

  /** node:http2 answers PING frames itself. They are also relayed, so that an unresponsive peer is detected. */
  #relayPings(from: Http2Session, to: Http2Session, end: StreamEnd): void {
    const { clock, pingTimeoutMs } = this.#options;
    from.on('ping', (payload: Buffer) => {
      if (to.destroyed || to.closed) return;
      const timer = clock.setTimeout(() => {
        this.#endStreams(end);
        to.destroy();
      }, pingTimeoutMs);
      const isSent = to.ping(payload, () => timer.cancel());
      if (!isSent) timer.cancel();
    });
  }

  #onNearClosed(): void {
    this.#endStreams({ code: 'CANCELLED', details: 'the client closed its connection' });
    // The resets of its streams are sent first.
    const { far } = this.#options;
    if (!far.destroyed) setImmediate(() => far.destroy());
    this.#finish();
  }

  #onFarClosed(): void {
    this.#endStreams(serverClosed);
    const { near, clock } = this.#options;
    const until = clock.now() + drainTimeoutMs;
    const end = (): void => {
      if (near.destroyed) return;
      const isWaiting = [...this.#streams.values()].some(({ relay }) => relay.waitingBytes > 0);
      if (isWaiting && clock.now() < until) clock.setTimeout(end, drainPollMs);
      else if (near.closed) near.close();
      else closeSocket(near);
    };
    end();
    this.#finish();
  }

  #endStreams(end: StreamEnd): void {
    for (const { relay } of this.#streams.values()) relay.endWith(end);
  }

  #finish(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#options.onClose();
  }
}

function isAlive(session: Http2Session): boolean {
  return !session.destroyed && !session.socket.destroyed;
}

/** Closes the connection without a GOAWAY frame, like a server that has crashed. */
function closeSocket(session: ServerHttp2Session): void {
  session.socket.destroySoon();
}
