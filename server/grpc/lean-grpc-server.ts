import { constants, type IncomingHttpHeaders } from 'node:http2';
import { createServer, type Server, type Socket } from 'node:net';
import { status } from '@grpc/grpc-js';
import type { Clock } from '../observe';
import { LeanServerSession, type LeanServerStream } from './http2/lean-server-session';
import { type ServedCall, type ServedCallHandler, StreamCall } from './stream-call';

export interface LeanGrpcServerOptions {
  /** By path, "/package.Service/Method": who takes a call. */
  readonly methods: ReadonlyMap<string, (call: ServedCall) => ServedCallHandler>;
  readonly maxMessageBytes: number;
  readonly clock: Clock;
  /** While it listens: a connection could not be taken. */
  readonly onError: (error: Error) => void;
}

/** What a client may say before it is looked at, in a stream and in all: HTTP/2's own. */
const windowBytes = 65_535;
const mostStreams = 100;
const maxConnections = 50_000;
/** Who says nothing for two of these is asked whether it is there, and has another one to answer. */
const tickMs = 5_000;
const ticksUntilPing = 2;

/**
 * A gRPC server without TLS for many connections that say little: calls whose messages are looked at as they come in, and
 * answered with a few bytes. (Of grpc-js each connection costs some 100 kB, and a message 100 us.)
 */
export class LeanGrpcServer {
  readonly #server: Server;
  /** By connection: ticks without a word from it. */
  readonly #sessions = new Map<LeanServerSession, { silentTicks: number }>();
  #timer: { cancel(): void } | undefined;
  #isClosed = false;

  constructor(private readonly options: LeanGrpcServerOptions) {
    this.#server = createServer({ noDelay: true }, (socket) => this.#accept(socket));
    this.#server.maxConnections = maxConnections;
  }

  /** Resolves to the port; rejects when it cannot listen. */
  listen({ host, port }: { readonly host: string; readonly port: number }): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen({ host, port, backlog: 4_096 }, () => {
        this.#server.off('error', reject);
        this.#server.on('error', this.options.onError);
        const address = this.#server.address();
        this.#tickLater();
        resolve(typeof address === 'object' && address !== null ? address.port : port);
      });
    });
  }

  /** At once: who ends its calls before has told them why. */
  close(): void {
    this.#isClosed = true;
    this.#timer?.cancel();
    this.#server.close();
    for (const session of [...this.#sessions.keys()]) {
      session.sayGoodbye();
      session.end();
    }
  }

  #accept(socket: Socket): void {
    const silence = { silentTicks: 0 };
    const session = new LeanServerSession({
      ...{ socket, windowBytes, mostStreams },
      onStream: (stream, headers) => this.#open(stream, headers, socket),
    });
    this.#sessions.set(session, silence);
    session.once('close', () => this.#sessions.delete(session));
    // Every error ends in 'close'.
    socket.on('error', () => socket.destroy());
    socket.on('data', (bytes) => {
      silence.silentTicks = 0;
      session.receive(bytes);
    });
  }

  #open(stream: LeanServerStream, headers: IncomingHttpHeaders, socket: Socket): void {
    const contentType = headers['content-type'] ?? '';
    if (headers[':method'] !== 'POST' || !contentType.startsWith('application/grpc')) {
      stream.sendHeaders({ ':status': constants.HTTP_STATUS_UNSUPPORTED_MEDIA_TYPE }, true);
      return;
    }
    const call = new StreamCall(stream, headers, socket, this.options.maxMessageBytes);
    const path = headers[':path'] ?? '';
    const take = this.options.methods.get(path);
    if (take === undefined) {
      call.end(status.UNIMPLEMENTED, `The server does not implement the method ${path}`);
      return;
    }
    call.begin(take(call));
  }

  #tickLater(): void {
    if (this.#isClosed) return;
    this.#timer = this.options.clock.setTimeout(() => {
      for (const [session, silence] of [...this.#sessions]) {
        silence.silentTicks += 1;
        if (silence.silentTicks === ticksUntilPing) session.ping(() => undefined);
        else if (silence.silentTicks > ticksUntilPing) session.destroy();
      }
      this.#tickLater();
    }, tickMs);
  }
}
