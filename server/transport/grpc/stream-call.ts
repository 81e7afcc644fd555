import { constants, type IncomingHttpHeaders, type ServerHttp2Stream } from 'node:http2';
import type { status } from '@grpc/grpc-js';
import { encodeFrame, FrameError, FrameReader, type MessageSink } from './frame-reader';

/** One call of a client, as its handler sees it. */
export interface ServedCall {
  /** The client's address, such as "127.0.0.1:43210". */
  readonly peer: string;
  /** The `:authority` header of the call. */
  readonly host: string;
  send(message: Uint8Array): void;
  /** After it, the handler receives nothing of this call. */
  end(code: status, details: string): void;
}

export interface ServedCallHandler {
  /** `bytes` are valid only until the function returns. Nothing more is read until a returned promise resolves. */
  onMessage(bytes: Uint8Array): Promise<void> | undefined;
  /** The client has half-closed the call and waits for its status. */
  onEnd(): void;
  /** The client has cancelled the call, or its connection is closed. */
  onCancelled(): void;
}

const head = { ':status': 200, 'content-type': 'application/grpc' };

/** A call over one stream of node:http2. Messages are handled one after the other. */
export class StreamCall implements ServedCall {
  readonly #stream: ServerHttp2Stream;
  readonly #onMessage: () => void;
  readonly peer: string;
  readonly host: string;
  readonly #reader: FrameReader;
  #handler: ServedCallHandler | undefined;
  #isOver = false;
  /** Set while a message is being decompressed or handled. */
  #reading: Promise<void> | undefined;

  constructor(
    stream: ServerHttp2Stream,
    headers: IncomingHttpHeaders,
    maxMessageBytes: number,
    /** Called for every message. */
    onMessage: () => void,
  ) {
    this.#stream = stream;
    this.#onMessage = onMessage;
    const { remoteAddress = '', remotePort = 0 } = stream.session?.socket ?? {};
    this.peer = `${remoteAddress.includes(':') ? `[${remoteAddress}]` : remoteAddress}:${remotePort}`;
    this.host = headers[':authority'] ?? '';
    const encoding = headers['grpc-encoding']?.toString() ?? '';
    this.#reader = new FrameReader(
      maxMessageBytes,
      (sizeBytes) => this.#sink(sizeBytes),
      () => encoding,
    );
  }

  begin(handler: ServedCallHandler): void {
    if (this.#isOver) return;
    this.#handler = handler;
    const stream = this.#stream;
    stream.on('data', (bytes: Buffer) => this.#read(bytes));
    // 'end' also follows a reset, and an empty stream emits it even while it is paused.
    const end = (): void => {
      if (!stream.aborted && !this.#isOver) handler.onEnd();
    };
    stream.once('end', () => (this.#reading === undefined ? end() : void this.#reading.then(end)));
    stream.once('close', () => {
      if (this.#isOver) return;
      this.#isOver = true;
      handler.onCancelled();
    });
  }

  send(message: Uint8Array): void {
    if (this.#isOver || this.#stream.destroyed) return;
    if (!this.#stream.headersSent) this.#stream.respond(head, { waitForTrailers: true });
    this.#stream.write(encodeFrame(message));
  }

  end(code: status, details: string): void {
    if (this.#isOver) return;
    this.#isOver = true;
    const stream = this.#stream;
    if (stream.destroyed) return;
    const trailers = { 'grpc-status': code, 'grpc-message': percentEncoded(details) };
    if (!stream.headersSent) {
      stream.respond({ ...head, ...trailers }, { endStream: true });
      stream.close(constants.NGHTTP2_NO_ERROR);
      return;
    }
    stream.once('wantTrailers', () => {
      stream.sendTrailers(trailers);
      // RFC 9113 8.1: the client need not send the rest of its request. A reset in this turn would overtake the trailers.
      setImmediate(() => stream.close(constants.NGHTTP2_NO_ERROR));
    });
    stream.end();
  }

  #read(bytes: Buffer): void {
    if (this.#isOver) return;
    try {
      const reading = this.#reader.read(bytes);
      if (reading === undefined) return;
      this.#stream.pause();
      this.#reading = reading
        .catch((error: unknown) => this.#fail(error))
        .then(() => {
          this.#reading = undefined;
          this.#stream.resume();
        });
    } catch (error) {
      this.#fail(error);
    }
  }

  #fail(error: unknown): void {
    if (!(error instanceof FrameError)) throw error;
    const { code, message } = error;
    this.end(code, message);
    this.#handler?.onCancelled();
  }

  #sink(sizeBytes: number): MessageSink {
    let message: Buffer | undefined;
    let length = 0;
    return {
      write: (bytes) => {
        if (bytes.length === sizeBytes) message = bytes;
        else {
          message ??= Buffer.allocUnsafe(sizeBytes);
          message.set(bytes, length);
        }
        length += bytes.length;
      },
      end: () => {
        if (this.#isOver) return undefined;
        this.#onMessage();
        return this.#handler?.onMessage(message ?? Buffer.alloc(0));
      },
    };
  }
}

/** gRPC over HTTP/2, Status-Message: UTF-8 bytes that are not printable ASCII, and the percent sign, become %XX. */
function percentEncoded(text: string): string {
  return Array.from(Buffer.from(text), (byte) =>
    byte >= 0x20 && byte <= 0x7e && byte !== 0x25
      ? String.fromCharCode(byte)
      : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`,
  ).join('');
}
