import type { ResourceKey } from '../observation/observation';
import type { EpochMs } from '../xds/units';

/** A resource as it was sent. */
export interface ReplayResource extends ResourceKey {
  /** Of its body. */
  readonly hash: string;
  /** Its own in delta; that of the response in state of the world. */
  readonly versionInfo: string;
}

/** What a client answered. */
export interface ReplayVerdict {
  readonly isAccepted: boolean;
  readonly errorDetail: string;
}

/** One thing that a server did: a response, mostly. */
export interface ReplayStep {
  /** When it was recorded. */
  readonly at: EpochMs;
  /** Several in a snapshot. */
  readonly types: readonly {
    readonly typeUrl: string;
    readonly versionInfo: string;
    /** Everything that the response held, changed or not. */
    readonly set: readonly ReplayResource[];
    /** Names. */
    readonly removed: readonly string[];
  }[];
  /** null: none was recorded. */
  readonly recorded: ReplayVerdict | null;
}

export interface ReplayPlan {
  readonly mode: 'stream' | 'snapshot';
  /** Of the client whose past it is. */
  readonly nodeId: string;
  readonly steps: readonly ReplayStep[];
  /** What is not as it was, in words. */
  readonly notes: readonly string[];
}
