import { constants, type IncomingHttpHeaders, type ServerHttp2Stream } from 'node:http2';
import type { status } from '@grpc/grpc-js';
import { FrameError, FrameReader } from './frame-reader';
import type { MessageSink } from './message-sink';

/** A call that a client began, as its handler needs it. */
export interface ServedCall {
  /** The client's end of the connection, "127.0.0.1:43210". */
  readonly peer: string;
  /** The server as the client names it. */
  readonly host: string;
  send(message: Uint8Array): void;
  /** Nothing is received on it afterwards. */
  end(code: status, details: string): void;
}

export interface ServedCallHandler {
  /** `bytes` are valid during the call alone. Where a promise is returned, nothing more is read until it resolves. */
  onMessage(bytes: Uint8Array): Promise<void> | undefined;
  /** The client has sent everything, and waits for the end. */
  onEnd(): void;
  /** The call is over: cancelled, or its connection is closed. */
  onLost(): void;
}

const head = { ':status': 200, 'content-type': 'application/grpc' };
const frameHeadBytes = 5;

/** gRPC over one stream of node:http2: messages are handled one after the other, as they arrive. */
export class StreamCall implements ServedCall {
  readonly peer: string;
  readonly host: string;
  readonly #reader: FrameReader;
  #handler: ServedCallHandler | undefined;
  #isOver = false;
  /** While a message is being unpacked or handled. */
  #reading: Promise<void> | undefined;

  constructor(
    private readonly stream: ServerHttp2Stream,
    headers: IncomingHttpHeaders,
    maxMessageBytes: number,
    /** Called with every message. */
    private readonly onMessage: () => void,
  ) {
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
    const { stream } = this;
    stream.on('data', (bytes: Buffer) => this.#read(bytes));
    // A reset ends what can be read too. The end of an empty stream is emitted even while it is paused.
    const end = (): void => {
      if (!stream.aborted && !this.#isOver) handler.onEnd();
    };
    stream.once('end', () => (this.#reading === undefined ? end() : void this.#reading.then(end)));
    stream.once('close', () => {
      if (this.#isOver) return;
      this.#isOver = true;
      handler.onLost();
    });
  }

  send(message: Uint8Array): void {
    if (this.#isOver || this.stream.destroyed) return;
    if (!this.stream.headersSent) this.stream.respond(head, { waitForTrailers: true });
    const bytes = Buffer.alloc(frameHeadBytes + message.length);
    bytes.writeUInt32BE(message.length, 1);
    bytes.set(message, frameHeadBytes);
    this.stream.write(bytes);
  }

  end(code: status, details: string): void {
    if (this.#isOver) return;
    this.#isOver = true;
    const { stream } = this;
    if (stream.destroyed) return;
    const trailers = { 'grpc-status': code, 'grpc-message': percentEncoded(details) };
    if (!stream.headersSent) {
      stream.respond({ ...head, ...trailers }, { endStream: true });
      stream.close(constants.NGHTTP2_NO_ERROR);
      return;
    }
    stream.once('wantTrailers', () => {
      stream.sendTrailers(trailers);
      // RFC 9113 8.1: the client need not send the rest of its request. At once the reset would overtake the trailers.
      setImmediate(() => stream.close(constants.NGHTTP2_NO_ERROR));
    });
    stream.end();
  }

  #read(bytes: Buffer): void {
    if (this.#isOver) return;
    try {
      const reading = this.#reader.read(bytes);
      if (reading === undefined) return;
      this.stream.pause();
      this.#reading = reading
        .catch((error: unknown) => this.#fail(error))
        .then(() => {
          this.#reading = undefined;
          this.stream.resume();
        });
    } catch (error) {
      this.#fail(error);
    }
  }

  #fail(error: unknown): void {
    if (!(error instanceof FrameError)) throw error;
    const { code, message } = error;
    this.end(code, message);
    // The client receives the status; to the handler the call is lost.
    this.#handler?.onLost();
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
        this.onMessage();
        return this.#handler?.onMessage(message ?? Buffer.alloc(0));
      },
    };
  }
}

/** gRPC over HTTP/2: what is not printable ASCII, and the percent sign, as %XX of its UTF-8. */
function percentEncoded(text: string): string {
  return Array.from(Buffer.from(text), (byte) =>
    byte >= 0x20 && byte <= 0x7e && byte !== 0x25
      ? String.fromCharCode(byte)
      : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`,
  ).join('');
}
