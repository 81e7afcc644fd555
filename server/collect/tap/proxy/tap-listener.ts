import type { ClientHttp2Session, ServerHttp2Session, Settings } from 'node:http2';
import { createSecureServer, createServer } from 'node:http2';
import type { Server, Socket } from 'node:net';
import { createServer as createTcpServer } from 'node:net';
import type { TlsOptions } from 'node:tls';
import { createServer as createTlsServer, TLSSocket } from 'node:tls';
import { status } from '@grpc/grpc-js';
import type { Problem } from '@/lib/observation/observation';
import type { Clock } from '../../../observe';
import { CertificateWatcher } from '../../../transport/grpc/certificate-watcher';
import type { ChannelCredentialsConfig } from '../../../transport/grpc/credentials-config';
import { describeError } from '../../../transport/grpc/explain-error';
import type { Direction } from '../copy-events';
import type { ListenerNews } from '../tap-counters';
import { TapCounters } from '../tap-counters';
import type { TapSettings } from '../tap-settings';
import type { CopyQueue, LostCopies } from './copy-queue';
import type { Windows } from './dial-upstream';
import { dialUpstream, openHttp2, sessionLimits } from './dial-upstream';
import { beginsHttp2, offeredProtocols } from './first-bytes';
import { RelayConnection } from './relay-connection';
import { createRestBudget, RestCopies } from './rest-copies';
import type { StreamCopies } from './stream-copies';

export interface TapListenerOptions extends TapSettings {
  readonly tap: number;
  readonly queue: CopyQueue;
  readonly clock: Clock;
  readonly onNews: (news: ListenerNews) => void;
  readonly connectTimeoutMs?: number;
  /** Limits the time of the answer to a PING on either side. */
  readonly pingTimeoutMs?: number;
  readonly windows?: Windows;
  /** Limits the recorded body of a poll of REST and of its response. */
  readonly maxPollBytes?: number;
}

/** Limits the memory that a slow reader may occupy for each stream and for its connection. */
const defaultWindows: Windows = { streamBytes: 1024 * 1024, connectionBytes: 8 * 1024 * 1024 };
const maxConnections = 20_000;
/** The default of gRPC's keepalive timeout. */
const defaultPingTimeoutMs = 20_000;
/** Clients send their first bytes at once. */
const firstBytesMs = 1_000;
/** The time that gRPC allows for a connection. */
const defaultConnectTimeoutMs = 20_000;

/**
 * The address to which clients connect instead of their server. A client's connection is served once the server has answered;
 * if the server is unavailable, it is reset. What is not HTTP/2 is relayed byte by byte, and polls of REST in it are recorded.
 */
export class TapListener {
  readonly #options: TapListenerOptions;

  readonly #server: Server;
  readonly #connections = new Set<RelayConnection>();
  readonly #waiting = new Map<Socket, AbortController>();
  /** Connections of clients that do not use HTTP/2. */
  readonly #others = new Set<Socket>();
  readonly #counters: TapCounters;
  readonly #budget = createRestBudget();
  readonly #listenFiles: CertificateWatcher | undefined;
  readonly #upstreamFiles: CertificateWatcher | undefined;
  #pausedFor = '';
  #isClosed = false;

  constructor(options: TapListenerOptions) {
    this.#options = options;

    const { clock, onNews, listenTls, upstreamTls } = options;
    this.#counters = new TapCounters(clock, onNews);
    this.#listenFiles = this.#watch(listenTls, 'listen');
    this.#upstreamFiles = this.#watch(upstreamTls, 'upstream');
    this.#server = createTcpServer({ noDelay: true, keepAlive: true, keepAliveInitialDelay: 60_000 });
    this.#server.maxConnections = maxConnections;
    this.#server.on('connection', (socket) => void this.#accept(socket));
  }

  /** Reports the address, or the problem, through onNews. */
  listen(): void {
    const { host, port, text } = this.#options.listen;
    this.#server.on('error', (error) => {
      const message = `expected to listen on ${text}, got: ${error.message}`;
      this.#counters.listening(undefined, { code: 'CANNOT_LISTEN', message, hint: 'Is the port in use?' });
    });
    this.#server.listen({ host, port }, () => {
      const address = this.#server.address();
      const bound = typeof address === 'object' && address !== null ? address.port : port;
      this.#counters.listening(`${host.includes(':') ? `[${host}]` : host}:${bound}`, null);
    });
  }

  /** Stops copying. Streams continue. */
  pause(reason: string): void {
    this.#pausedFor = reason;
    for (const [, copies] of this.#copies()) copies.pause(reason);
  }

  resume(): void {
    this.#pausedFor = '';
    for (const [, copies] of this.#copies()) copies.resume();
  }

  /** Must be called for a new recording thread. */
  renew(lost: ReadonlyMap<string, LostCopies>): void {
    for (const [streamId, copies] of this.#copies()) copies.renew(lost.get(streamId));
  }

  /** Reports the gaps that are over, also on streams without traffic. */
  reportGaps(): void {
    for (const [, copies] of this.#copies()) copies.reportGap();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#listenFiles?.close();
    this.#upstreamFiles?.close();
    for (const [socket, dialling] of this.#waiting) {
      dialling.abort();
      socket.destroy();
    }
    for (const socket of this.#others) socket.destroy();
    for (const connection of [...this.#connections]) connection.destroy('the tap was closed');
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
    this.#counters.close();
  }

  *#copies(): Generator<readonly [string, StreamCopies]> {
    for (const connection of this.#connections) yield* connection.copies;
  }

  #watch(config: ChannelCredentialsConfig, side: 'listen' | 'upstream'): CertificateWatcher | undefined {
    if (config.kind === 'insecure') return undefined;
    const { clock } = this.#options;
    return new CertificateWatcher({
      config,
      clock,
      onProblems: (problems) => this.#counters.files(side, problems),
    });
  }

  async #accept(socket: Socket): Promise<void> {
    const { upstream, upstreamTls, connectTimeoutMs = defaultConnectTimeoutMs } = this.#options;
    const dialling = new AbortController();
    const onClose = (): void => dialling.abort();
    socket.on('error', () => socket.destroy());
    socket.once('close', onClose);
    this.#waiting.set(socket, dialling);
    try {
      const tls = this.#upstreamFiles?.material;
      if (upstreamTls.kind === 'tls' && tls === undefined)
        throw new Error('the certificate files have not been read yet');
      const server = {
        ...{ target: upstream, tls, timeoutMs: connectTimeoutMs, signal: dialling.signal },
        serverName: upstreamTls.kind === 'tls' ? upstreamTls.serverName : undefined,
      };
      const nearTls = this.#tlsOptions();
      const offered = await this.#offeredBy(socket);
      const far = await dialUpstream(server, offered);
      if (protocolOf(far, offered) === 'h2') {
        const { windows = defaultWindows } = this.#options;
        const { session, settings } = await openHttp2(far, { ...server, windows });
        this.#counters.dialled(null);
        if (socket.destroyed || this.#isClosed) session.destroy();
        else this.#join(socket, nearTls, session, settings);
        return;
      }
      this.#counters.dialled(null);
      if (socket.destroyed || this.#isClosed) far.destroy();
      else this.#joinBytes(socket, nearTls, far);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      if (!dialling.signal.aborted) this.#counters.dialled(this.#explain(reason));
      // The socket is reset, as by a machine on which no process listens.
      socket.resetAndDestroy();
    } finally {
      socket.off('close', onClose);
      this.#waiting.delete(socket);
    }
  }

  /** The protocols of the client, as ALPN has them. Empty: it states none, over TLS. */
  async #offeredBy(socket: Socket): Promise<readonly string[]> {
    if (this.#options.listenTls.kind === 'insecure') {
      return (await beginsHttp2(socket, firstBytesMs)) ? ['h2'] : ['http/1.1'];
    }
    const offered = await offeredProtocols(socket, firstBytesMs);
    return offered.filter((protocol) => protocol === 'h2' || protocol === 'http/1.1');
  }

  /** Relays a connection that is not HTTP/2. */
  #joinBytes(socket: Socket, tls: TlsOptions | null, far: Socket): void {
    const relay = (near: Socket): void => {
      this.#others.add(near);
      near.once('close', () => this.#others.delete(near));
      relayBytes(near, far, this.#counters, this.#restCopiesOf(socket));
    };
    if (tls === null) {
      relay(socket);
      return;
    }
    const closeFar = (): void => void far.destroy();
    const closeNear = (): void => void socket.destroy();
    socket.once('close', closeFar);
    far.once('close', closeNear);
    const protocol = far instanceof TLSSocket ? far.alpnProtocol : 'http/1.1';
    const alpn = protocol === false || protocol === null ? {} : { ALPNProtocols: [protocol] };
    const server = createTlsServer({ ...tls, ...alpn }, (near) => {
      near.on('error', () => near.destroy());
      socket.off('close', closeFar);
      far.off('close', closeNear);
      relay(near);
    });
    server.on('tlsClientError', (error: Error) => this.#onHandshakeFailed(socket, error));
    server.emit('connection', socket);
  }

  /** Returns null for plain text. Throws if the certificate files have not been read. */
  #tlsOptions(): TlsOptions | null {
    const { listenTls } = this.#options;
    if (listenTls.kind === 'insecure') return null;
    const files = this.#listenFiles?.material;
    if (files === undefined) throw new Error('the certificate files of the tap have not been read yet');
    const { cert, key, ca } = files;
    const isMutual = listenTls.kind === 'tls' && listenTls.caCertificateFile !== null;
    return { cert, key, ...(isMutual && { ca, requestCert: true, rejectUnauthorized: true }) };
  }

  #onHandshakeFailed(socket: Socket, error: Error): void {
    this.#counters.rejected(`a client's TLS handshake failed: ${error.message}`);
    socket.destroy();
  }

  #restCopiesOf(socket: Socket): RestCopies {
    const { tap, queue, clock, upstream, maxPollBytes } = this.#options;
    return new RestCopies({
      ...(maxPollBytes !== undefined && { maxBodyBytes: maxPollBytes }),
      ...{ tap, peer: peerOf(socket), server: upstream.text, queue, budget: this.#budget },
      now: () => clock.now(),
      pausedFor: () => this.#pausedFor,
      onDropped: (messages) => this.#counters.dropped(messages),
    });
  }

  #explain(details: string): Problem {
    const { upstream, connectTimeoutMs = defaultConnectTimeoutMs } = this.#options;
    const files = this.#upstreamFiles;
    return describeError(
      { code: status.UNAVAILABLE, details },
      {
        target: upstream,
        service: 'xDS',
        deadlineMs: connectTimeoutMs,
        tls: files && { problems: this.#counters.fileProblems('upstream'), material: files.material },
      },
    );
  }

  #join(socket: Socket, tls: TlsOptions | null, far: ClientHttp2Session, settings: Settings): void {
    const { windows = defaultWindows } = this.#options;
    const { maxConcurrentStreams, maxHeaderListSize } = settings;
    const options = {
      ...sessionLimits,
      settings: { initialWindowSize: windows.streamBytes, maxConcurrentStreams, maxHeaderListSize },
    };
    // The server is created for this connection, with the settings of the client's server.
    const server =
      tls === null
        ? createServer(options)
        : createSecureServer({ ...options, ...tls, ALPNProtocols: ['h2'] });
    const closeFar = (): void => far.destroy();
    socket.once('close', closeFar);
    server.once('session', (near: ServerHttp2Session) => {
      socket.off('close', closeFar);
      near.setLocalWindowSize(windows.connectionBytes);
      this.#begin(near, far, socket);
    });
    server.on('tlsClientError', (error: Error) => this.#onHandshakeFailed(socket, error));
    server.on('unknownProtocol', () => socket.destroy());
    server.emit('connection', socket);
  }

  #begin(near: ServerHttp2Session, far: ClientHttp2Session, socket: Socket): void {
    const { tap, queue, clock, upstream, upstreamTls } = this.#options;
    const peer = peerOf(socket);
    const scheme = upstreamTls.kind === 'insecure' ? 'http' : 'https';
    const connection = new RelayConnection({
      pingTimeoutMs: this.#options.pingTimeoutMs ?? defaultPingTimeoutMs,
      ...{ near, far, tap, peer, server: upstream.text, scheme, queue, clock },
      counters: this.#counters,
      pausedFor: () => this.#pausedFor,
      onClose: () => {
        this.#connections.delete(connection);
        this.#counters.connections(-1);
      },
    });
    this.#connections.add(connection);
    this.#counters.connections(1);
  }
}

function peerOf({ remoteAddress = '', remotePort = 0 }: Socket): string {
  return `${remoteAddress.includes(':') ? `[${remoteAddress}]` : remoteAddress}:${remotePort}`;
}

/** With TLS on both sides the server chooses among what the client offers. */
function protocolOf(far: Socket, offered: readonly string[]): 'h2' | 'other' {
  if (!(far instanceof TLSSocket)) return offered.includes('h2') ? 'h2' : 'other';
  if (far.alpnProtocol === 'h2') return 'h2';
  // A server of HTTP/2 without ALPN.
  return offered.length === 1 && offered[0] === 'h2' ? 'h2' : 'other';
}

interface ByteCopies {
  data(direction: Direction, bytes: Buffer): void;
  close(details: string): void;
}

/** Relays what is not HTTP/2, such as REST-JSON over HTTP/1.1, byte by byte. Each side may end before the other. */
function relayBytes(near: Socket, far: Socket, counters: TapCounters, copies: ByteCopies): void {
  let closedBy = '';
  counters.connections(1);
  near.once('close', () => {
    counters.connections(-1);
    copies.close(closedBy);
  });
  for (const [from, to, direction] of [
    [near, far, 'up'],
    [far, near, 'down'],
  ] as const) {
    from.allowHalfOpen = true;
    from.on('data', (bytes: Buffer) => {
      counters.bytes(direction, bytes.length);
      copies.data(direction, bytes);
    });
    from.on('end', () => {
      closedBy ||= endedBy[direction];
    });
    from.on('error', () => to.destroy());
    from.on('close', () => {
      closedBy ||= endedBy[direction];
      to.destroySoon();
    });
    from.pipe(to);
  }
}

const endedBy: Readonly<Record<Direction, string>> = {
  up: 'the client closed its connection',
  down: 'the server closed the connection',
};
