import type { ClientState } from '@/lib/observation/client-state';
import type { Observation, Vantage } from '@/lib/observation/observation';
import type { HistoryMark } from '@/lib/views/history/build-history-marks';
import type { EpochMs } from '@/lib/xds/units';
import type { Gap } from './ranges';

/** Selects the observations that meet all conditions; an absent condition is met by all. */
export interface HistoryFilter {
  readonly clientId?: string;
  readonly streamId?: string;
  readonly sourceId?: string;
  readonly typeUrls?: readonly string[];
  readonly kinds?: readonly Observation['kind'][];
  readonly vantages?: readonly Vantage[];
  /** The exact name of a resource that was subscribed to, received, changed, removed or rejected. */
  readonly resourceName?: string;
  /** The exact version_info that was accepted or rejected. */
  readonly version?: string;
  /** A part of the error text, regardless of case. */
  readonly errorText?: string;
  /** A NACK on a stream, or a report with an error. */
  readonly isRejection?: true;
  /** Both ends are included. */
  readonly from?: EpochMs;
  readonly to?: EpochMs;
}

export interface HistoryQuery extends HistoryFilter {
  /** Both ends are excluded. */
  readonly afterSeq?: number;
  readonly beforeSeq?: number;
  /** Selects the observations of these clients, those without a client, and load reports. */
  readonly followed?: readonly string[];
  /** Fewer rows may be returned if they are large; none are returned only at the end. */
  readonly limit: number;
  readonly order: 'asc' | 'desc';
}

export interface HistoryRow {
  readonly seq: number;
  readonly json: string;
  /** The seq of the other observation of the pair (pairs.ts). */
  readonly pairSeq: number | null;
  /** Time between the two observations, if the observation itself does not state it. */
  readonly pairMs: number | null;
}

export interface HistoryMarks {
  /** The oldest is first. Empty if more match than were requested. */
  readonly marks: readonly HistoryMark[];
  readonly total: number;
  readonly gaps: readonly Gap[];
}

/** `at` is a multiple of the length of the bucket. */
export interface HistoryBucket {
  readonly at: EpochMs;
  readonly typeUrl: string | null;
  readonly kind: Observation['kind'];
  readonly count: number;
}

export interface ClientAt {
  readonly client: ClientState;
  /** The seq of the newest observation in the fold. */
  readonly seq: number;
  /** Time of the client's first observation in the log, or of the checkpoint with which the fold begins. */
  readonly beginsAt: EpochMs;
  /** A sentence about missing observations before that time; empty if none are missing. */
  readonly incomplete: string;
}
