import {
  constants,
  createServer,
  type Http2Server,
  type IncomingHttpHeaders,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2';
import { status } from '@grpc/grpc-js';
import type { Clock } from '../../observe';
import { type ServedCall, type ServedCallHandler, StreamCall } from './stream-call';

interface Http2GrpcServerOptions {
  /** Handlers by path, "/package.Service/Method". */
  readonly methods: ReadonlyMap<string, (call: ServedCall) => ServedCallHandler>;
  readonly maxMessageBytes: number;
  readonly clock: Clock;
  /** Reports an error of the listening socket. */
  readonly onError: (error: Error) => void;
}

const maxConnections = 50_000;
const maxCalls = 50_000;
const maxCallsPerConnection = 100;
/** PING and SETTINGS frames and calls that a connection may send within one tick, beyond which it is closed. */
const maxEventsPerTick = 200;
/** A connection without a message for two ticks receives a PING, and is closed one tick later if it does not answer. */
const tickMs = 5_000;
const ticksUntilPing = 2;
const maxHeaderListBytes = 16 * 1024;

/**
 * Limits of one connection. A header block has at most eight CONTINUATION frames, and more than 1,000 resets, or more
 * than 33 a second in the long run, end the connection (both built into nghttp2).
 */
const sessionLimits = {
  maxHeaderListPairs: 64,
  maxSettings: 16,
  maxOutstandingPings: 4,
  /** The unit is MB. */
  maxSessionMemory: 1,
  maxSessionInvalidFrames: 10,
  maxSessionRejectedStreams: 100,
  settings: {
    enablePush: false,
    headerTableSize: 4_096,
    initialWindowSize: 65_535,
    maxConcurrentStreams: maxCallsPerConnection,
    maxHeaderListSize: maxHeaderListBytes,
  },
};

interface Watched {
  /** Ticks since the connection last sent a message or answered a PING. */
  silentTicks: number;
  /** PING and SETTINGS frames and calls since the last tick. */
  events: number;
}

/** A gRPC server without TLS for many connections, each of which sends little, on node:http2. */
export class Http2GrpcServer {
  readonly #options: Http2GrpcServerOptions;
  readonly #server: Http2Server;
  readonly #sessions = new Map<ServerHttp2Session, Watched>();
  #calls = 0;
  #timer: { cancel(): void } | undefined;
  #isClosed = false;

  constructor(options: Http2GrpcServerOptions) {
    this.#options = options;
    this.#server = createServer(sessionLimits);
    this.#server.maxConnections = maxConnections;
    this.#server.on('session', (session) => this.#watch(session));
    // A session with an error is closed, and its calls end.
    this.#server.on('sessionError', () => undefined);
  }

  /** Resolves to the port; rejects if the server cannot listen. */
  listen({ host, port }: { readonly host: string; readonly port: number }): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen({ host, port, backlog: 4_096 }, () => {
        this.#server.off('error', reject);
        this.#server.on('error', this.#options.onError);
        const address = this.#server.address();
        this.#tickLater();
        resolve(typeof address === 'object' && address !== null ? address.port : port);
      });
    });
  }

  /** Closes the port and every connection. The caller first ends the calls that need a status. */
  close(): void {
    this.#isClosed = true;
    this.#timer?.cancel();
    this.#server.close();
    // A status that was just sent is written at the end of this turn of the event loop.
    for (const session of [...this.#sessions.keys()]) {
      session.close();
      setImmediate(() => session.destroy());
    }
  }

  #watch(session: ServerHttp2Session): void {
    const watched: Watched = { silentTicks: 0, events: 0 };
    this.#sessions.set(session, watched);
    const count = (): void => {
      watched.events += 1;
      if (watched.events > maxEventsPerTick) closeFlooding(session);
    };
    session.on('ping', count);
    session.on('remoteSettings', count);
    session.on('stream', (stream, headers) => {
      // 'close' follows every error.
      stream.on('error', () => stream.destroy());
      count();
      if (!session.destroyed) this.#accept(stream, headers, watched);
    });
    session.once('close', () => this.#sessions.delete(session));
  }

  #accept(stream: ServerHttp2Stream, headers: IncomingHttpHeaders, watched: Watched): void {
    // nghttp2 applies its limit once the client has acknowledged our settings, which it may never do.
    if (listBytesOf(headers) > maxHeaderListBytes) {
      stream.close(constants.NGHTTP2_ENHANCE_YOUR_CALM);
      return;
    }
    const contentType = headers['content-type'] ?? '';
    if (headers[':method'] !== 'POST' || !contentType.startsWith('application/grpc')) {
      stream.respond({ ':status': constants.HTTP_STATUS_UNSUPPORTED_MEDIA_TYPE }, { endStream: true });
      stream.close(constants.NGHTTP2_NO_ERROR);
      return;
    }
    const call = new StreamCall(stream, headers, this.#options.maxMessageBytes, () => {
      watched.silentTicks = 0;
    });
    const path = headers[':path'] ?? '';
    const handle = this.#options.methods.get(path);
    if (handle === undefined) {
      call.end(status.UNIMPLEMENTED, `The server does not implement the method ${path}`);
      return;
    }
    if (this.#calls >= maxCalls) {
      call.end(status.RESOURCE_EXHAUSTED, `expected at most ${maxCalls} calls at a time, got one more`);
      return;
    }
    this.#calls += 1;
    stream.once('close', () => {
      this.#calls -= 1;
    });
    call.begin(handle(call));
  }

  #tickLater(): void {
    if (this.#isClosed) return;
    this.#timer = this.#options.clock.setTimeout(() => {
      for (const [session, watched] of [...this.#sessions]) this.#tick(session, watched);
      this.#tickLater();
    }, tickMs);
  }

  #tick(session: ServerHttp2Session, watched: Watched): void {
    watched.events = 0;
    watched.silentTicks += 1;
    if (watched.silentTicks < ticksUntilPing || session.destroyed) return;
    if (watched.silentTicks > ticksUntilPing) {
      session.destroy();
      return;
    }
    session.ping((error) => {
      if (error === null) watched.silentTicks = 0;
    });
  }
}

function closeFlooding(session: ServerHttp2Session): void {
  const message = `expected at most ${maxEventsPerTick} calls, PING and SETTINGS frames within ${tickMs / 1000} s, got more`;
  session.destroy(new Error(message), constants.NGHTTP2_ENHANCE_YOUR_CALM);
}

/** RFC 9113 6.5.2: a field counts 32 octets in addition to its name and value. */
function listBytesOf(headers: IncomingHttpHeaders): number {
  let bytes = 0;
  for (const [name, value] of Object.entries(headers)) {
    for (const each of Array.isArray(value) ? value : [value ?? '']) bytes += name.length + each.length + 32;
  }
  return bytes;
}
