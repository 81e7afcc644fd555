import type { ResourceKey } from '../observation/resource-state';
import type { EpochMs } from '../xds/units';

export interface ReplayResource extends ResourceKey {
  readonly hash: string;
  /** The version of the resource in delta; that of the response in state of the world. */
  readonly versionInfo: string;
}

export interface ReplayVerdict {
  readonly isAccepted: boolean;
  readonly errorDetail: string;
}

export interface ReplayStep {
  /** The time of the recorded response. */
  readonly at: EpochMs;
  /** A snapshot has several types in one step. */
  readonly types: readonly {
    readonly typeUrl: string;
    readonly versionInfo: string;
    /** All resources of the response, changed or not. */
    readonly set: readonly ReplayResource[];
    /** Names. */
    readonly removed: readonly string[];
  }[];
  /** Absent if no answer was recorded. */
  readonly recorded?: ReplayVerdict | undefined;
}

export interface ReplayPlan {
  readonly mode: 'stream' | 'snapshot';
  readonly nodeId: string;
  readonly steps: readonly ReplayStep[];
  /** Differences from the recorded session. */
  readonly notes: readonly string[];
}
