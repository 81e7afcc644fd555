import { Http2Error } from './http2-error';

/** RFC 9113 6. */
export const frameTypes = {
  data: 0,
  headers: 1,
  rstStream: 3,
  settings: 4,
  pushPromise: 5,
  ping: 6,
  goaway: 7,
  windowUpdate: 8,
  continuation: 9,
} as const;

export const frameFlags = { ack: 1, endStream: 1, endHeaders: 4, padded: 8, priority: 32 } as const;

/** Nobody need take more in one frame unless it says so, and we do not. */
export const maxFrameBytes = 16_384;
const headBytes = 9;

export function frame(type: number, flags: number, streamId: number, payload: Uint8Array): Buffer {
  const bytes = Buffer.allocUnsafe(headBytes + payload.length);
  bytes.writeUIntBE(payload.length, 0, 3);
  bytes[3] = type;
  bytes[4] = flags;
  bytes.writeUInt32BE(streamId, 5);
  bytes.set(payload, headBytes);
  return bytes;
}

/** An unsigned integer of four octets. */
export function uint32(value: number): Buffer {
  const bytes = Buffer.allocUnsafe(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

export interface FrameHandler {
  /** A part of the payload of DATA; padding is left out. `bytes` is valid during the call alone. */
  onData(streamId: number, bytes: Buffer): void;
  /** DATA is complete: so much of the windows was taken by it, padding included. */
  onDataEnd(streamId: number, flags: number, sizeBytes: number): void;
  /** All others. `payload` is valid during the call alone. */
  onFrame(type: number, flags: number, streamId: number, payload: Buffer): void;
}

/** Cuts what a peer sends into frames. DATA is handed on as it comes in. Throws an Http2Error. */
export class FrameCutter {
  readonly #head = Buffer.alloc(headBytes);
  #headLength = 0;
  #frame: { readonly type: number; readonly flags: number; readonly streamId: number; size: number } = {
    ...{ type: 0, flags: 0, streamId: 0, size: 0 },
  };
  /** Of the payload, not here yet. */
  #missing = 0;
  /** At the end of DATA; -1: how many they are is not here yet. */
  #padding = 0;
  /** A payload that is not DATA; what is missing of it is at its end. */
  #collected: Buffer | undefined;

  constructor(private readonly handler: FrameHandler) {}

  take(bytes: Buffer): void {
    let position = 0;
    while (position < bytes.length) {
      if (this.#headLength < headBytes) {
        const taken = bytes.copy(this.#head, this.#headLength, position);
        this.#headLength += taken;
        position += taken;
        if (this.#headLength < headBytes) return;
        this.#begin();
      } else {
        const part = bytes.subarray(position, position + this.#missing);
        position += part.length;
        this.#missing -= part.length;
        if (this.#frame.type === frameTypes.data) this.#takeData(part);
        else this.#collect(part);
      }
      if (this.#headLength === headBytes && this.#missing === 0) this.#end();
    }
  }

  #begin(): void {
    const size = this.#head.readUIntBE(0, 3);
    if (size > maxFrameBytes) throw new Http2Error('FRAME_SIZE_ERROR');
    const [, , , type = 0, flags = 0] = this.#head;
    const streamId = this.#head.readUInt32BE(5) & 0x7fff_ffff;
    this.#frame = { type, flags, streamId, size };
    this.#missing = size;
    this.#padding = type === frameTypes.data && (flags & frameFlags.padded) !== 0 ? -1 : 0;
  }

  #takeData(part: Buffer): void {
    let data = part;
    if (this.#padding === -1) {
      this.#padding = part[0] ?? 0;
      if (this.#padding >= this.#frame.size) throw new Http2Error('PROTOCOL_ERROR');
      data = part.subarray(1);
    }
    const end = data.length - Math.max(0, this.#padding - this.#missing);
    if (end > 0) this.handler.onData(this.#frame.streamId, data.subarray(0, end));
  }

  #collect(part: Buffer): void {
    const { size } = this.#frame;
    if (part.length === size) {
      this.#collected = part;
      return;
    }
    this.#collected ??= Buffer.allocUnsafe(size);
    this.#collected.set(part, size - this.#missing - part.length);
  }

  #end(): void {
    const { type, flags, streamId, size } = this.#frame;
    const payload = this.#collected ?? Buffer.alloc(0);
    this.#headLength = 0;
    this.#collected = undefined;
    if (type !== frameTypes.data) this.handler.onFrame(type, flags, streamId, payload);
    else if (this.#padding === -1) throw new Http2Error('PROTOCOL_ERROR');
    else this.handler.onDataEnd(streamId, flags, size);
  }
}
