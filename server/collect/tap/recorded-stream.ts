import type { NodeInfo } from '@/lib/observation/observation';
import type { ResourceState, TypeVersion } from '@/lib/observation/resource-state';
import type { EpochMs } from '@/lib/xds/units';
import type { Body, Reported } from '../../observe';

export interface Receipt {
  readonly at: EpochMs;
  /** The time of a monotonic clock. */
  readonly clockMs: number;
  /** The number of messages that it stands for, which differ in their nonces alone. Absent: only itself. */
  readonly repeats?: number;
}

export interface StreamClient {
  readonly clientId: string;
  readonly node: NodeInfo;
}

/** The state of a client of a tap in the log when a recording thread begins. */
export interface RecordedClient extends StreamClient {
  /** The streams that an earlier recording thread has identified, and that were open last. */
  readonly streamIds: readonly string[];
  readonly rows: readonly ResourceState[];
  readonly typeVersions: readonly TypeVersion[];
}

/** Limits the rows of clients without a stream, which are kept for clients that connect again. */
export const maxIdleRows = 500_000;

export type Emit = (reported: Reported, at: EpochMs, bodies?: readonly Body[]) => void;

/** Messages that were not recorded. */
export interface Dropped {
  readonly messages: number;
  readonly bytes: number;
  readonly from: EpochMs;
  readonly reason: string;
}

export interface OpenedStream {
  readonly streamId: string;
  readonly tap: number;
  readonly path: string;
  readonly peer: string;
  readonly server: string;
  readonly at: EpochMs;
  /** The stream was open before this recording thread. */
  readonly isLate: boolean;
}

/** Handles the messages of a stream of discovery or of load reports, in their order. */
export interface MessageHandler {
  onRequest(message: Buffer, receipt: Receipt): void;
  onResponse(message: Buffer, receipt: Receipt): void;
  /** Called where copies of both directions are missing. */
  onGap(at: EpochMs): void;
  onClosed(): void;
  /** Reports responses that are not answered. Returns whether it has to be called again without another response. */
  checkAnswers(now: EpochMs): boolean;
  /** Null until the first request has identified the client. */
  readonly client: StreamClient | null;
  readonly hadResponse: boolean;
}
