import { connect, type Socket } from 'node:net';
import { frame, frameFlags, frameTypes, uint32 } from '@/tests/support/builders/http2-frames';

export const preface = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 'latin1');

const frameHeadBytes = 9;

/** The end of a connection from the attacker's side. */
export interface PeerEnd {
  /** The error code of the last GOAWAY, or null if there was none. */
  readonly goaway: number | null;
}

/** A client that sends the frames of a test, and reads all responses unless it is paused. */
export class HostileHttp2Peer {
  readonly #socket: Socket;
  #read = Buffer.alloc(0);
  #goaway: number | null = null;
  #isOver = false;
  /** Streams that the server reset, with the error code. */
  readonly resets = new Map<number, number>();
  /** Streams on which the server sent HEADERS. */
  readonly answered = new Set<number>();
  readonly ended: Promise<PeerEnd>;

  constructor(target: string) {
    const [host = '', port = ''] = target.split(':');
    this.#socket = connect({ host, port: Number(port) });
    this.#socket.write(Buffer.concat([preface, frame(frameTypes.settings, 0, 0, Buffer.alloc(0))]));
    this.#socket.on('data', (bytes: Buffer) => this.#take(bytes));
    // A reset emits 'close' as well.
    this.#socket.on('error', () => this.#socket.destroy());
    this.ended = new Promise((resolve) => {
      this.#socket.once('close', () => {
        this.#isOver = true;
        resolve({ goaway: this.#goaway });
      });
    });
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** Error code of the last GOAWAY. */
  get goaway(): number | null {
    return this.#goaway;
  }

  send(...frames: readonly Buffer[]): void {
    if (!this.#isOver) this.#socket.write(Buffer.concat(frames));
  }

  /** Sends the same bytes `times` times with back-pressure. Resolves with the number sent, which is lower if the server ended the connection. */
  async flood(bytes: Buffer, times: number): Promise<number> {
    for (let sent = 0; sent < times; sent++) {
      if (this.#isOver) return sent;
      if (!this.#socket.write(bytes)) await Promise.race([this.#drained(), this.ended]);
    }
    return times;
  }

  #drained(): Promise<void> {
    return new Promise((resolve) => this.#socket.once('drain', () => resolve()));
  }

  /** Stops reading from the server. */
  stopReading(): void {
    this.#socket.pause();
  }

  destroy(): void {
    this.#socket.destroy();
  }

  #take(bytes: Buffer): void {
    this.#read = Buffer.concat([this.#read, bytes]);
    while (this.#read.length >= frameHeadBytes) {
      const end = frameHeadBytes + this.#read.readUIntBE(0, 3);
      if (this.#read.length < end) return;
      const payload = this.#read.subarray(frameHeadBytes, end);
      const streamId = this.#read.readUInt32BE(5);
      const type = this.#read[3];
      if (type === frameTypes.goaway) this.#goaway = payload.readUInt32BE(4);
      if (type === frameTypes.rstStream) this.resets.set(streamId, payload.readUInt32BE(0));
      if (type === frameTypes.headers) this.answered.add(streamId);
      // The server cannot notice that the peer does not process data.
      if (type === frameTypes.ping && ((this.#read[4] ?? 0) & frameFlags.ack) === 0)
        this.send(frame(frameTypes.ping, frameFlags.ack, 0, payload));
      this.#read = this.#read.subarray(end);
    }
  }
}

const literal = (name: string, value: string): Buffer => Buffer.concat([text(name), text(value)]);

/** HPACK (RFC 7541 5.2): without Huffman coding. */
function text(value: string): Buffer {
  const length: number[] = [];
  if (value.length < 127) length.push(value.length);
  else {
    length.push(127);
    let rest = value.length - 127;
    for (; rest >= 128; rest = Math.floor(rest / 128)) length.push((rest % 128) + 128);
    length.push(rest);
  }
  return Buffer.concat([Buffer.from(length), Buffer.from(value, 'latin1')]);
}

/** A header block of literals without indexing. */
export function headerBlock(fields: Readonly<Record<string, string>>): Buffer {
  return Buffer.concat(
    Object.entries(fields).map(([name, value]) => Buffer.concat([Buffer.of(0), literal(name, value)])),
  );
}

/** A field of `valueBytes` for the dynamic table, followed by references to it of one byte each. */
export function expandingBlock(name: string, valueBytes: number, references: number): Buffer {
  const field = Buffer.concat([Buffer.of(0b0100_0000), literal(name, 'a'.repeat(valueBytes))]);
  return Buffer.concat([field, Buffer.alloc(references, 0b1000_0000 | 62)]);
}

export const headersFrame = (
  streamId: number,
  block: Buffer,
  flags: number = frameFlags.endHeaders,
): Buffer => frame(frameTypes.headers, flags, streamId, block);

export const resetFrame = (streamId: number, code: number): Buffer =>
  frame(frameTypes.rstStream, 0, streamId, uint32(code));
