import { beginPriorityPolicy, type PriorityPolicyState } from '../grpc/priority-policy';
import { conditionCode, conditionOfHealth } from './endpoint-condition';
import type { EndpointTable } from './endpoint-table';

/** A moment of a simulation. Immutable: a step returns a new one. Arrays are in the order of the table. */
export interface SimulatorState {
  readonly second: number;
  /** For each endpoint, its index in endpointConditions. */
  readonly conditions: Uint8Array;
  /** For each endpoint, the second of the last change of its condition. */
  readonly changedAt: Float64Array;
  /**
   * For each endpoint, the second at which a connection that was started at that second is established; Infinity if
   * never.
   */
  readonly readyAt: Float64Array;
  /**
   * Each endpoint stays in TRANSIENT_FAILURE until its second in this list although it could connect (gRFC A62: the
   * state is sticky); 0 if not.
   */
  readonly failsUntil: Float64Array;
  /** The weight of each locality; absent if not reported. */
  readonly weights: readonly (number | undefined)[];
  /**
   * The conditions and weights that gRPC uses if they are not those of EDS: Java keeps the last endpoints of a cluster
   * when EDS has no usable one left. null if they are those of EDS.
   */
  readonly held: Pick<SimulatorState, 'conditions' | 'weights'> | null;
  /**
   * For each locality, the endpoint that pick_first uses, or -1. If localities are not weighted, the first locality
   * of a priority has the endpoint of all.
   */
  readonly picked: Int32Array;
  /** The factor in per cent; null if each priority has its own. */
  readonly overprovisioningFactor: number | null;
  /** gRPC's priority policy over all priorities, or over the leaf clusters of an aggregate. */
  readonly policy: PriorityPolicyState;
  /** One entry for each leaf cluster if `policy` is about leaf clusters; else empty. */
  readonly leafPolicies: readonly LeafPolicyState[];
}

/** Restarted when the child of its cluster is. */
export interface LeafPolicyState {
  readonly createdAt: number;
  readonly state: PriorityPolicyState;
}

/** The second since which everything has been stable when a simulation begins. */
const before = -3_600;

export function beginSimulation(
  table: EndpointTable,
  groups: readonly (readonly number[])[],
): SimulatorState {
  const { localities, size } = table;
  const conditions = new Uint8Array(size);
  let at = 0;
  for (const { endpoints } of localities)
    for (const { health, failure } of endpoints)
      conditions[at++] = conditionCode[conditionOfHealth(health, failure === 'connection')];
  const isNested = groups.length > 1;
  return {
    second: before,
    conditions,
    changedAt: new Float64Array(size).fill(before),
    readyAt: new Float64Array(size).fill(before),
    failsUntil: new Float64Array(size),
    weights: localities.map(({ weight }) => weight),
    held: null,
    picked: new Int32Array(localities.length).fill(-1),
    overprovisioningFactor: null,
    policy: beginPriorityPolicy(isNested ? groups.length : (groups[0]?.length ?? 0)),
    leafPolicies: isNested
      ? groups.map((group) => ({ createdAt: before, state: beginPriorityPolicy(group.length) }))
      : [],
  };
}

/** The state with the conditions and weights that gRPC uses. */
export function asGrpc(state: SimulatorState): SimulatorState {
  return state.held === null ? state : { ...state, ...state.held };
}
