import {
  type ClientHttp2Stream,
  constants,
  type IncomingHttpHeaders,
  type OutgoingHttpHeaders,
  type ServerHttp2Stream,
} from 'node:http2';
import type { Direction } from '../copy-events';
import { toHeaderList } from './header-list';
import type { StreamCopies } from './stream-copies';
import { endOfReset, endOfTrailers, noStatus, type StreamEnd, serverClosed } from './stream-end';

interface RelayStreamOptions {
  readonly near: ServerHttp2Stream;
  readonly far: ClientHttp2Stream;
  /** States whether the client ended the stream with its headers. */
  readonly isHalfClosed: boolean;
  /** Null for a stream that is not recorded. */
  readonly copies: StreamCopies | null;
  /** Returns whether the connection of that side is open. Otherwise a reset does not come from the peer. */
  readonly isNearAlive: () => boolean;
  readonly isFarAlive: () => boolean;
  readonly onBytes: (direction: Direction, sizeBytes: number) => void;
  readonly onClose: () => void;
}

/** Limits the bytes for a slow reader beyond the flow-control window. The sender is then paused. */
const maxWaitingBytes = 256 * 1024;

/** One call on both connections. Everything is relayed in order and unchanged. */
export class RelayStream {
  readonly #options: RelayStreamOptions;
  #end: StreamEnd | undefined;
  #isNearClosed = false;
  #isFarClosed = false;
  #isAnswered = false;

  constructor(options: RelayStreamOptions) {
    this.#options = options;
    this.#relayRequest();
    this.#relayResponse();
    this.#relayCloses();
  }

  /** Sets the status of a stream whose connection has closed. */
  endWith(end: StreamEnd): void {
    this.#end ??= end;
  }

  /** The number of bytes that are not yet written to the client. */
  get waitingBytes(): number {
    return this.#options.near.destroyed ? 0 : this.#options.near.writableLength;
  }

  #relayRequest(): void {
    const { near, far, isHalfClosed } = this.#options;
    if (isHalfClosed) {
      near.resume();
      return;
    }
    let trailers: OutgoingHttpHeaders = {};
    near.on('trailers', (headers: IncomingHttpHeaders, _flags: number, raw: string[]) => {
      trailers = toHeaderList(raw, headers);
    });
    far.on('wantTrailers', () => far.sendTrailers(trailers));
    this.#pump('up', near, far);
  }

  #relayResponse(): void {
    const { near, far, copies } = this.#options;
    let trailers: OutgoingHttpHeaders = {};
    far.on('headers', (headers: IncomingHttpHeaders, _flags: number, raw: string[]) => {
      if (isWritable(near)) near.additionalHeaders(toHeaderList(raw, headers));
    });
    far.on('response', (headers: IncomingHttpHeaders, flags: number, raw: string[]) => {
      if (!isWritable(near)) return;
      const endStream = (flags & constants.NGHTTP2_FLAG_END_STREAM) !== 0;
      const options = { endStream, waitForTrailers: !endStream, sendDate: false };
      near.respond(toHeaderList(raw, headers), options);
      if (endStream) {
        this.#end ??= endOfTrailers(headers);
        this.#isAnswered = true;
      }
      copies?.responseEncoding(String(headers['grpc-encoding'] ?? ''));
    });
    far.on('trailers', (headers: IncomingHttpHeaders, _flags: number, raw: string[]) => {
      trailers = toHeaderList(raw, headers);
      this.#end ??= endOfTrailers(headers);
    });
    near.on('wantTrailers', () => {
      near.sendTrailers(trailers);
      this.#isAnswered = true;
      // A server may end the call before the client has sent all its messages.
      if (this.#isFarClosed) setImmediate(() => closeIfOpen(near, constants.NGHTTP2_NO_ERROR));
    });
    this.#pump('down', far, near);
  }

  #pump(
    direction: Direction,
    from: ServerHttp2Stream | ClientHttp2Stream,
    to: ServerHttp2Stream | ClientHttp2Stream,
  ): void {
    const { copies, onBytes } = this.#options;
    from.on('data', (chunk: Buffer) => {
      if (!isWritable(to)) return;
      to.write(chunk);
      if (to.writableLength > maxWaitingBytes) from.pause();
      copies?.data(direction, chunk);
      onBytes(direction, chunk.length);
    });
    to.on('drain', () => from.resume());
    from.on('end', () => {
      if (isWritable(to)) to.end();
    });
  }

  #relayCloses(): void {
    const { near, far, isNearAlive, isFarAlive } = this.#options;
    // 'close' follows every error, with the code.
    near.on('error', () => {});
    far.on('error', () => {});
    near.on('close', () => {
      this.#isNearClosed = true;
      const code = near.rstCode ?? constants.NGHTTP2_NO_ERROR;
      if (!this.#isFarClosed) {
        if (code !== constants.NGHTTP2_NO_ERROR && isNearAlive()) this.#end ??= endOfReset('client', code);
        // A complete call ends by itself, after the remaining messages and trailers of the client.
        const isEnding = code === constants.NGHTTP2_NO_ERROR && this.#isAnswered && far.writableEnded;
        if (!isEnding) closeIfOpen(far, code);
      }
      this.#finish();
    });
    far.on('close', () => {
      this.#isFarClosed = true;
      const code = far.rstCode ?? constants.NGHTTP2_NO_ERROR;
      // If the connection is closed, the client's connection is closed too.
      if (!this.#isNearClosed && isFarAlive()) {
        if (code !== constants.NGHTTP2_NO_ERROR) this.#end ??= endOfReset('server', code);
        // Trailers may still arrive.
        if (code !== constants.NGHTTP2_NO_ERROR || this.#isAnswered) closeIfOpen(near, code);
      }
      this.#finish();
    });
  }

  #finish(): void {
    if (!this.#isNearClosed || !this.#isFarClosed) return;
    const { copies, onClose, isFarAlive } = this.#options;
    // Streams may close before their connection emits 'close'.
    const { code, details } = this.#end ?? (isFarAlive() ? noStatus : serverClosed);
    copies?.close(code, details);
    onClose();
  }
}

function closeIfOpen(stream: ServerHttp2Stream | ClientHttp2Stream, code: number): void {
  if (!stream.closed) stream.close(code);
}

function isWritable(stream: ServerHttp2Stream | ClientHttp2Stream): boolean {
  return !stream.destroyed && !stream.closed && stream.writable;
}
