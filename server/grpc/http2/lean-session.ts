import { EventEmitter } from 'node:events';
import { constants, type OutgoingHttpHeaders } from 'node:http2';
import type { Socket } from 'node:net';
import type { CallSession } from '../call-session';
import { FrameCutter, frame, frameFlags, frameTypes, maxFrameBytes, uint32 } from './frames';
import { decodeHeaderBlock, encodeHeaderBlock } from './header-block';
import { Http2Error } from './http2-error';
import { LeanStream } from './lean-stream';
import { SendWindows } from './send-windows';

const preface = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 'latin1');
const settingIds = { headerTableSize: 1, enablePush: 2, initialWindowSize: 4 } as const;
const defaultWindowBytes = 65_535;
const mostHeaderBytes = 256 * 1024;

export interface LeanSessionOptions {
  readonly socket: Socket;
  /** What the server may send before we have looked at it, in a stream and in all. */
  readonly windowBytes: number;
  /** The server has said its settings. */
  readonly onReady: () => void;
}

/**
 * HTTP/2 (RFC 9113) as a client with a call or two at a time needs it, for thousands of connections. Bytes are read
 * where they lie and handed on at once, and header blocks stand by themselves: a connection costs some kilobytes and
 * what comes in leaves no garbage. (Of node:http2 each is 55 kB, and each read a buffer of its own outside the heap, for
 * which V8 goes through all of the heap again and again.)
 */
export class LeanSession extends EventEmitter<{ goaway: []; close: [] }> implements CallSession {
  closed = false;
  destroyed = false;
  readonly #streams = new Map<number, LeanStream>();
  readonly #cutter: FrameCutter;
  readonly #windows: SendWindows;
  #nextStreamId = 1;
  #isReady = false;
  /** Since the server was last given room, by stream; 0: on the connection. */
  readonly #received = new Map<number, number>();
  /** Headers whose last frame is not here yet. */
  #block: { readonly streamId: number; readonly isLast: boolean; bytes: Buffer } | undefined;
  #onPong: ((error: Error | null) => void) | undefined;

  constructor(private readonly options: LeanSessionOptions) {
    super();
    this.#cutter = new FrameCutter({
      onData: (streamId, bytes) => this.#streams.get(streamId)?.takeData(bytes),
      onDataEnd: (streamId, flags, sizeBytes) => this.#takeDataEnd(streamId, flags, sizeBytes),
      onFrame: (type, flags, streamId, payload) => this.#takeFrame(type, flags, streamId, payload),
    });
    this.#windows = new SendWindows((streamId, bytes, isLast) =>
      this.send(frameTypes.data, isLast ? frameFlags.endStream : 0, streamId, bytes),
    );
    const { socket } = options;
    socket.once('close', () => this.#onSocketClosed());
    socket.once('end', () => socket.destroy());
  }

  /** To be called when the socket is connected. */
  begin(): void {
    const { socket, windowBytes } = this.options;
    const settings = Buffer.concat([
      setting(settingIds.headerTableSize, 0),
      setting(settingIds.enablePush, 0),
      setting(settingIds.initialWindowSize, windowBytes),
    ]);
    socket.write(
      Buffer.concat([
        preface,
        frame(frameTypes.settings, 0, 0, settings),
        frame(frameTypes.windowUpdate, 0, 0, uint32(windowBytes - defaultWindowBytes)),
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
      this.#fail(error);
    }
  }

  request(headers: OutgoingHttpHeaders): LeanStream {
    const id = this.#nextStreamId;
    this.#nextStreamId += 2;
    const stream = new LeanStream(id, this, () => this.#forget(id));
    this.#streams.set(id, stream);
    this.#windows.open(id);
    const block = encodeHeaderBlock(headers);
    for (let from = 0; from < block.length; from += maxFrameBytes) {
      const type = from === 0 ? frameTypes.headers : frameTypes.continuation;
      const isLast = from + maxFrameBytes >= block.length;
      this.send(type, isLast ? frameFlags.endHeaders : 0, id, block.subarray(from, from + maxFrameBytes));
    }
    return stream;
  }

  send(type: number, flags: number, streamId: number, payload: Uint8Array): void {
    if (!this.destroyed) this.options.socket.write(frame(type, flags, streamId, payload));
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
    this.options.socket.destroy();
    this.#onSocketClosed();
  }

  #takeDataEnd(streamId: number, flags: number, sizeBytes: number): void {
    const stream = this.#streams.get(streamId);
    const { windowBytes } = this.options;
    for (const id of stream === undefined ? [0] : [0, streamId]) {
      const received = (this.#received.get(id) ?? 0) + sizeBytes;
      const isMuch = received >= windowBytes / 2;
      this.#received.set(id, isMuch ? 0 : received);
      if (isMuch) this.send(frameTypes.windowUpdate, 0, id, uint32(received));
    }
    if ((flags & frameFlags.endStream) !== 0) stream?.takeEnd();
  }

  #takeFrame(type: number, flags: number, streamId: number, payload: Buffer): void {
    if (!this.#isReady && type !== frameTypes.settings) throw new Http2Error('PROTOCOL_ERROR');
    if (this.#block !== undefined && type !== frameTypes.continuation) throw new Http2Error('PROTOCOL_ERROR');
    if (type === frameTypes.headers) this.#takeHeaders(flags, streamId, payload);
    else if (type === frameTypes.continuation) this.#takeContinuation(flags, streamId, payload);
    else if (type === frameTypes.rstStream) this.#streams.get(streamId)?.drop(word(payload));
    else if (type === frameTypes.settings) this.#takeSettings(flags, payload);
    else if (type === frameTypes.pushPromise) throw new Http2Error('PROTOCOL_ERROR');
    else if (type === frameTypes.ping) this.#takePing(flags, payload);
    else if (type === frameTypes.goaway) this.#takeGoaway(payload);
    else if (type === frameTypes.windowUpdate) this.#windows.grow(streamId, word(payload) & 0x7fff_ffff);
  }

  #takeHeaders(flags: number, streamId: number, payload: Buffer): void {
    const isLast = (flags & frameFlags.endStream) !== 0;
    this.#block = { streamId, isLast, bytes: Buffer.from(withoutPadding(flags, payload)) };
    this.#takeBlock(flags);
  }

  #takeContinuation(flags: number, streamId: number, payload: Buffer): void {
    const { streamId: begun, isLast, bytes } = this.#block ?? {};
    if (begun !== streamId || bytes === undefined || isLast === undefined || bytes.length > mostHeaderBytes)
      throw new Http2Error('PROTOCOL_ERROR');
    this.#block = { streamId, isLast, bytes: Buffer.concat([bytes, payload]) };
    this.#takeBlock(flags);
  }

  #takeBlock(flags: number): void {
    const { streamId, isLast, bytes } = this.#block ?? {};
    if (streamId === undefined || bytes === undefined || (flags & frameFlags.endHeaders) === 0) return;
    this.#block = undefined;
    this.#streams.get(streamId)?.takeHeaders(decodeHeaderBlock(bytes), isLast === true);
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
    this.options.onReady();
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

  /** Calls that the server has begun with may end. */
  #takeGoaway(payload: Buffer): void {
    if (payload.length < 8) throw new Http2Error('FRAME_SIZE_ERROR');
    this.closed = true;
    this.emit('goaway');
    if (payload.readUInt32BE(4) !== constants.NGHTTP2_NO_ERROR) {
      this.destroy();
      return;
    }
    const lastId = word(payload) & 0x7fff_ffff;
    for (const [id, stream] of [...this.#streams])
      if (id > lastId) stream.drop(constants.NGHTTP2_REFUSED_STREAM);
    this.#endIfUnused();
  }

  #forget(streamId: number): void {
    this.#streams.delete(streamId);
    this.#received.delete(streamId);
    this.#windows.close(streamId);
    this.#endIfUnused();
  }

  #endIfUnused(): void {
    if (this.closed && this.#streams.size === 0 && !this.destroyed) this.options.socket.end();
  }

  #fail({ code }: Http2Error): void {
    const noStreamOfTheirs = uint32(0);
    this.send(frameTypes.goaway, 0, 0, Buffer.concat([noStreamOfTheirs, uint32(code)]));
    this.destroy();
  }

  #onSocketClosed(): void {
    if (this.destroyed) return;
    this.destroyed = true;
    this.closed = true;
    for (const stream of [...this.#streams.values()]) stream.drop(constants.NGHTTP2_CANCEL);
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
