import { EventEmitter } from 'node:events';
import type { IncomingHttpHeaders } from 'node:http2';
import type { CallStream, CallStreamEvents } from '../call-session';

/** What a stream needs of its connection. */
export interface StreamWriter {
  /** As DATA, when the windows have room for it. */
  sendData(streamId: number, bytes: Uint8Array, isLast: boolean): void;
  reset(streamId: number, code: number): void;
  /** The stream goes on after a pause. */
  giveRoom(streamId: number): void;
}

type Held = { readonly bytes: Buffer } | { readonly end: true };

/** One call on a LeanSession. Until it is closed somebody must listen for 'data'. */
export class LeanStream extends EventEmitter<CallStreamEvents> implements CallStream {
  closed = false;
  rstCode = 0;
  #hasHeaders = false;
  #isEndedByPeer = false;
  #isEndedByUs = false;
  isPaused = false;
  /** Came while it was paused, as copies. */
  #held: Held[] = [];

  constructor(
    readonly id: number,
    private readonly writer: StreamWriter,
    private readonly onClosed: () => void,
  ) {
    super();
  }

  write(bytes: Uint8Array): void {
    if (!this.closed && !this.#isEndedByUs) this.writer.sendData(this.id, bytes, false);
  }

  end(): void {
    if (this.closed || this.#isEndedByUs) return;
    this.#isEndedByUs = true;
    this.writer.sendData(this.id, Buffer.alloc(0), true);
    this.#closeIfOver();
  }

  close(code: number): void {
    if (this.closed) return;
    this.writer.reset(this.id, code);
    this.drop(code);
  }

  pause(): void {
    this.isPaused = true;
  }

  resume(): void {
    this.isPaused = false;
    while (!this.isPaused) {
      const held = this.#held.shift();
      if (held === undefined) {
        if (!this.closed) this.writer.giveRoom(this.id);
        return;
      }
      if ('bytes' in held) this.emit('data', held.bytes);
      else this.emit('end');
    }
  }

  takeHeaders(headers: IncomingHttpHeaders, isLast: boolean): void {
    const status = Number(headers[':status']);
    // What comes before the response is no response yet.
    if (status >= 100 && status < 200) return;
    if (this.#hasHeaders) this.emit('trailers', headers);
    else this.emit('response', Object.assign(headers, { ':status': status }));
    this.#hasHeaders = true;
    if (isLast) this.takeEnd();
  }

  /** `bytes` are valid during the call alone. */
  takeData(bytes: Buffer): void {
    if (this.isPaused) this.#held.push({ bytes: Buffer.from(bytes) });
    else this.emit('data', bytes);
  }

  takeEnd(): void {
    if (this.#isEndedByPeer) return;
    this.#isEndedByPeer = true;
    if (this.isPaused) this.#held.push({ end: true });
    else this.emit('end');
    this.#closeIfOver();
  }

  /** The peer's reset, or the end of the connection. */
  drop(code: number): void {
    if (this.closed) return;
    this.closed = true;
    this.rstCode = code;
    this.onClosed();
    this.emit('close');
  }

  #closeIfOver(): void {
    if (this.#isEndedByPeer && this.#isEndedByUs) this.drop(0);
  }
}
