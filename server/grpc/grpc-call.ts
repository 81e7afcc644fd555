import { type ClientHttp2Session, type ClientHttp2Stream, constants } from 'node:http2';
import { status } from '@grpc/grpc-js';
import {
  type CallStatus,
  connectionDropped,
  findCallStatus,
  statusOfHttp,
  statusOfReset,
} from './call-status';
import type { ChannelSecurity } from './channel-security';
import { FrameError, FrameReader } from './frame-reader';
import type { Http2Connection } from './http2-connection';
import type { MessageSink } from './message-sink';
import { TokenError } from './token-file';

export interface GrpcCallOptions {
  readonly connection: Http2Connection;
  readonly security: ChannelSecurity;
  /** As in "/envoy.service.discovery.v3.AggregatedDiscoveryService/StreamAggregatedResources". */
  readonly path: string;
  readonly maxMessageBytes: number;
}

export interface GrpcCallHandler {
  /** At most once: the call is on a connection that is ready. */
  onConnected(): void;
  onMessage(sizeBytes: number): MessageSink;
  /** Once, last: when the message that came before it is dealt with. */
  onEnd(status: CallStatus): void;
}

const nowhere: MessageSink = { write() {}, end: () => undefined };

/**
 * A stream in both directions over HTTP/2, as gRPC has it ("gRPC over HTTP2"), whose messages are handed on while they
 * come in. grpc-js keeps the pieces of a message until it has them all, and joins them then: 107 MB were in memory
 * twice, and took 95 ms after the last byte.
 */
export class GrpcCall {
  /** Written before there was a connection. */
  #unsent: Buffer[] = [];
  #isHalfClosed = false;
  #stream: ClientHttp2Stream | undefined;
  #status: CallStatus | undefined;
  #reading: Promise<void> = Promise.resolve();
  readonly #leave: () => void;

  constructor(
    private readonly options: GrpcCallOptions,
    private readonly handler: GrpcCallHandler,
  ) {
    const { session, leave } = options.connection.use();
    this.#leave = leave;
    session
      .then((ready) => this.#open(ready))
      .catch((cause: Error) => this.#finish({ code: status.UNAVAILABLE, details: cause.message }));
  }

  get isOver(): boolean {
    return this.#status !== undefined;
  }

  write(message: Uint8Array): void {
    if (this.isOver) return;
    const frame = Buffer.allocUnsafe(5 + message.length);
    frame[0] = 0;
    frame.writeUInt32BE(message.length, 1);
    frame.set(message, 5);
    if (this.#stream === undefined) this.#unsent.push(frame);
    else this.#stream.write(frame);
  }

  /** Nothing more will be written, as gRPC has it for the one request of a unary call. */
  halfClose(): void {
    this.#isHalfClosed = true;
    this.#stream?.end();
  }

  cancel(): void {
    this.#finish({ code: status.CANCELLED, details: 'Cancelled on client' });
  }

  async #open(session: ClientHttp2Session): Promise<void> {
    let authorization: string | undefined;
    try {
      authorization = await this.options.security.readAuthorization();
    } catch (cause) {
      const details = `Getting metadata from plugin failed with error: ${cause instanceof Error ? cause.message : String(cause)}`;
      this.#finish({ code: cause instanceof TokenError ? cause.code : status.UNAVAILABLE, details });
      return;
    }
    if (this.isOver) return;
    if (session.closed || session.destroyed) {
      this.#finish(connectionDropped);
      return;
    }
    const { connection, path, security } = this.options;
    const stream = session.request({
      ':method': 'POST',
      ':path': path,
      ':scheme': security.tls === undefined ? 'http' : 'https',
      ':authority': connection.authority,
      'content-type': 'application/grpc',
      te: 'trailers',
      'user-agent': 'xdscope',
      'grpc-accept-encoding': 'identity,deflate,gzip',
      ...(authorization !== undefined && { authorization }),
    });
    this.#stream = stream;
    this.#listen(session, stream);
    for (const frame of this.#unsent.splice(0)) stream.write(frame);
    if (this.#isHalfClosed) stream.end();
    this.handler.onConnected();
  }

  #listen(session: ClientHttp2Session, stream: ClientHttp2Stream): void {
    let httpStatus = 0;
    let encoding = 'identity';
    let reported: CallStatus | undefined;
    let cause: Error | undefined;
    const frames = new FrameReader(
      this.options.maxMessageBytes,
      (sizeBytes) => (this.isOver ? nowhere : this.handler.onMessage(sizeBytes)),
      () => encoding,
    );
    stream.on('response', (headers) => {
      httpStatus = headers[':status'] ?? 0;
      const stated = headers['grpc-encoding'];
      if (typeof stated === 'string') encoding = stated;
      reported = findCallStatus(headers);
    });
    stream.on('trailers', (headers) => {
      reported = findCallStatus(headers);
    });
    stream.on('data', (chunk: Buffer) => {
      // A page that somebody put in the way is no message.
      if (this.isOver || httpStatus !== 200) return;
      this.#read(stream, frames, chunk);
    });
    stream.on('error', (error) => {
      cause = error;
    });
    const end = (): void => {
      if (reported !== undefined) this.#finish(reported, constants.NGHTTP2_NO_ERROR);
      else if (session.destroyed) this.#finish(connectionDropped);
      else if (httpStatus !== 0 && httpStatus !== 200) this.#finish(statusOfHttp(httpStatus));
      else this.#finish(statusOfReset(stream.rstCode ?? 0, cause));
    };
    // Trailers, and the end of the connection, come in the same turn; messages that came before are dealt with first.
    const endSoon = (): void => {
      setImmediate(() => this.#reading.then(end));
    };
    stream.on('end', endSoon);
    stream.on('close', endSoon);
  }

  #read(stream: ClientHttp2Stream, frames: FrameReader, chunk: Buffer): void {
    try {
      const reading = frames.read(chunk);
      if (reading === undefined) return;
      stream.pause();
      this.#reading = reading.then(
        () => {
          stream.resume();
        },
        (error: unknown) => this.#fail(error),
      );
    } catch (error) {
      this.#fail(error);
    }
  }

  #fail(error: unknown): void {
    if (!(error instanceof FrameError)) throw error;
    this.#finish({ code: error.code, details: error.message });
  }

  #finish(ended: CallStatus, rstCode: number = constants.NGHTTP2_CANCEL): void {
    if (this.#status !== undefined) return;
    this.#status = ended;
    this.#unsent = [];
    if (this.#stream?.closed === false) this.#stream.close(rstCode);
    // What still comes goes nowhere; without a reader the stream would never close.
    this.#stream?.resume();
    this.#leave();
    void this.#reading.then(() => this.handler.onEnd(ended));
  }
}
