import type { Observation } from '@/lib/observation/observation';
import type { UserType } from '../../codec/codec';
import type { PackedBodies } from '../../packed-bodies';
import type { SourceStatus } from '../../source-status';

/** `source` is a number that is never used twice; `setup` has the options of the source without its id. */
export interface OpenCommand<Setups, Kind extends keyof Setups = keyof Setups> {
  readonly kind: 'open';
  readonly source: number;
  readonly sourceId: string;
  readonly sourceKind: Kind;
  readonly setup: Setups[Kind];
}

/** Commands of the main thread to a collector. */
export type SourceCommand<Setups> =
  | OpenCommand<Setups>
  | { readonly kind: 'start' | 'pause' | 'close'; readonly source: number }
  /** A request of the kind to an open source, which is answered. */
  | { readonly kind: 'request'; readonly source: number; readonly id: number; readonly request: unknown }
  | { readonly kind: 'types'; readonly types: readonly UserType[] }
  | { readonly kind: 'process'; readonly facts: ProcessFacts }
  /** Acknowledges the oldest unacknowledged message. */
  | { readonly kind: 'taken' };

/** What sources are to know of other sources of this process. */
export interface ProcessFacts {
  /** The node ids of all probes. */
  readonly probedNodes: readonly string[];
  /** The addresses of management servers that probes and taps name. */
  readonly servers: readonly string[];
}

/** Messages of a collector, in order. The main thread acknowledges each. */
export type SourceNews =
  | {
      readonly kind: 'emission';
      readonly source: number;
      readonly observation: Observation;
      readonly bodies: PackedBodies;
    }
  | { readonly kind: 'statuses'; readonly statuses: readonly SourceStatusNews[] }
  | { readonly kind: 'closed'; readonly source: number }
  | AnsweredRequest;

/** `problem` is a sentence about what failed; absent: nothing. It follows what the source observed until then. */
export interface AnsweredRequest {
  readonly kind: 'answered';
  readonly source: number;
  readonly id: number;
  readonly problem?: string | undefined;
}

interface SourceStatusNews {
  readonly source: number;
  readonly status: SourceStatus;
}
