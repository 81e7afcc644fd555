import { connect, type Socket } from 'node:net';

const preface = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');
const frameTypes = { data: 0, headers: 1, settings: 4 } as const;
const endStream = 1;
const endHeaders = 4;
const ack = 1;

/**
 * A client of HTTP/2 that sends exactly the frames of a test: Node's own leaves out empty ones, and ends a call
 * that is answered. One stream, and fields of its own that are never compressed.
 */
export class RawHttp2Client {
  readonly #socket: Socket;
  #read = Buffer.alloc(0);
  /** Of the stream, until it has ended. */
  readonly answered: Promise<void>;

  constructor(target: string) {
    const [host = '', port = ''] = target.split(':');
    this.#socket = connect({ host, port: Number(port) });
    this.#socket.write(Buffer.concat([preface, frame(frameTypes.settings, 0, 0)]));
    this.answered = new Promise((resolve, reject) => {
      this.#socket.on('error', reject);
      this.#socket.on('close', () => reject(new Error('expected an answer, got the end of the connection')));
      this.#socket.on('data', (bytes: Buffer) => {
        this.#read = Buffer.concat([this.#read, bytes]);
        if (this.#takeFrames()) resolve();
      });
    });
    this.answered.catch(() => {});
  }

  headers(fields: Readonly<Record<string, string>>, isLast = false): void {
    const block = Buffer.concat(Object.entries(fields).map(([name, value]) => literal(name, value)));
    this.#socket.write(frame(frameTypes.headers, endHeaders | (isLast ? endStream : 0), 1, block));
  }

  data(bytes: Uint8Array, isLast = false): void {
    this.#socket.write(frame(frameTypes.data, isLast ? endStream : 0, 1, bytes));
  }

  close(): void {
    this.#socket.destroy();
  }

  /** Did the answer end? */
  #takeFrames(): boolean {
    let hasEnded = false;
    for (;;) {
      if (this.#read.length < 9) return hasEnded;
      const length = this.#read.readUIntBE(0, 3);
      if (this.#read.length < 9 + length) return hasEnded;
      const [type, flags] = [this.#read[3] ?? 0, this.#read[4] ?? 0];
      if (type === frameTypes.settings && (flags & ack) === 0) {
        this.#socket.write(frame(frameTypes.settings, ack, 0));
      }
      if ((type === frameTypes.data || type === frameTypes.headers) && (flags & endStream) !== 0)
        hasEnded = true;
      this.#read = this.#read.subarray(9 + length);
    }
  }
}

function frame(
  type: number,
  flags: number,
  streamId: number,
  payload: Uint8Array = new Uint8Array(),
): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head[3] = type;
  head[4] = flags;
  head.writeUInt32BE(streamId, 5);
  return Buffer.concat([head, payload]);
}

/** HPACK (RFC 7541, 6.2.2): a field that is not kept in a table, name and value as they are, shorter than 127 bytes. */
function literal(name: string, value: string): Buffer {
  const text = (each: string): Buffer =>
    Buffer.concat([Buffer.from([each.length]), Buffer.from(each, 'latin1')]);
  return Buffer.concat([Buffer.from([0]), text(name), text(value)]);
}
