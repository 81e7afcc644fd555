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

export interface RelayStreamOptions {
  /** From the client. */
  readonly near: ServerHttp2Stream;
  /** To the server. */
  readonly far: ClientHttp2Stream;
  /** The client has nothing more to say than its headers. */
  readonly isHalfClosed: boolean;
  /** null: it is nothing of xDS. */
  readonly copies: StreamCopies | null;
  /** The connection of that side is there. Without it a reset is nothing that its peer has said. */
  readonly isNearAlive: () => boolean;
  readonly isFarAlive: () => boolean;
  readonly onBytes: (direction: Direction, sizeBytes: number) => void;
  readonly onClose: () => void;
}

/**
 * So much may wait here for a slow reader, beside what its sender may send ahead (the window of the stream). Then the
 * other side is not read any more.
 */
const maxWaitingBytes = 256 * 1024;

/** Both halves of one call: what comes from the one goes to the other, in order and as it is. */
export class RelayStream {
  #end: StreamEnd | undefined;
  #isNearClosed = false;
  #isFarClosed = false;
  /** All of the answer was handed on, trailers too. */
  #isAnswered = false;

  constructor(private readonly options: RelayStreamOptions) {
    this.#relayRequest();
    this.#relayResponse();
    this.#relayCloses();
  }

  /** The connection of one side is gone, and the stream with it. */
  lose(end: StreamEnd): void {
    this.#end ??= end;
  }

  /** What was read and not yet written to the client's connection. */
  get waitingBytes(): number {
    return this.options.near.destroyed ? 0 : this.options.near.writableLength;
  }

  #relayRequest(): void {
    const { near, far, isHalfClosed } = this.options;
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
    const { near, far, copies } = this.options;
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
      // A server may end its answer, and with it the call, before the client has said all.
      if (this.#isFarClosed) setImmediate(() => closeIfOpen(near, constants.NGHTTP2_NO_ERROR));
    });
    this.#pump('down', far, near);
  }

  #pump(
    direction: Direction,
    from: ServerHttp2Stream | ClientHttp2Stream,
    to: ServerHttp2Stream | ClientHttp2Stream,
  ): void {
    const { copies, onBytes } = this.options;
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
    const { near, far, isNearAlive, isFarAlive } = this.options;
    // Every error ends in 'close', which reports the code.
    near.on('error', () => {});
    far.on('error', () => {});
    near.on('close', () => {
      this.#isNearClosed = true;
      const code = near.rstCode ?? constants.NGHTTP2_NO_ERROR;
      if (!this.#isFarClosed) {
        if (code !== constants.NGHTTP2_NO_ERROR && isNearAlive()) this.#end ??= endOfReset('client', code);
        // Answered, and all that the client said is on its way: it ends by itself, behind that and its trailers.
        const isEnding = code === constants.NGHTTP2_NO_ERROR && this.#isAnswered && far.writableEnded;
        if (!isEnding) closeIfOpen(far, code);
      }
      this.#finish();
    });
    far.on('close', () => {
      this.#isFarClosed = true;
      const code = far.rstCode ?? constants.NGHTTP2_NO_ERROR;
      // With its connection gone, the client is reported by the end of its own.
      if (!this.#isNearClosed && isFarAlive()) {
        if (code !== constants.NGHTTP2_NO_ERROR) this.#end ??= endOfReset('server', code);
        // Trailers may be under way still.
        if (code !== constants.NGHTTP2_NO_ERROR || this.#isAnswered) closeIfOpen(near, code);
      }
      this.#finish();
    });
  }

  #finish(): void {
    if (!this.#isNearClosed || !this.#isFarClosed) return;
    const { copies, onClose, isFarAlive } = this.options;
    // Streams may close before their connection says that it did.
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
