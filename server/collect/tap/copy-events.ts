import type { EpochMs } from '@/lib/xds/units';

/** `up` is the direction from the client to the server. */
export type Direction = 'up' | 'down';

interface OfStream {
  readonly streamId: string;
  readonly at: EpochMs;
}

interface OfConnection {
  readonly tap: number;
  readonly connectionId: string;
  readonly at: EpochMs;
}

/** xDS over REST: the polls of one connection of HTTP/1.1. */
export type PollEvent =
  /** A request, whose body follows. */
  | (OfConnection & {
      readonly kind: 'polled';
      /** Counts the requests of the connection. */
      readonly exchange: number;
      /** Such as "/v3/discovery:clusters". */
      readonly path: string;
      readonly peer: string;
      readonly server: string;
      readonly sizeBytes: number;
      readonly clockMs: number;
    })
  /** A response, whose body follows. The body of an error is cut. */
  | (OfConnection & {
      readonly kind: 'poll-answered';
      readonly exchange: number;
      readonly status: number;
      /** Content-Encoding, empty if the body is not compressed. */
      readonly encoding: string;
      readonly sizeBytes: number;
      readonly clockMs: number;
    })
  /** Messages of the connection are not recorded. */
  | (OfConnection & {
      readonly kind: 'polls-dropped';
      /** Null if nothing more of the connection is recorded. */
      readonly exchange: number | null;
      readonly messages: number;
      readonly bytes: number;
      readonly from: EpochMs;
      readonly reason: string;
    })
  /** The connection is closed. Requests without a response get none. */
  | (OfConnection & { readonly kind: 'polls-ended'; readonly details: string });

/** The events of recorded streams, in their order. */
export type CopyEvent =
  | PollEvent
  | (OfStream & {
      readonly kind: 'opened';
      readonly tap: number;
      /** "package.Service/Method". */
      readonly path: string;
      readonly peer: string;
      readonly server: string;
      /** The `grpc-encoding` of the client's messages, empty if they are not compressed. */
      readonly encoding: string;
      /** The stream was open before this recording thread, so earlier messages are unknown. */
      readonly isLate?: boolean;
    })
  | (OfStream & { readonly kind: 'response-encoding'; readonly encoding: string })
  | (OfStream & {
      readonly kind: 'data';
      readonly direction: Direction;
      readonly sizeBytes: number;
      /** The number of messages that begin in the data. */
      readonly messages: number;
      /** Set if the data is one message: how many it stands for, see RepeatedPairs. Absent: itself. */
      readonly repeats?: number;
      readonly clockMs: number;
    })
  /** Copies of both directions are missing. The next data of each direction begins a message. */
  | (OfStream & {
      readonly kind: 'gap';
      readonly messages: number;
      readonly bytes: number;
      readonly from: EpochMs;
      readonly reason: string;
    })
  /** The name of the gRPC status code and the details. */
  | (OfStream & { readonly kind: 'closed'; readonly code: string; readonly details: string })
  /** All streams of the tap are closed. This is its last event. */
  | { readonly kind: 'tap-closed'; readonly tap: number };

/** Events, and the concatenated bytes of those with a size, which unused space may follow. */
export interface CopyBatch {
  readonly events: readonly CopyEvent[];
  readonly bytes: ArrayBuffer;
  readonly cost: number;
}
