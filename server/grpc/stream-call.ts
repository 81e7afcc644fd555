import type { IncomingHttpHeaders } from 'node:http2';
import type { Socket } from 'node:net';
import type { status } from '@grpc/grpc-js';
import { FrameError, FrameReader } from './frame-reader';
import type { ConnectionStream } from './http2/lean-connection';
import type { LeanServerStream } from './http2/lean-server-session';
import type { MessageSink } from './message-sink';

/** A call that somebody began, as the server that takes it needs it. */
export interface ServedCall {
  /** The client's end of the connection, "127.0.0.1:43210". */
  readonly peer: string;
  /** The server as the client names it. */
  readonly host: string;
  send(message: Uint8Array): void;
  /** Nothing is heard of it any more. */
  end(code: status, details: string): void;
}

export interface ServedCallHandler {
  /** `bytes` are valid during the call alone. */
  onMessage(bytes: Uint8Array): void;
  /** The client has said all, and waits for the end. */
  onEnd(): void;
  /** The call is over: broken off, or its connection is gone. */
  onLost(): void;
}

const head = { ':status': 200, 'content-type': 'application/grpc' };
const frameHeadBytes = 5;

/** gRPC over one stream of a lean session: messages are taken one after the other, as they come in. */
export class StreamCall implements ServedCall, ConnectionStream {
  readonly #reader: FrameReader;
  #handler: ServedCallHandler | undefined;
  #hasSentHead = false;
  #isOver = false;
  /** While a compressed message is being unpacked. */
  #reading: Promise<void> | undefined;

  constructor(
    private readonly stream: LeanServerStream,
    private readonly headers: IncomingHttpHeaders,
    private readonly socket: Socket,
    maxMessageBytes: number,
  ) {
    this.#reader = new FrameReader(
      maxMessageBytes,
      (sizeBytes) => this.#sink(sizeBytes),
      () => headers['grpc-encoding']?.toString() ?? '',
    );
  }

  begin(handler: ServedCallHandler): void {
    this.#handler = handler;
    if (!this.#isOver) this.stream.handler = this;
  }

  get peer(): string {
    const { remoteAddress = '', remotePort = 0 } = this.socket;
    return `${remoteAddress.includes(':') ? `[${remoteAddress}]` : remoteAddress}:${remotePort}`;
  }

  get host(): string {
    return this.headers[':authority'] ?? '';
  }

  send(message: Uint8Array): void {
    if (this.#isOver) return;
    if (!this.#hasSentHead) this.stream.sendHeaders(head, false);
    this.#hasSentHead = true;
    const bytes = Buffer.alloc(frameHeadBytes + message.length);
    bytes.writeUInt32BE(message.length, 1);
    bytes.set(message, frameHeadBytes);
    this.stream.send(bytes);
  }

  end(code: status, details: string): void {
    if (this.#isOver) return;
    this.#isOver = true;
    const trailers = { 'grpc-status': code, 'grpc-message': percentEncoded(details) };
    this.stream.sendHeaders(this.#hasSentHead ? trailers : { ...head, ...trailers }, true);
  }

  takeData(bytes: Buffer): void {
    if (this.#reading === undefined) {
      this.#wait(this.#read(bytes));
      return;
    }
    // Nothing more is read of the connection meanwhile; this came with what is being unpacked.
    const copy = Buffer.from(bytes);
    this.#wait(this.#reading.then(() => this.#read(copy)));
  }

  takeEnd(): void {
    if (this.#reading === undefined) this.#handler?.onEnd();
    else this.#wait(this.#reading.then(() => this.#handler?.onEnd()));
  }

  drop(): void {
    this.#isOver = true;
    this.#handler?.onLost();
  }

  #read(bytes: Buffer): Promise<void> | undefined {
    if (this.#isOver) return undefined;
    try {
      return this.#reader.read(bytes)?.catch((error: unknown) => this.#fail(error));
    } catch (error) {
      this.#fail(error);
      return undefined;
    }
  }

  #wait(reading: Promise<void> | undefined): void {
    if (reading === undefined) return;
    this.socket.pause();
    const waiting = reading.then(() => {
      if (this.#reading !== waiting) return;
      this.#reading = undefined;
      this.socket.resume();
    });
    this.#reading = waiting;
  }

  #fail(error: unknown): void {
    if (!(error instanceof FrameError)) throw error;
    const { code, message } = error;
    this.end(code, message);
    // The client is told; for who takes the call it is lost.
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
        if (!this.#isOver) this.#handler?.onMessage(message ?? Buffer.alloc(0));
        return undefined;
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
