import type { IncomingHttpHeaders, IncomingHttpStatusHeader, OutgoingHttpHeaders } from 'node:http2';

export interface CallStreamEvents {
  response: [headers: IncomingHttpHeaders & IncomingHttpStatusHeader];
  trailers: [headers: IncomingHttpHeaders];
  data: [bytes: Buffer];
  error: [error: Error];
  /** The peer has said all. */
  end: [];
  close: [];
}

/** What a call needs of a stream of HTTP/2: a part of what node:http2 has. */
export interface CallStream {
  readonly closed: boolean;
  readonly rstCode?: number | undefined;
  on<Event extends keyof CallStreamEvents>(
    event: Event,
    listener: (...told: CallStreamEvents[Event]) => void,
  ): unknown;
  write(bytes: Uint8Array): unknown;
  /** Nothing more will be written. */
  end(): unknown;
  /** Resets it where it is not over. */
  close(rstCode: number): unknown;
  pause(): unknown;
  resume(): unknown;
}

/** What calls, and who keeps connections, need of one. */
export interface CallSession {
  /** It takes no more calls. */
  readonly closed: boolean;
  readonly destroyed: boolean;
  request(headers: OutgoingHttpHeaders): CallStream;
  ping(callback: (error: Error | null) => void): unknown;
  destroy(): void;
  /** goaway: the server wants no more calls. */
  once(event: 'goaway' | 'close', listener: () => void): unknown;
}
