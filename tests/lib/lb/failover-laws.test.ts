import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Change } from '@/lib/lb/simulator/change';
import { conditionCode, endpointConditions } from '@/lib/lb/simulator/endpoint-condition';
import { viewGrpc } from '@/lib/lb/simulator/grpc-view';
import { type Moment, playFailover } from '@/lib/lb/simulator/play-failover';
import { initialState, openSimulation, stepFailover } from '@/lib/lb/simulator/step-failover';
import { endpointPolicies, type TrafficCluster } from '@/lib/lb/simulator/traffic-cluster';
import { clientOf, grpcProfiles } from '@/lib/xds/profile';
import { runs } from '@/tests/support/runs';

const healths = ['HEALTHY', 'UNKNOWN', 'UNHEALTHY', 'DRAINING', 'DEGRADED', 'TIMEOUT'];

const endpoint = fc.record({
  address: fc.constantFrom('a:1', 'b:1', 'c:1', 'd:1'),
  health: fc.constantFrom(...healths),
  weight: fc.integer({ min: 1, max: 5 }),
});
const locality = fc.record({
  name: fc.constantFrom('x', 'y', 'z'),
  weight: fc.option(fc.nat(4), { nil: undefined }),
  endpoints: fc.array(endpoint, { maxLength: 4 }),
});
const cluster: fc.Arbitrary<TrafficCluster> = fc
  .record({
    localities: fc.array(fc.array(locality, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 4 }),
    clusters: fc.array(fc.constantFrom('near', 'far'), { minLength: 4, maxLength: 4 }),
    profile: fc.constantFrom(...grpcProfiles),
    policy: fc.constantFrom(...endpointPolicies),
    isByLocality: fc.boolean(),
    weightedPriorityHealth: fc.boolean(),
    envoy: fc.record({
      policy: fc.constantFrom('round_robin' as const, 'random' as const),
      panicThreshold: fc.constantFrom(0, 30, 50, 100),
      failsOnPanic: fc.boolean(),
      isLocalityWeighted: fc.boolean(),
      notModelled: fc.constant(''),
      detection: fc.record({
        isHealthChecked: fc.boolean(),
        maxEjectionPercent: fc.constantFrom(null, 10, 50, 100),
        alwaysEjectsOne: fc.boolean(),
      }),
    }),
  })
  .map(({ localities, clusters, policy, isByLocality, weightedPriorityHealth, envoy, ...rest }) => ({
    ...rest,
    unused: null,
    panicThreshold: envoy.panicThreshold,
    priorities: localities.map((each, at) => ({
      name: `P${at}`,
      cluster: clusters[at] ?? '',
      priority: at,
      policy,
      isByLocality,
      isRejected: false,
      overprovisioningFactor: 140,
      weightedPriorityHealth,
      envoy,
      localities: each,
    })),
  }));
const target = fc.record(
  {
    priority: fc.nat(3),
    locality: fc.constantFrom('x', 'y', 'z'),
    address: fc.constantFrom('a:1', 'b:1', 'c:1', 'd:1'),
  },
  { requiredKeys: [] },
);
const at = fc.nat(60);
const change: fc.Arbitrary<Change> = fc.oneof(
  fc.record({
    kind: fc.constant('condition' as const),
    at,
    target,
    to: fc.constantFrom(...endpointConditions),
  }),
  fc.record({ kind: fc.constant('weight' as const), at, target, weight: fc.nat(5) }),
  fc.record({ kind: fc.constant('factor' as const), at, percent: fc.integer({ min: 100, max: 300 }) }),
);

const sum = (loads: Float64Array): number => loads.reduce((all, load) => all + load, 0);

type Law = (moment: Moment, cluster: TrafficCluster, before: Moment | undefined) => void;

/** The key of each law is its contract, and is in the stack of its failure. */
const laws: Readonly<Record<string, Law>> = {
  'gRPC: all requests to one priority that is READY, or to none'({ grpc }) {
    const { loads, outcome, chosen, priorities } = grpc;
    const isServed = outcome === 'served';
    expect(sum(loads.endpoints)).toBeCloseTo(isServed ? 1 : 0, 9);
    expect(loads.priorities[chosen] ?? 0).toBeCloseTo(isServed ? 1 : 0, 9);
    if (isServed) expect(priorities[chosen]?.counts?.ready).toBeGreaterThan(0);
  },
  'gRPC: no priority before the chosen one is READY, and none is chosen while one before it may still connect'(
    { grpc, second },
    { profile },
  ) {
    // The other clients have a policy for each leaf cluster.
    if (clientOf(profile) !== 'go') return;
    for (const { child } of grpc.priorities.slice(0, Math.max(0, grpc.chosen))) {
      expect(child?.state).not.toBe('READY');
      expect(child?.failoverAt ?? 0).toBeLessThanOrEqual(second);
    }
  },
  'Envoy: each request is served or fails; no endpoint has a negative load, and dead ones serve none'(
    { envoy, state },
    { priorities },
  ) {
    const { loads, split, panics, healths, failing, undetected } = envoy;
    expect(loads.endpoints.every((load) => load >= 0)).toBe(true);
    expect(sum(loads.endpoints) + failing).toBeCloseTo(1, 9);
    state.conditions.forEach((code, at) => {
      if (code === conditionCode.dead) expect(loads.endpoints[at]).toBe(0);
    });
    const hasHealthy = healths.some(({ hosts }) => hosts.healthy > 0);
    const isPanic = split.priorities.some((each) => each.isPanic) || panics.some((each) => each);
    const isDetected = undetected.every(({ endpoints }) => endpoints === 0);
    if (isDetected && !isPanic && !split.isUnserved && hasHealthy && split.totalAvailability > 0)
      expect(failing).toBeCloseTo(0, 9);
    const failsAll = priorities.every(({ envoy: own }, at) => own.failsOnPanic && panics[at] === true);
    if (failsAll && priorities.length > 0) expect(failing).toBe(1);
  },
  'moments are in order, and their explanations are never empty'(
    { second, grpcSentences, envoySentences },
    _,
    before,
  ) {
    expect(second).toBeGreaterThan(before?.second ?? -1);
    expect(grpcSentences.length).toBeGreaterThan(0);
    expect(envoySentences.length).toBeGreaterThan(0);
  },
};

it('every moment obeys each law', () => {
  fc.assert(
    fc.property(cluster, fc.array(change, { maxLength: 8 }), (mesh, changes) => {
      let before: Moment | undefined;
      for (const moment of playFailover(openSimulation(mesh), changes, 1_200)) {
        for (const law of Object.values(laws)) law(moment, mesh, before);
        before = moment;
      }
    }),
    { numRuns: runs(400) },
  );
});

it('a step for every second has the same result as steps from moment to moment', () => {
  fc.assert(
    fc.property(cluster, fc.array(change, { maxLength: 6 }), (mesh, changes) => {
      const simulation = openSimulation(mesh);
      const seconds = 120;
      const moments = [...playFailover(simulation, changes, seconds)];
      let state = initialState(simulation);
      for (let second = 0; second <= seconds; second++) {
        const due = changes.filter((each) => each.at === second);
        state = stepFailover(simulation, state, second, due).state;
        const { chosen, outcome, loads } = viewGrpc(simulation.table, simulation.groups, state);
        const jumped = moments.findLast((moment) => moment.second <= second)?.grpc;
        expect([second, chosen, outcome]).toEqual([second, jumped?.chosen, jumped?.outcome]);
        expect([...loads.priorities]).toEqual([...(jumped?.loads.priorities ?? [])]);
      }
    }),
    { numRuns: runs(60) },
  );
});
