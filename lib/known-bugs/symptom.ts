import type { Recorded } from '../observation/observation';
import type { ResourceRow } from '../observation/resource-row';
import type { ResourceKey } from '../observation/resource-state';
import type { EpochMs } from '../xds/units';
import type { ConfigUse } from './read-config-use';

/** The evidence about one client. */
export interface Evidence {
  readonly rows: readonly ResourceRow[];
  /** The newest observations of the client, oldest first. */
  readonly history: readonly Recorded[];
  /** The names of the route configurations that a listener names; none if its routes are inline. */
  readonly findRoutes: (listener: string) => Promise<readonly string[]>;
  /** Returns the clusters and endpoints to which these route configurations lead now. */
  readonly findReached: (routes: readonly string[]) => Promise<readonly ResourceKey[]>;
  readonly readUse: () => Promise<ConfigUse>;
  /**
   * Returns the time at which a source last reported the client, with or without a change; null if that is not known.
   */
  readonly findLastSeen: (sourceId: string) => EpochMs | null;
}

/** The behavior by which a known bug is recognized. */
export interface Symptom {
  readonly since: EpochMs;
  /** The resources concerned. */
  readonly resources: readonly ResourceKey[];
}

/** Returns undefined if the evidence does not have the symptom. */
export type FindSymptom = (evidence: Evidence) => Symptom | undefined | Promise<Symptom | undefined>;
