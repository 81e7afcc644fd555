import type { FaultName } from './fault';

/** All that may change about the shop. The mesh is a pure function of it. */
export interface ShopState {
  /** Share of the catalog's calls that the canary takes. */
  readonly canaryPercent: number;
  /** By the locality's key: what it weighs where that is not the usual. 0 takes it out of use. */
  readonly localityWeights: ReadonlyMap<string, number>;
  /** Of calls that clients are to drop, by assignment. In percent, whole numbers. */
  readonly dropPercents: ReadonlyMap<string, number>;
  /** Names of backends that the control plane's health check finds dead. */
  readonly unhealthy: ReadonlySet<string>;
  /** What is wrong on purpose at the moment. */
  readonly activeFaults: ReadonlySet<FaultName>;
  /**
   * How often each fault was reverted. A reverted resource is never byte for byte the one before:
   * grpc-js-xds and C-core 1.51 leave an equal one NACKED in CSDS, and grpc-js-xds a deleted one DOES_NOT_EXIST.
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
