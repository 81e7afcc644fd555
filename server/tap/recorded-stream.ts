import type { NodeInfo, Observation } from '@/lib/observation/observation';
import type { EpochMs } from '@/lib/xds/units';
import type { Body } from '../observe';

/** A message's receipt: when, and by a clock that never goes back. */
export interface Receipt {
  readonly at: EpochMs;
  readonly clockMs: number;
}

/** Who speaks on a stream. */
export interface Speaker {
  readonly clientId: string;
  readonly node: NodeInfo;
}

type WithoutBase<T> = T extends Observation ? Omit<T, 'at' | 'vantage' | 'sourceId'> : never;
/** An observation, but for when and where. */
export type Reported = WithoutBase<Observation>;
export type Emit = (reported: Reported, at: EpochMs, bodies?: readonly Body[]) => void;

export interface OpenedStream {
  readonly streamId: string;
  readonly tap: number;
  readonly path: string;
  readonly peer: string;
  readonly server: string;
  readonly at: EpochMs;
  /** It was open before anybody listened. */
  readonly isLate: boolean;
}

/** What a stream's messages mean: of discovery, or of load reports. Messages come in the order in which they passed. */
export interface MessageHandler {
  onRequest(message: Buffer, receipt: Receipt): void;
  onResponse(message: Buffer, receipt: Receipt): void;
  /** Copies are missing here, of both directions. */
  onGap(): void;
  onClosed(): void;
  /** null until it is known; reported in the first request. */
  readonly speaker: Speaker | null;
  readonly hadResponse: boolean;
}
