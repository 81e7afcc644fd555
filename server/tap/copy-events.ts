import type { EpochMs } from '@/lib/xds/units';

/** `up`: from the client to its server. */
export type Direction = 'up' | 'down';

interface OfStream {
  readonly streamId: string;
  readonly at: EpochMs;
}

/** What the proxy reports a stream that belongs to xDS, in the order in which it passed. */
export type CopyEvent =
  | (OfStream & {
      readonly kind: 'opened';
      readonly tap: number;
      /** "package.Service/Method". */
      readonly path: string;
      readonly peer: string;
      readonly server: string;
      /** grpc-encoding of the client's messages; empty: as they are. */
      readonly encoding: string;
      /** It was open before there was somebody to tell: what passed until now is not known. */
      readonly isLate?: boolean;
    })
  | (OfStream & { readonly kind: 'response-encoding'; readonly encoding: string })
  | (OfStream & {
      readonly kind: 'data';
      readonly direction: Direction;
      readonly sizeBytes: number;
      /** That begin in it. */
      readonly messages: number;
      /** Of a clock that never goes back. */
      readonly clockMs: number;
    })
  /** What of both directions is missing here; the next data of each begin a message. */
  | (OfStream & {
      readonly kind: 'gap';
      readonly messages: number;
      readonly bytes: number;
      readonly from: EpochMs;
      readonly reason: string;
    })
  /** gRPC status code name and details. */
  | (OfStream & { readonly kind: 'closed'; readonly code: string; readonly details: string })
  /** All of its streams are closed, and nothing more comes of it. */
  | { readonly kind: 'tap-closed'; readonly tap: number };

/** Events, and the bytes of their data one after the other; there may be room behind them. */
export interface CopyBatch {
  readonly events: readonly CopyEvent[];
  readonly bytes: ArrayBuffer;
  /** Room that it takes in the queue. */
  readonly cost: number;
}
