import { maxFrameBytes } from './frames';
import { Http2Error } from './http2-error';

interface Waiting {
  readonly bytes: Uint8Array;
  readonly isLast: boolean;
}

interface Window {
  bytes: number;
  readonly waiting: Waiting[];
}

const mostBytes = 2 ** 31 - 1;

/** How much the server takes (RFC 9113 5.2): what is above it waits. */
export class SendWindows {
  #initial = 65_535;
  #connection = 65_535;
  readonly #streams = new Map<number, Window>();

  constructor(private readonly sendFrame: (streamId: number, bytes: Uint8Array, isLast: boolean) => void) {}

  open(streamId: number): void {
    this.#streams.set(streamId, { bytes: this.#initial, waiting: [] });
  }

  close(streamId: number): void {
    this.#streams.delete(streamId);
  }

  send(streamId: number, bytes: Uint8Array, isLast: boolean): void {
    const window = this.#streams.get(streamId);
    if (window === undefined) return;
    window.waiting.push({ bytes, isLast });
    this.#flush(streamId, window);
  }

  /** 0: of the connection. */
  grow(streamId: number, byBytes: number): void {
    if (streamId === 0) this.#connection = checked(this.#connection + byBytes);
    else {
      const window = this.#streams.get(streamId);
      if (window !== undefined) window.bytes = checked(window.bytes + byBytes);
    }
    for (const [id, window] of this.#streams) this.#flush(id, window);
  }

  /** Windows of streams that are open change by the difference, and may be below 0. */
  setInitial(bytes: number): void {
    const difference = checked(bytes) - this.#initial;
    this.#initial = bytes;
    for (const [id, window] of this.#streams) {
      window.bytes = checked(window.bytes + difference);
      this.#flush(id, window);
    }
  }

  #flush(streamId: number, window: Window): void {
    for (;;) {
      const [next] = window.waiting;
      if (next === undefined) return;
      const { bytes, isLast } = next;
      const room = Math.min(maxFrameBytes, this.#connection, window.bytes);
      if (bytes.length > 0 && room <= 0) return;
      const part = bytes.subarray(0, Math.max(0, room));
      const isAll = part.length === bytes.length;
      if (isAll) window.waiting.shift();
      else window.waiting[0] = { bytes: bytes.subarray(part.length), isLast };
      this.#connection -= part.length;
      window.bytes -= part.length;
      this.sendFrame(streamId, part, isAll && isLast);
    }
  }
}

function checked(windowBytes: number): number {
  if (windowBytes > mostBytes) throw new Http2Error('FLOW_CONTROL_ERROR');
  return windowBytes;
}
