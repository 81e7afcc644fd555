import { type ClientHttp2Session, type ClientHttp2Stream, constants } from 'node:http2';
import { status } from '@grpc/grpc-js';
import { messageOf } from '@/lib/format/message-of';
import {
  type CallStatus,
  connectionDropped,
  findCallStatus,
  statusOfHttp,
  statusOfReset,
} from './call-status';
import type { ChannelSecurity } from './channel-security';
import { encodeFrame, FrameError, FrameReader, type MessageSink } from './frame-reader';
import { maxErrorBodyBytes, readHttpErrorText } from './http-error-text';
import { dropReasonOf, type Http2Connection } from './http2-connection';
import { TokenError } from './token-file';

/** The default limit of a received message, after decompression. */
export const maxAnswerBytes = 128 * 1024 * 1024;

export interface GrpcCallOptions {
  readonly connection: Http2Connection;
  readonly security: ChannelSecurity;
  /** Such as "/envoy.service.discovery.v3.AggregatedDiscoveryService/StreamAggregatedResources". */
  readonly path: string;
  readonly maxMessageBytes: number;
}

export interface GrpcCallHandler {
  /** Called at most once, when the call's connection is ready. */
  onConnected(): void;
  onMessage(sizeBytes: number): MessageSink;
  /** Called exactly once, after the last message has been handled. */
  onEnd(status: CallStatus): void;
}

const discardingSink: MessageSink = { write() {}, end: () => undefined };

/**
 * A bidirectional stream ("gRPC over HTTP2") whose messages are passed on piece by piece as they arrive. grpc-js joins the
 * pieces once it has them all: a message of 107 MB was in memory twice and took 95 ms after its last byte.
 */
export class GrpcCall {
  readonly #options: GrpcCallOptions;
  readonly #handler: GrpcCallHandler;

  /** Frames that were written before the connection was ready. */
  #unsent: Buffer[] = [];
  #isHalfClosed = false;
  #stream: ClientHttp2Stream | undefined;
  #status: CallStatus | undefined;
  #reading: Promise<void> = Promise.resolve();
  readonly #releaseConnection: () => void;

  constructor(options: GrpcCallOptions, handler: GrpcCallHandler) {
    this.#options = options;
    this.#handler = handler;
    const { session, release } = options.connection.use();
    this.#releaseConnection = release;
    session
      .then((ready) => this.#open(ready))
      .catch((cause: Error) => this.#finish({ code: status.UNAVAILABLE, details: cause.message }));
  }

  get isOver(): boolean {
    return this.#status !== undefined;
  }

  write(message: Uint8Array): void {
    if (this.isOver) return;
    const frame = encodeFrame(message);
    if (this.#stream === undefined) this.#unsent.push(frame);
    else this.#stream.write(frame);
  }

  /** Ends the requests, as after the only request of a unary call. */
  halfClose(): void {
    this.#isHalfClosed = true;
    this.#stream?.end();
  }

  cancel(): void {
    this.#finish({ code: status.CANCELLED, details: 'Cancelled on client' });
  }

  async #open(session: ClientHttp2Session): Promise<void> {
    let headers: Readonly<Record<string, string>>;
    try {
      headers = await this.#options.security.readHeaders();
    } catch (cause) {
      const details = `Getting metadata from plugin failed with error: ${messageOf(cause)}`;
      this.#finish({ code: cause instanceof TokenError ? cause.code : status.UNAVAILABLE, details });
      return;
    }
    if (this.isOver) return;
    if (session.closed || session.destroyed) {
      this.#finish(connectionDropped(dropReasonOf(session)));
      return;
    }
    const { connection, path, security } = this.#options;
    const stream = session.request({
      ':method': 'POST',
      ':path': path,
      ':scheme': security.tls === undefined ? 'http' : 'https',
      ':authority': connection.authority,
      'content-type': 'application/grpc',
      te: 'trailers',
      'user-agent': 'xdscope',
      'grpc-accept-encoding': 'identity,deflate,gzip',
      ...headers,
    });
    this.#stream = stream;
    this.#listen(session, stream);
    for (const frame of this.#unsent.splice(0)) stream.write(frame);
    if (this.#isHalfClosed) stream.end();
    this.#handler.onConnected();
  }

  #listen(session: ClientHttp2Session, stream: ClientHttp2Stream): void {
    let httpStatus = 0;
    let encoding = 'identity';
    let received: CallStatus | undefined;
    let cause: Error | undefined;
    let errorBody = Buffer.alloc(0);
    const frames = new FrameReader(
      this.#options.maxMessageBytes,
      (sizeBytes) => (this.isOver ? discardingSink : this.#handler.onMessage(sizeBytes)),
      () => encoding,
    );
    stream.on('response', (headers) => {
      httpStatus = headers[':status'] ?? 0;
      encoding = headers['grpc-encoding']?.toString() ?? encoding;
      received = findCallStatus(headers);
    });
    stream.on('trailers', (headers) => {
      received = findCallStatus(headers);
    });
    stream.on('data', (chunk: Buffer) => {
      if (this.isOver) return;
      if (httpStatus === 200) this.#read(stream, frames, chunk);
      else if (errorBody.length < maxErrorBodyBytes)
        errorBody = Buffer.concat([errorBody, chunk.subarray(0, maxErrorBodyBytes)]);
    });
    stream.on('error', (error) => {
      cause = error;
    });
    const end = (): void => {
      if (received !== undefined) this.#finish(received, constants.NGHTTP2_NO_ERROR);
      else if (session.destroyed) this.#finish(connectionDropped(dropReasonOf(session)));
      else if (httpStatus !== 0 && httpStatus !== 200)
        this.#finish(statusOfHttp(httpStatus, readHttpErrorText(errorBody)));
      else this.#finish(statusOfReset(stream.rstCode ?? 0, cause));
    };
    // Trailers and the end of the connection may arrive in this turn too; earlier messages are handled first.
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
    // A stream that nobody reads never closes.
    this.#stream?.resume();
    this.#releaseConnection();
    void this.#reading.then(() => this.#handler.onEnd(ended));
  }
}
