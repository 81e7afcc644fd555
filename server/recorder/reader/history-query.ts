import type { ClientState } from '@/lib/observation/client-state';
import type { Observation } from '@/lib/observation/observation';
import type { EpochMs } from '@/lib/xds/units';
import type { HistoryFilter } from '../blocks/log-entry';
import type { Gap } from '../storage/state-stores';

export type { HistoryFilter };

export interface HistoryQuery extends HistoryFilter {
  /** Both ends are excluded. */
  readonly afterSeq?: number;
  readonly beforeSeq?: number;
  /** Fewer rows may be returned if they are large, but none only at the end. */
  readonly limit: number;
  readonly order: 'asc' | 'desc';
}

export interface HistoryRow {
  readonly seq: number;
  readonly json: string;
  /** The other observation of the pair (find-pair.ts). */
  readonly pairSeq: number | null;
  /** Time between the two, if the observation does not state it itself. */
  readonly pairMs: number | null;
}

/** The part of an observation that is drawn. */
export interface HistoryMark {
  readonly seq: number;
  readonly at: EpochMs;
  readonly kind: Observation['kind'];
  readonly sourceId: string;
  readonly clientId: string | null;
  readonly streamId: string | null;
  /** null: no type, or several. */
  readonly typeUrl: string | null;
  readonly tookMs: number | null;
  readonly pairSeq: number | null;
}

export interface HistoryMarks {
  /** Oldest first; empty if more match than were asked for. */
  readonly marks: readonly HistoryMark[];
  readonly total: number;
  readonly gaps: readonly Gap[];
}

/** `at`: a multiple of the length of the bucket. */
export interface HistoryBucket {
  readonly at: EpochMs;
  readonly typeUrl: string | null;
  readonly kind: Observation['kind'];
  readonly count: number;
}

export interface ClientAt {
  readonly client: ClientState;
  /** Of the newest observation that is folded in. */
  readonly seq: number;
  /** Time of the client's first observation in the log, or of the checkpoint that the fold began from. */
  readonly beginsAt: EpochMs;
  /** A sentence about observations before that moment that are missing; empty if none are. */
  readonly incomplete: string;
}
