import { constants, type IncomingHttpHeaders, type OutgoingHttpHeaders } from 'node:http2';
import { HeaderTable } from './header-block';
import { Http2Error } from './http2-error';
import {
  type ConnectionStream,
  LeanConnection,
  type LeanConnectionOptions,
  preface,
  settingIds,
} from './lean-connection';

/** One call that a client began, as its server sees it. */
export class LeanServerStream implements ConnectionStream {
  /** Who is told of what the client says; set by who takes the call. */
  handler: ConnectionStream | undefined;
  #isEndedByPeer = false;
  #isOver = false;

  constructor(
    readonly id: number,
    private readonly session: LeanServerSession,
    private readonly onOver: () => void,
  ) {}

  takeData(bytes: Buffer): void {
    if (!this.#isOver && !this.#isEndedByPeer) this.handler?.takeData(bytes);
  }

  takeEnd(): void {
    if (this.#isEndedByPeer || this.#isOver) return;
    this.#isEndedByPeer = true;
    this.handler?.takeEnd();
  }

  drop(code: number): void {
    if (this.#isOver) return;
    this.#finish();
    this.handler?.drop(code);
  }

  /** `isLast`: nothing is sent after them, and nothing more is heard. */
  sendHeaders(headers: OutgoingHttpHeaders, isLast: boolean): void {
    if (this.#isOver) return;
    this.session.sendHeaders(this.id, headers, isLast);
    if (!isLast) return;
    // RFC 9113 8.1: what the client still says is of no use to anybody.
    if (!this.#isEndedByPeer) this.session.reset(this.id, constants.NGHTTP2_NO_ERROR);
    this.#finish();
  }

  send(bytes: Uint8Array): void {
    if (!this.#isOver) this.session.sendData(this.id, bytes, false);
  }

  #finish(): void {
    this.#isOver = true;
    this.onOver();
  }
}

export interface LeanServerSessionOptions extends Omit<LeanConnectionOptions, 'mostHeaderBytes'> {
  /** Calls at a time; what is beyond is refused. */
  readonly mostStreams: number;
  readonly onStream: (stream: LeanServerStream, headers: IncomingHttpHeaders) => void;
}

/** What may wait for a client that does not read: nobody needs that much of a server that says little. */
const mostWaitingBytes = 1024 * 1024;

/** The server's side of a LeanConnection. */
export class LeanServerSession extends LeanConnection<LeanServerStream> {
  /** The client may use a table of 4,096 octets (RFC 9113 6.5.2) until it has read our settings. */
  protected override readonly headerTable = new HeaderTable(4_096);
  /** Of the preface, not here yet. */
  #prefaceLeft = preface.length;
  #newestId = 0;

  constructor(private readonly options: LeanServerSessionOptions) {
    super({ ...options, mostHeaderBytes: 16 * 1024 });
    this.greet(Buffer.alloc(0), [[settingIds.maxConcurrentStreams, options.mostStreams]]);
  }

  override receive(bytes: Buffer): void {
    let rest = bytes;
    if (this.#prefaceLeft > 0) {
      const part = bytes.subarray(0, this.#prefaceLeft);
      const from = preface.length - this.#prefaceLeft;
      if (!part.equals(preface.subarray(from, from + part.length))) {
        this.fail(new Http2Error('PROTOCOL_ERROR'));
        return;
      }
      this.#prefaceLeft -= part.length;
      rest = bytes.subarray(part.length);
    }
    if (rest.length > 0) super.receive(rest);
    if (this.connection.socket.writableLength > mostWaitingBytes) this.destroy();
  }

  /** Takes no more calls; those that are open go on. */
  sayGoodbye(): void {
    this.closed = true;
    this.sendGoaway(constants.NGHTTP2_NO_ERROR, this.#newestId);
  }

  /** What was said is still sent. */
  end(): void {
    this.connection.socket.destroySoon();
  }

  protected onReady(): void {}

  protected takeHeaders(streamId: number, headers: IncomingHttpHeaders, isLast: boolean): void {
    const known = this.streams.get(streamId);
    if (known !== undefined) {
      // Trailers: of a request they end it, and say nothing to gRPC.
      if (isLast) known.takeEnd();
      return;
    }
    // Of a stream that is over.
    if (streamId <= this.#newestId) return;
    if (streamId % 2 === 0) throw new Http2Error('PROTOCOL_ERROR');
    this.#newestId = streamId;
    if (this.closed || this.streams.size >= this.options.mostStreams) {
      this.reset(streamId, constants.NGHTTP2_REFUSED_STREAM);
      return;
    }
    const stream = new LeanServerStream(streamId, this, () => this.forget(streamId));
    this.add(streamId, stream);
    this.options.onStream(stream, headers);
    if (isLast) stream.takeEnd();
  }

  /** Of streams of ours, of which there are none. */
  protected takeGoaway(): void {
    this.endIfUnused();
  }
}
