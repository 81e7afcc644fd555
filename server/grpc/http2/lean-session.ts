import { constants, type IncomingHttpHeaders, type OutgoingHttpHeaders } from 'node:http2';
import type { CallSession } from '../call-session';
import { LeanConnection, type LeanConnectionOptions, preface, settingIds } from './lean-connection';
import { LeanStream } from './lean-stream';

export interface LeanSessionOptions extends LeanConnectionOptions {
  /** The server has said its settings. */
  readonly onReady: () => void;
}

/** The client's side of a LeanConnection. Header blocks of the server stand by themselves: it is told to keep no table. */
export class LeanSession extends LeanConnection<LeanStream> implements CallSession {
  #nextStreamId = 1;

  constructor(private readonly options: LeanSessionOptions) {
    super(options);
  }

  /** To be called when the socket is connected. */
  begin(): void {
    this.greet(preface, [[settingIds.enablePush, 0]]);
  }

  request(headers: OutgoingHttpHeaders): LeanStream {
    const id = this.#nextStreamId;
    this.#nextStreamId += 2;
    const stream = new LeanStream(id, this, () => this.forget(id));
    this.add(id, stream);
    this.sendHeaders(id, headers, false);
    return stream;
  }

  protected onReady(): void {
    this.options.onReady();
  }

  protected takeHeaders(streamId: number, headers: IncomingHttpHeaders, isLast: boolean): void {
    this.streams.get(streamId)?.takeHeaders(headers, isLast);
  }

  protected takeGoaway(code: number, lastStreamId: number): void {
    this.emit('goaway');
    if (code !== constants.NGHTTP2_NO_ERROR) {
      this.destroy();
      return;
    }
    for (const [id, stream] of [...this.streams])
      if (id > lastStreamId) stream.drop(constants.NGHTTP2_REFUSED_STREAM);
    this.endIfUnused();
  }
}
