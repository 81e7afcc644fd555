import { by } from '../../collections/compare';
import type { Change } from './change';
import { type EnvoyView, viewEnvoy } from './envoy-view';
import { explainEnvoy } from './explain-envoy';
import { explainGrpc } from './explain-grpc';
import { type GrpcView, viewGrpc } from './grpc-view';
import type { SimulatorState } from './simulator-state';
import { initialState, nextSecond, type Simulation, stepFailover } from './step-failover';

/** A second at which something changed, or the first second. */
export interface Moment {
  readonly second: number;
  readonly changes: readonly Change[];
  /** Changes at this second whose target matched nothing. */
  readonly missed: readonly Change[];
  readonly state: SimulatorState;
  readonly grpc: GrpcView;
  readonly envoy: EnvoyView;
  readonly grpcSentences: readonly string[];
  readonly envoySentences: readonly string[];
}

/**
 * Moments from second 0 on. Between two moments nothing changes except running timers. Changes after `seconds` are
 * ignored.
 */
export function* playFailover(
  simulation: Simulation,
  changes: readonly Change[],
  seconds: number,
): Generator<Moment> {
  const { table, groups } = simulation;
  const inOrder = [...changes].sort(by(({ at }) => at));
  let state = initialState(simulation);
  let before = viewGrpc(table, groups, state);
  let reported = '';
  let taken = 0;
  for (let second = 0; second <= seconds; ) {
    const from = taken;
    while ((inOrder[taken]?.at ?? Number.POSITIVE_INFINITY) <= second) taken += 1;
    const due = inOrder.slice(from, taken);
    const step = stepFailover(simulation, state, second, due);
    state = step.state;
    const grpc = viewGrpc(table, groups, state);
    const { events, now } = explainGrpc(table.cluster, before, grpc, second);
    before = grpc;
    // A timer can expire, or a connection be established, without any effect.
    const isSeen = second === 0 || due.length > 0 || events.length > 0 || now.join() !== reported;
    if (isSeen) {
      const envoy = viewEnvoy(table, state);
      const grpcSentences = [...events, ...now];
      const envoySentences = explainEnvoy(table.cluster, envoy);
      yield { second, changes: due, missed: step.missed, state, grpc, envoy, grpcSentences, envoySentences };
    }
    reported = now.join();
    const ownNext = nextSecond(simulation, state) ?? Number.POSITIVE_INFINITY;
    second = Math.min(ownNext, inOrder[taken]?.at ?? Number.POSITIVE_INFINITY);
  }
}
