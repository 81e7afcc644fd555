import type { FaultName } from './fault';

/** The mutable state of the shop. The mesh is a pure function of it. */
export interface ShopState {
  /** Percentage of the catalog's calls that go to the canary. */
  readonly canaryPercent: number;
  /** Weights by key of the locality, where they differ from the usual weight. Weight 0 takes a locality out of use. */
  readonly localityWeights: ReadonlyMap<string, number>;
  /** Percentage of calls that clients drop, by assignment; whole numbers. */
  readonly dropPercents: ReadonlyMap<string, number>;
  /** Names of backends that the control plane's health check reports as dead. */
  readonly unhealthy: ReadonlySet<string>;
  readonly activeFaults: ReadonlySet<FaultName>;
  /**
   * The number of times that each fault was reverted. A reverted resource is never equal to the previous one byte for
   * byte, because grpc-js-xds and C-core 1.51 leave an equal one NACKED in CSDS, and grpc-js-xds leaves a deleted one
   * DOES_NOT_EXIST.
   */
  readonly reverted: ReadonlyMap<FaultName, number>;
}

export const initialShopState: ShopState = {
  canaryPercent: 10,
  localityWeights: new Map(),
  dropPercents: new Map([['recommendations', 5]]),
  unhealthy: new Set(),
  activeFaults: new Set(['fraud-detection-policy']),
  reverted: new Map(),
};
