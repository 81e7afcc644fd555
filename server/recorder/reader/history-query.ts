import type { ClientState } from '@/lib/observation/client-state';
import type { Observation } from '@/lib/observation/observation';
import type { EpochMs } from '@/lib/xds/units';
import type { HistoryFilter } from '../blocks/log-entry';
import type { Gap } from '../storage/state-stores';

export type { HistoryFilter };

export interface HistoryQuery extends HistoryFilter {
  /** Exclusive, both. */
  readonly afterSeq?: number;
  readonly beforeSeq?: number;
  /** Fewer may come when they are large, but none only at the end. */
  readonly limit: number;
  readonly order: 'asc' | 'desc';
}

export interface HistoryRow {
  readonly seq: number;
  /** The observation's JSON. */
  readonly json: string;
  /** Through the nonce, on the same stream and type: a response's ACK or NACK, an ACK's or NACK's response. */
  readonly pairSeq: number | null;
  /** Time between the two where the observation does not tell it itself. */
  readonly pairMs: number | null;
}

/** One event as little as a drawing needs. */
export interface HistoryMark {
  readonly seq: number;
  readonly at: EpochMs;
  readonly kind: Observation['kind'];
  readonly sourceId: string;
  readonly clientId: string | null;
  readonly streamId: string | null;
  /** null: none, or several. */
  readonly typeUrl: string | null;
  readonly tookMs: number | null;
  readonly pairSeq: number | null;
}

export interface HistoryMarks {
  /** Oldest first; none when there are more than were asked for. */
  readonly marks: readonly HistoryMark[];
  /** How many match. */
  readonly total: number;
  readonly gaps: readonly Gap[];
}

/** Buckets begin at multiples of their length. */
export interface HistoryBucket {
  readonly at: EpochMs;
  readonly typeUrl: string | null;
  readonly kind: Observation['kind'];
  readonly count: number;
}

/** A client as it was. */
export interface ClientAt {
  readonly client: ClientState;
  /** Newest observation folded in. */
  readonly seq: number;
  /** The first observation of the client that the log still holds, or the checkpoint that it began from. */
  readonly beginsAt: EpochMs;
  /** Something before that moment was not recorded: what is reported may lack it. In words; empty when nothing is missing. */
  readonly incomplete: string;
}
