import { EventEmitter } from 'node:events';
import { constants, type IncomingHttpHeaders, type OutgoingHttpHeaders } from 'node:http2';
import type { Socket } from 'node:net';
import { FrameCutter, frame, frameFlags, frameTypes, maxFrameBytes, uint32 } from './frames';
import { decodeHeaderBlock, encodeHeaderBlock, maxHeaderListBytes } from './header-block';
import { Http2Error } from './http2-error';
import { SendWindows } from './send-windows';

export const preface = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 'latin1');
export const settingIds = {
  headerTableSize: 1,
  enablePush: 2,
  maxConcurrentStreams: 3,
  initialWindowSize: 4,
  maxHeaderListSize: 6,
} as const;
const defaultWindowBytes = 65_535;
/** CONTINUATION frames of one header block, as in nghttp2 (CVE-2024-27316). */
const maxContinuations = 8;
/** Frames in a row that bring nothing of an answer: PING, SETTINGS, resets, empty DATA... */
const maxIdleFrames = 1_000;
/** Bytes that may wait for a peer that does not read, beside the requests that it has allowed by its windows. */
const maxWaitingBytes = 1024 * 1024;

export interface LeanConnectionOptions {
  readonly socket: Socket;
  /** What the peer may send before we have looked at it, in a stream and in all. */
  readonly windowBytes: number;
}

/** What a connection tells a stream of it. */
export interface ConnectionStream {
  /** What arrives is kept: the peer is given no room for more. */
  readonly isPaused: boolean;
  /** `bytes` are valid during the call alone. */
  takeData(bytes: Buffer): void;
  /** The peer has said all. */
  takeEnd(): void;
  /** The peer's reset, or the end of the connection. */
  drop(code: number): void;
}

/**
 * HTTP/2 (RFC 9113) as a client with a call or two at a time needs it, for thousands of connections. Bytes are read
 * where they lie and handed on at once, and what is kept is some kilobytes a connection. (Of node:http2 each is 55 kB,
 * and each read a buffer of its own outside the heap, for which V8 goes through all of the heap again and again.)
 */
export abstract class LeanConnection<Stream extends ConnectionStream> extends EventEmitter<{
  goaway: [];
  close: [];
}> {
  /** It takes no more calls. */
  closed = false;
  destroyed = false;
  protected readonly streams = new Map<number, Stream>();
  readonly #cutter: FrameCutter;
  readonly #windows: SendWindows;
  #isReady = false;
  /** Since the peer was last given room, by stream; 0: on the connection. */
  readonly #received = new Map<number, number>();
  /** Headers whose last frame is not here yet. */
  #block: { readonly streamId: number; readonly isLast: boolean; readonly parts: Buffer[] } | undefined;
  /** Since the last part of an answer, or the last request. */
  #idleFrames = 0;
  #onPong: ((error: Error | null) => void) | undefined;

  constructor(protected readonly connection: LeanConnectionOptions) {
    super();
    this.#cutter = new FrameCutter({
      onData: (streamId, bytes) => this.streams.get(streamId)?.takeData(bytes),
      onDataEnd: (streamId, flags, sizeBytes) => this.#takeDataEnd(streamId, flags, sizeBytes),
      onFrame: (type, flags, streamId, payload) => {
        this.#countIdleFrame();
        this.#takeFrame(type, flags, streamId, payload);
      },
    });
    this.#windows = new SendWindows((streamId, bytes, isLast) =>
      this.send(frameTypes.data, isLast ? frameFlags.endStream : 0, streamId, bytes),
    );
    const { socket } = connection;
    socket.once('close', () => this.#onSocketClosed());
    socket.once('end', () => socket.destroy());
  }

  /** A whole block of headers. */
  protected abstract takeHeaders(streamId: number, headers: IncomingHttpHeaders, isLast: boolean): void;
  protected abstract takeGoaway(code: number, lastStreamId: number): void;
  /** The peer has said its settings. */
  protected abstract onReady(): void;

  /** Says our settings. */
  protected greet(first: Buffer, settings: readonly (readonly [id: number, value: number])[]): void {
    const { socket, windowBytes } = this.connection;
    const all = [
      [settingIds.headerTableSize, 0] as const,
      ...settings,
      [settingIds.initialWindowSize, windowBytes] as const,
      [settingIds.maxHeaderListSize, maxHeaderListBytes] as const,
    ].map(([id, value]) => setting(id, value));
    const more = windowBytes - defaultWindowBytes;
    socket.write(
      Buffer.concat([
        first,
        frame(frameTypes.settings, 0, 0, Buffer.concat(all)),
        ...(more > 0 ? [frame(frameTypes.windowUpdate, 0, 0, uint32(more))] : []),
      ]),
    );
  }

  /** What came in; valid during the call alone. */
  receive(bytes: Buffer): void {
    if (this.destroyed) return;
    try {
      this.#cutter.take(bytes);
    } catch (error) {
      if (!(error instanceof Http2Error)) throw error;
      this.fail(error);
    }
  }

  protected add(streamId: number, stream: Stream): void {
    this.streams.set(streamId, stream);
    this.#windows.open(streamId);
  }

  sendHeaders(streamId: number, headers: OutgoingHttpHeaders, isLastOfStream: boolean): void {
    this.#idleFrames = 0;
    const block = encodeHeaderBlock(headers);
    const ending = isLastOfStream ? frameFlags.endStream : 0;
    for (let from = 0; from < block.length; from += maxFrameBytes) {
      const type = from === 0 ? frameTypes.headers : frameTypes.continuation;
      const flags =
        (from === 0 ? ending : 0) | (from + maxFrameBytes >= block.length ? frameFlags.endHeaders : 0);
      this.send(type, flags, streamId, block.subarray(from, from + maxFrameBytes));
    }
  }

  send(type: number, flags: number, streamId: number, payload: Uint8Array): void {
    if (!this.destroyed) this.connection.socket.write(frame(type, flags, streamId, payload));
  }

  sendData(streamId: number, bytes: Uint8Array, isLast: boolean): void {
    this.#windows.send(streamId, bytes, isLast);
  }

  reset(streamId: number, code: number): void {
    this.send(frameTypes.rstStream, 0, streamId, uint32(code));
  }

  /** One at a time. */
  ping(callback: (error: Error | null) => void): void {
    this.#onPong = callback;
    this.send(frameTypes.ping, 0, 0, Buffer.alloc(8));
  }

  destroy(): void {
    this.connection.socket.destroy();
    this.#onSocketClosed();
  }

  protected forget(streamId: number): void {
    this.streams.delete(streamId);
    this.#received.delete(streamId);
    this.#windows.close(streamId);
    this.endIfUnused();
  }

  protected endIfUnused(): void {
    if (this.closed && this.streams.size === 0 && !this.destroyed) this.connection.socket.end();
  }

  /** Ends the connection, and says why. */
  protected fail({ code }: Http2Error): void {
    this.sendGoaway(code);
    this.destroy();
  }

  protected sendGoaway(code: number, lastStreamId = 0): void {
    this.send(frameTypes.goaway, 0, 0, Buffer.concat([uint32(lastStreamId), uint32(code)]));
  }

  #takeDataEnd(streamId: number, flags: number, sizeBytes: number): void {
    const stream = this.streams.get(streamId);
    if (sizeBytes > 0 && stream !== undefined) this.#idleFrames = 0;
    else this.#countIdleFrame();
    for (const id of stream === undefined ? [0] : [0, streamId]) {
      this.#received.set(id, (this.#received.get(id) ?? 0) + sizeBytes);
      this.giveRoom(id);
    }
    if ((flags & frameFlags.endStream) !== 0) stream?.takeEnd();
  }

  /** Once half of a window is used up the peer may send as much again; on a paused stream when it goes on. */
  giveRoom(streamId: number): void {
    const received = this.#received.get(streamId) ?? 0;
    const isPaused = this.streams.get(streamId)?.isPaused === true;
    if (isPaused || received < this.connection.windowBytes / 2) return;
    this.#received.set(streamId, 0);
    this.send(frameTypes.windowUpdate, 0, streamId, uint32(received));
  }

  #countIdleFrame(): void {
    this.#idleFrames += 1;
    const isTooMuch =
      this.#idleFrames > maxIdleFrames || this.connection.socket.writableLength > maxWaitingBytes;
    if (isTooMuch) throw new Http2Error('ENHANCE_YOUR_CALM');
  }

  #takeFrame(type: number, flags: number, streamId: number, payload: Buffer): void {
    if (!this.#isReady && type !== frameTypes.settings) throw new Http2Error('PROTOCOL_ERROR');
    if (this.#block !== undefined && type !== frameTypes.continuation) throw new Http2Error('PROTOCOL_ERROR');
    if (type === frameTypes.headers) this.#takeHeadersFrame(flags, streamId, payload);
    else if (type === frameTypes.continuation) this.#takeContinuation(flags, streamId, payload);
    else if (type === frameTypes.rstStream) this.streams.get(streamId)?.drop(word(payload));
    else if (type === frameTypes.settings) this.#takeSettings(flags, payload);
    else if (type === frameTypes.pushPromise) throw new Http2Error('PROTOCOL_ERROR');
    else if (type === frameTypes.ping) this.#takePing(flags, payload);
    else if (type === frameTypes.goaway) this.#takeGoawayFrame(payload);
    else if (type === frameTypes.windowUpdate) this.#windows.grow(streamId, word(payload) & 0x7fff_ffff);
  }

  #takeHeadersFrame(flags: number, streamId: number, payload: Buffer): void {
    const isLast = (flags & frameFlags.endStream) !== 0;
    this.#block = { streamId, isLast, parts: [Buffer.from(withoutPadding(flags, payload))] };
    this.#takeBlock(flags);
  }

  #takeContinuation(flags: number, streamId: number, payload: Buffer): void {
    if (this.#block?.streamId !== streamId) throw new Http2Error('PROTOCOL_ERROR');
    const { parts } = this.#block;
    parts.push(Buffer.from(payload));
    if (parts.length > 1 + maxContinuations) throw new Http2Error('ENHANCE_YOUR_CALM');
    this.#takeBlock(flags);
  }

  #takeBlock(flags: number): void {
    if (this.#block === undefined || (flags & frameFlags.endHeaders) === 0) return;
    const { streamId, isLast, parts } = this.#block;
    this.#block = undefined;
    this.takeHeaders(streamId, decodeHeaderBlock(Buffer.concat(parts)), isLast);
  }

  #takeSettings(flags: number, payload: Buffer): void {
    if ((flags & frameFlags.ack) !== 0) return;
    if (payload.length % 6 !== 0) throw new Http2Error('FRAME_SIZE_ERROR');
    for (let at = 0; at < payload.length; at += 6) {
      if (payload.readUInt16BE(at) === settingIds.initialWindowSize)
        this.#windows.setInitial(payload.readUInt32BE(at + 2));
    }
    this.send(frameTypes.settings, frameFlags.ack, 0, Buffer.alloc(0));
    if (this.#isReady) return;
    this.#isReady = true;
    this.onReady();
  }

  #takePing(flags: number, payload: Buffer): void {
    if (payload.length !== 8) throw new Http2Error('FRAME_SIZE_ERROR');
    if ((flags & frameFlags.ack) === 0) {
      this.send(frameTypes.ping, frameFlags.ack, 0, payload);
      return;
    }
    const onPong = this.#onPong;
    this.#onPong = undefined;
    onPong?.(null);
  }

  /** Calls that were begun may end. */
  #takeGoawayFrame(payload: Buffer): void {
    if (payload.length < 8) throw new Http2Error('FRAME_SIZE_ERROR');
    this.closed = true;
    this.takeGoaway(payload.readUInt32BE(4), word(payload) & 0x7fff_ffff);
  }

  #onSocketClosed(): void {
    if (this.destroyed) return;
    this.destroyed = true;
    this.closed = true;
    for (const stream of [...this.streams.values()]) stream.drop(constants.NGHTTP2_CANCEL);
    this.#onPong?.(new Error('the connection is closed'));
    this.emit('close');
  }
}

function setting(id: number, value: number): Buffer {
  const bytes = Buffer.alloc(6);
  bytes.writeUInt16BE(id);
  bytes.writeUInt32BE(value, 2);
  return bytes;
}

function word(payload: Buffer): number {
  if (payload.length < 4) throw new Http2Error('FRAME_SIZE_ERROR');
  return payload.readUInt32BE(0);
}

/** Of HEADERS; a priority, which nobody uses any more, is left out as well. */
function withoutPadding(flags: number, payload: Buffer): Buffer {
  const isPadded = (flags & frameFlags.padded) !== 0;
  const padding = isPadded ? (payload[0] ?? 0) : 0;
  const from = (isPadded ? 1 : 0) + ((flags & frameFlags.priority) !== 0 ? 5 : 0);
  if (from + padding > payload.length) throw new Http2Error('PROTOCOL_ERROR');
  return payload.subarray(from, payload.length - padding);
}
