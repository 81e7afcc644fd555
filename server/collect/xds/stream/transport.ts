import type { Problem } from '@/lib/observation/observation';
import type { DiscoveryMethod } from '@/lib/xds/discovery-methods';
import type { MessageSink } from '../../../transport/grpc/frame-reader';

/** Streams of messages to one management server. Layers above it do not depend on gRPC. */
export interface Transport {
  openStream(method: DiscoveryMethod, handler: TransportStreamHandler): TransportStream;
  close(): void;
}

export interface TransportStream {
  /** Has no effect after the end of the stream. */
  send(message: Uint8Array): void;
  /** Ends the stream. onEnd follows. */
  cancel(why: CancelReason): void;
}

/** `not-connected` means that the connection took too long, which counts as a failure of the server. */
export type CancelReason = 'not-wanted' | 'not-connected';

/** Its functions are called after openStream() has returned. */
export interface TransportStreamHandler {
  /** Called at most once, when the connection of the stream is ready. */
  onConnected(): void;
  /** Called at the start of a message. The next message, and the end, follow once the sink's end() has settled. */
  onMessage(sizeBytes: number): MessageSink;
  /** Called exactly once, last. */
  onEnd(end: StreamEnd): void;
}

export interface StreamEnd {
  /** The name of a gRPC status code, such as "UNAVAILABLE". */
  readonly code: string;
  readonly details: string;
  /**
   * Explains a failure. It may take seconds, because it may connect to the server again. Resolves to null if the stream ended
   * normally or was cancelled. Never rejects.
   */
  explain(): Promise<Problem | null>;
}
