import type { Problem } from '@/lib/observation/observation';
import type { DiscoveryMethod } from '@/lib/xds/discovery-methods';
import type { MessageSink } from '../../grpc/frame-reader';

/** How the client reaches one management server: bytes in, bytes out. The only part that knows gRPC is behind it. */
export interface Transport {
  openStream(method: DiscoveryMethod, handler: TransportStreamHandler): TransportStream;
  close(): void;
}

export interface TransportStream {
  /** After the end it does nothing: nobody is there to read it. */
  send(message: Uint8Array): void;
  /** Ends the stream from our side; onEnd follows. */
  cancel(why: CancelReason): void;
}

/** `not-connected`: the connection took too long, which is a failure of the peer's. */
export type CancelReason = 'not-wanted' | 'not-connected';

/** Called later than openStream() returns. */
export interface TransportStreamHandler {
  /** At most once: the stream is on a connection that is ready. */
  onConnected(): void;
  /** A message of that length begins. Until the sink's end() has settled no other one does, nor is the end reported. */
  onMessage(sizeBytes: number): MessageSink;
  /** Exactly once, last. */
  onEnd(end: StreamEnd): void;
}

export interface StreamEnd {
  /** gRPC status code name, as in "UNAVAILABLE". */
  readonly code: string;
  /** As the peer or the library said it. */
  readonly details: string;
  /**
   * For a person. It may take seconds to find out, since the peer is looked at; resolves to null where the stream
   * ended well, or because we ended it. Never rejects.
   */
  explain(): Promise<Problem | null>;
}
