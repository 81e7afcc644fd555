import type * as z from 'zod';
import type { ReadonlyDeep } from './readonly-deep';
import type { resourceState } from './resource-schemas';

export type ResourceState = ReadonlyDeep<z.infer<typeof resourceState>>;
export type ErrorState = NonNullable<ResourceState['errorState']>;
export type HeldVersion = NonNullable<ResourceState['otherVersions']>[number];
export type Nonces = NonNullable<ResourceState['nonces']>;

export interface ResourceKey {
  readonly typeUrl: string;
  readonly name: string;
}

/** The version that a client ACKed last for all resources of a type that have no version of their own. */
export interface TypeVersion {
  readonly typeUrl: string;
  readonly versionInfo: string;
}

/** The changes of one report. Rows that are not named are unchanged. */
export interface ResourceChanges {
  readonly changed: readonly ResourceState[];
  readonly removed: readonly ResourceKey[];
  /** The types whose version changed: one entry stands for any number of rows. Absent: none. */
  readonly typeVersions?: readonly TypeVersion[];
}
