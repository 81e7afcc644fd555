import { beginPriorityPolicy, type PriorityPolicyState } from '../grpc/priority-policy';
import { conditionCode, conditionOfHealth } from './endpoint-condition';
import type { EndpointTable } from './endpoint-table';

/** A moment of a simulation. Immutable: a step makes the next one. Arrays are in the table's order. */
export interface SimulatorState {
  readonly second: number;
  /** Per endpoint: its code in endpointConditions. */
  readonly conditions: Uint8Array;
  /** Per endpoint: since when it is so. */
  readonly changedAt: Float64Array;
  /** Per endpoint: when a connection stands that was begun as its condition changed; Infinity: never. */
  readonly readyAt: Float64Array;
  /** Per endpoint: it fails until then although it may connect again (gRFC A62: TRANSIENT_FAILURE is sticky); 0: no. */
  readonly failsUntil: Float64Array;
  /** Per locality; null: not reported. */
  readonly weights: readonly (number | null)[];
  /** Per cent. */
  readonly overprovisioningFactor: number;
  /** gRPC's priority policy: of all priorities, or of the leaf clusters of an aggregate. */
  readonly policy: PriorityPolicyState;
  /** Of each leaf cluster, where `policy` is about those; else empty. */
  readonly leafPolicies: readonly LeafPolicyState[];
}

/** Begun anew when its cluster's child is. */
export interface LeafPolicyState {
  readonly createdAt: number;
  readonly state: PriorityPolicyState;
}

/** How long everything has been as it is when a simulation begins. */
const before = -3_600;

export function beginSimulation(
  table: EndpointTable,
  groups: readonly (readonly number[])[],
): SimulatorState {
  const { cluster, localities, size } = table;
  const conditions = new Uint8Array(size);
  let at = 0;
  for (const { endpoints } of localities)
    for (const { health } of endpoints) conditions[at++] = conditionCode[conditionOfHealth(health)];
  const isNested = groups.length > 1;
  return {
    second: before,
    conditions,
    changedAt: new Float64Array(size).fill(before),
    readyAt: new Float64Array(size).fill(before),
    failsUntil: new Float64Array(size),
    weights: localities.map(({ weight }) => weight),
    overprovisioningFactor: cluster.overprovisioningFactor,
    policy: beginPriorityPolicy(isNested ? groups.length : cluster.priorities.length),
    leafPolicies: isNested
      ? groups.map((group) => ({ createdAt: before, state: beginPriorityPolicy(group.length) }))
      : [],
  };
}
