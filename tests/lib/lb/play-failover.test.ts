import { describe, expect, it } from 'vitest';
import {
  type EnvoyBalancing,
  type FailureDetection,
  usualEnvoyBalancing,
} from '@/lib/lb/envoy/envoy-balancing';
import type { Change } from '@/lib/lb/simulator/change';
import type { EndpointCondition } from '@/lib/lb/simulator/endpoint-condition';
import { type Moment, playFailover } from '@/lib/lb/simulator/play-failover';
import { openSimulation } from '@/lib/lb/simulator/step-failover';
import type { EndpointPolicy, TrafficCluster } from '@/lib/lb/simulator/traffic-cluster';
import { type GrpcClient, newestOf, profileOfWho, since, type Who } from '@/lib/xds/profile';

const checked: FailureDetection = { isHealthChecked: true, maxEjectionPercent: null, alwaysEjectsOne: false };
const usualBalancing: EnvoyBalancing = {
  ...usualEnvoyBalancing,
  isLocalityWeighted: true,
  detection: checked,
};

/** `counts`: for each priority, the number of endpoints of each locality. */
function clusterOf(
  priorities: readonly (readonly number[])[],
  {
    policy = 'round_robin',
    envoy = usualBalancing,
    weightedPriorityHealth = false,
    ...more
  }: Partial<TrafficCluster> & {
    readonly policy?: EndpointPolicy;
    readonly envoy?: EnvoyBalancing;
    readonly weightedPriorityHealth?: boolean;
  } = {},
): TrafficCluster {
  return {
    priorities: priorities.map((localities, priority) => ({
      name: `P${priority}`,
      cluster: 'cart',
      priority,
      policy,
      isByLocality: policy !== 'ring_hash',
      isRejected: false,
      overprovisioningFactor: 140,
      weightedPriorityHealth,
      envoy,
      localities: localities.map((count, at) => ({
        name: `zone-${at}`,
        weight: at + 1,
        endpoints: Array.from({ length: count }, (_, nth) => ({
          address: `10.${priority}.${at}.${nth + 1}:80`,
          health: 'HEALTHY',
          weight: 1,
        })),
      })),
    })),
    profile: newestOf('core'),
    unused: null,
    panicThreshold: envoy.panicThreshold,
    ...more,
  };
}

const turn = (at: number, to: EndpointCondition, priority?: number, address?: string): Change => ({
  kind: 'condition',
  at,
  target: { priority, address },
  to,
});
const play = (cluster: TrafficCluster, changes: readonly Change[], seconds = 60): Moment[] => [
  ...playFailover(openSimulation(cluster), changes, seconds),
];
const percent = (loads: Float64Array): number[] => [...loads].map((load) => Math.round(load * 100));
/** Lines of the form "SECOND: LOADS" about gRPC, one for each moment. */
const grpcStory = (moments: readonly Moment[]): string[] =>
  moments.map(({ second, grpc }) => {
    const loads = percent(grpc.loads.priorities).join('/');
    return `${second}: ${grpc.outcome === 'served' ? loads : grpc.outcome}`;
  });
const two = [[3], [2]];
const twoOfThree = [turn(0, 'dead', 0, '10.0.0.1:80'), turn(0, 'dead', 0, '10.0.0.2:80')];

describe('two of three primary endpoints die', () => {
  const [moment] = play(clusterOf(two), twoOfThree);

  it('a priority that loses all weights before one that has some, which EDS cannot express (rule E9)', () => {
    const three = clusterOf([[1], [1], [1]]);
    const weight = (priority: number): Change => ({ kind: 'weight', at: 0, target: { priority }, weight: 0 });
    const sentences = (cluster: TrafficCluster, change: Change) =>
      play(cluster, [change])[0]?.grpcSentences.join();
    for (const kind of ['core', 'go', 'java'] as const)
      expect(sentences({ ...three, profile: newestOf(kind) }, weight(1))).toContain(
        'P1 has no locality with a weight',
      );
    expect(sentences({ ...three, profile: newestOf('node') }, weight(1))).not.toContain('E9');
    expect(sentences(three, weight(2))).not.toContain('E9');
  });

  it('gRPC stays on P0 while one endpoint is alive', () => {
    expect(percent(moment?.grpc.loads.priorities ?? new Float64Array())).toEqual([100, 0]);
    expect(moment?.grpcSentences).toEqual([
      'P0 gets all requests if it connects: 1 of 3 endpoints is usable, and one is enough',
    ]);
  });

  it('Envoy spills load beyond the overprovisioning factor', () => {
    expect(percent(moment?.envoy.loads.priorities ?? new Float64Array())).toEqual([46, 54]);
    expect(moment?.envoySentences).toEqual([
      'P0 is 33% healthy; times 1.4 is 46%; the other 54% go to P1',
      'P1 is taken as 100% healthy: it gets 54%',
    ]);
  });
});

describe('the explanation of Envoy', () => {
  const sentences = (cluster: TrafficCluster, changes: readonly Change[]) =>
    play(cluster, changes)[0]?.envoySentences;

  it('states which priorities receive the excess load, even if no healthy priority follows', () => {
    const near = Array.from({ length: 13 }, (_, at) => turn(0, 'degraded', 0, `10.0.0.${at + 6}:80`));
    const changes = [
      ...near,
      turn(0, 'unhealthy', 0, '10.0.0.19:80'),
      turn(0, 'unhealthy', 0, '10.0.0.20:80'),
    ];
    const far = [turn(0, 'unhealthy', 1), turn(0, 'healthy', 1, '10.1.0.1:80')];
    // 25% healthy and 65% degraded; behind it 1 of 20. 35 and 7 go to healthy ones, and 58 are left.
    expect(sentences(clusterOf([[20], [20]]), [...changes, ...far])).toEqual([
      'P0 is 25% healthy; times 1.4 is 35%; the other 65% go on to P1',
      'P1 is 5% healthy; times 1.4 is 7%: it gets 7%',
      'degraded endpoints of P0 get the remaining 58%',
    ]);
  });

  it('includes the remainder of rounding in the share', () => {
    const changes = [turn(0, 'unhealthy', 0), turn(0, 'healthy', 0, '10.0.0.1:80')];
    const far = Array.from({ length: 7 }, (_, at) => turn(0, 'unhealthy', 1, `10.1.0.${at + 1}:80`));
    expect(sentences(clusterOf([[20], [20]]), [...changes, ...far])).toEqual([
      'together they are 98% available: loads are scaled up to 100%',
      'P0 is 5% healthy; times 1.4 is 7%: it gets 8%; the other 92% go to P1',
      'P0 is below the panic threshold of 50%: its requests go to all its endpoints, healthy or not',
      'P1 is 65% healthy; times 1.4 is 91%: it gets 92%',
      'the remaining 1% of rounding is added to P0',
      '7.6% of the requests go to endpoints that are not healthy: whether these serve them is not known',
    ]);
  });

  it('states 503 if panic is disabled and no host is available', () => {
    expect(
      sentences(clusterOf(two, { envoy: { ...usualBalancing, panicThreshold: 0 } }), [turn(0, 'unhealthy')]),
    ).toEqual(['no endpoint is available, and panic mode is off (threshold 0%): Envoy answers 503']);
  });
});

describe('gRPC failover (gRFC A56)', () => {
  it('is immediate when a priority fails, and so is the return after the back-off of the dead endpoints', () => {
    const moments = play(clusterOf(two), [turn(5, 'dead', 0), turn(30, 'healthy', 0)]);
    expect(grpcStory(moments)).toEqual(['0: 100/0', '5: 0/100', '30: 0/100', '32: 100/0']);
    expect(moments[1]?.grpcSentences).toEqual([
      'P0 has failed: none of its 3 endpoints can be reached',
      'P1 starts',
      'requests go to P1',
      'P1 gets all requests if it connects: 2 of 2 endpoints are usable',
    ]);
    expect(moments[3]?.grpcSentences.slice(0, 2)).toEqual([
      'P0 is READY again',
      'requests return to P0 at once; P1 keeps its connections for 15 min',
    ]);
  });

  it('waits 10 s for a connecting priority, and returns when it is connected', () => {
    const moments = play(clusterOf(two), [turn(1, 'slow', 0)]);
    expect(grpcStory(moments)).toEqual(['0: 100/0', '1: waiting', '11: 0/100', '16: 100/0']);
    expect(moments[2]?.grpcSentences[0]).toBe('P0 did not connect within 10 s');
  });

  it('keeps an unused child for 15 min, and uses it again without delay', () => {
    const moments = play(clusterOf(two), [turn(0, 'unhealthy', 0), turn(10, 'healthy', 0)], 2_000);
    expect(moments.at(-1)).toMatchObject({ second: 910 });
    expect(moments.at(-1)?.grpcSentences[0]).toBe('P1 was not used for 15 min: its connections are closed');
    const again = play(
      clusterOf(two),
      [turn(0, 'slow', 1), turn(0, 'dead', 0), turn(40, 'healthy', 0), turn(300, 'dead', 0)],
      400,
    );
    expect(grpcStory(again).at(-1)).toBe('300: 0/100');
  });

  it('does not use endpoints that EDS reports as unhealthy, draining or degraded', () => {
    for (const to of ['unhealthy', 'draining', 'degraded'] as const) {
      const [moment] = play(clusterOf(two), [turn(0, to, 0)]);
      expect(percent(moment?.grpc.loads.priorities ?? new Float64Array())).toEqual([0, 100]);
      expect(moment?.grpcSentences[0]).toBe('P0 has no usable endpoint left: it fails at once');
    }
  });

  it('reports the error of the last priority when all have failed', () => {
    const [moment] = play(clusterOf(two), [turn(0, 'dead')]);
    expect(moment?.grpc.outcome).toBe('failing');
    expect(moment?.grpcSentences.at(-1)).toBe('requests fail with UNAVAILABLE: every priority has failed');
  });

  it.each<[GrpcClient, number]>([
    ['core', 0],
    ['java', 0],
    ['go', 1],
    ['node', 1],
  ])('%s: requests wait for P%i when every priority times out', (kind, chosen) => {
    const changes = [turn(0, 'slow')];
    const late = play(clusterOf(two, { profile: newestOf(kind) }), changes).find(
      ({ second }) => second === 10,
    );
    // P1 starts its own 10 s at 10 s; P0 connects at 15 s.
    expect(late?.grpc).toMatchObject({ outcome: 'waiting', chosen: 1 });
    const never = play(clusterOf([[1], [0]], { profile: newestOf(kind) }), changes).find(
      ({ second }) => second === 10,
    );
    expect(never?.grpc.chosen).toBe(chosen);
  });

  it('ring_hash fails with two failed endpoints, even if others still connect', () => {
    const changes = [...twoOfThree, turn(0, 'slow', 0, '10.0.0.3:80')];
    expect(play(clusterOf(two), changes)[0]?.grpc.outcome).toBe('waiting');
    expect(play(clusterOf(two, { policy: 'ring_hash' }), changes)[0]?.grpc.chosen).toBe(1);
  });

  it('leaf clusters of an aggregate are tried as a whole (gRFC A75); Go tries one priority after the other', () => {
    const priorities = clusterOf([[1], [1], [1]]).priorities.map((each, at) => ({
      ...each,
      cluster: at < 2 ? 'near' : 'far',
    }));
    const changes = [turn(0, 'slow', 0), turn(0, 'slow', 1)];
    // The 10 s of a leaf cluster start with its first priority, and its second priority has no timer of its own.
    expect(grpcStory(play(clusterOf([], { priorities }), changes))).toEqual([
      '0: waiting',
      '10: 0/0/100',
      '15: 100/0/0',
    ]);
    expect(grpcStory(play(clusterOf([], { priorities, profile: newestOf('go') }), changes))).toEqual([
      '0: waiting',
      '10: waiting',
      '15: 100/0/0',
    ]);
  });
});

describe('shares', () => {
  it('of gRPC are those of READY localities by weight, however few endpoints are alive', () => {
    const [moment] = play(clusterOf([[4, 4]]), [turn(0, 'dead', 0, '10.0.0.1:80')]);
    expect(percent(moment?.grpc.loads.localities ?? new Float64Array())).toEqual([33, 67]);
    expect(percent(moment?.grpc.loads.endpoints ?? new Float64Array())).toEqual([
      0, 11, 11, 11, 17, 17, 17, 17,
    ]);
  });

  it('of Envoy are weight times availability', () => {
    const half = [turn(0, 'dead', 0, '10.0.0.1:80'), turn(0, 'dead', 0, '10.0.0.2:80')];
    const [moment] = play(clusterOf([[4, 4]]), half);
    expect(percent(moment?.envoy.loads.localities ?? new Float64Array())).toEqual([26, 74]);
    const [plain] = play(
      clusterOf([[4, 4]], { envoy: { ...usualBalancing, isLocalityWeighted: false } }),
      half,
    );
    expect(percent(plain?.envoy.loads.localities ?? new Float64Array())).toEqual([33, 67]);
  });

  it('follow changes of weights and of the factor', () => {
    const moments = play(clusterOf([[3, 3], [3]]), [
      ...twoOfThree,
      { kind: 'weight', at: 1, target: { priority: 0, locality: 'zone-0' }, weight: 6 },
      { kind: 'factor', at: 2, percent: 100 },
    ]);
    expect(moments.map(({ grpc }) => percent(grpc.loads.localities))).toEqual([
      [33, 67, 0],
      [75, 25, 0],
      [75, 25, 0],
    ]);
    expect(moments.map(({ envoy }) => percent(envoy.loads.priorities))).toEqual([
      [93, 7],
      [93, 7],
      [66, 34],
    ]);
  });

  it('of degraded endpoints are 0 for gRPC, and for Envoy the load that healthy ones do not take', () => {
    const [moment] = play(clusterOf([[4], [0]]), [
      turn(0, 'degraded', 0, '10.0.0.1:80'),
      turn(0, 'degraded', 0, '10.0.0.2:80'),
    ]);
    expect(percent(moment?.grpc.loads.endpoints ?? new Float64Array())).toEqual([0, 0, 50, 50]);
    expect(percent(moment?.envoy.loads.endpoints ?? new Float64Array())).toEqual([15, 15, 35, 35]);
    expect(moment?.envoySentences.at(-1)).toBe('degraded endpoints of P0 get the remaining 30%');
  });

  it('include all endpoints in panic', () => {
    const [moment] = play(clusterOf([[4]]), [turn(0, 'unhealthy')]);
    expect(percent(moment?.envoy.loads.endpoints ?? new Float64Array())).toEqual([25, 25, 25, 25]);
    expect(moment?.envoySentences[0]).toContain('below the panic threshold of 50%');
  });
});

describe('without wrr_locality', () => {
  const flat = (policy: EndpointPolicy): TrafficCluster => {
    const cluster = clusterOf([[1, 2]], { policy });
    return { ...cluster, priorities: cluster.priorities.map((each) => ({ ...each, isByLocality: false })) };
  };

  it('the weights of localities have no effect', () => {
    const [moment] = play(flat('round_robin'), []);
    expect(percent(moment?.grpc.loads.endpoints ?? new Float64Array())).toEqual([33, 33, 33]);
  });

  it('pick_first sends all requests to one endpoint, and keeps it as long as it is connected', () => {
    const first = '10.0.0.1:80';
    const moments = play(flat('pick_first'), [turn(5, 'dead', 0, first), turn(20, 'healthy', 0, first)]);
    const used = moments.map(({ second, grpc }) => [second, percent(grpc.loads.endpoints).join('/')]);
    expect(used).toEqual([
      [0, '100/0/0'],
      [5, '0/100/0'],
      [20, '0/100/0'],
      [21, '0/100/0'],
    ]);
  });
});

describe('EDS has no usable endpoint left', () => {
  const outcomes = (who: Who) =>
    play(clusterOf([[2], [1]], { profile: profileOfWho(who) }), [
      turn(5, 'unhealthy'),
      turn(20, 'healthy', 1),
    ]).map(({ second, grpc }) => [second, grpc.outcome, percent(grpc.loads.priorities).join('/')]);

  it.each(['core', 'go', 'node', 'java-1.60'] as const)('%s: requests fail', (who) => {
    expect(outcomes(who)).toEqual([
      [0, 'served', '100/0'],
      [5, 'failing', '0/0'],
      [20, 'served', '0/100'],
    ]);
  });

  it.each(since('java-1.76'))('%s keeps the endpoints that it had', (profile) => {
    expect(outcomes(profile)).toEqual([
      [0, 'served', '100/0'],
      [5, 'served', '100/0'],
      [20, 'served', '0/100'],
    ]);
  });

  it('states since when Java does so', () => {
    const [, empty] = play(clusterOf([[2]], { profile: 'java-1.76' }), [turn(5, 'draining')]);
    expect(empty?.grpcSentences[0]).toContain('grpc-java 1.76 and later continue to use the endpoints');
  });

  it('Java fails if there was none at the start', () => {
    const [moment] = play(clusterOf([[0]], { profile: 'java-1.76' }), []);
    expect(moment?.grpc.outcome).toBe('failing');
  });
});

it('gRPC-Go 1.64 lets requests wait while no endpoint is usable, where later versions fail them', () => {
  const profile = 'go-1.64';
  const [, unhealthy] = play(clusterOf([[2]], { profile }), [turn(5, 'unhealthy')]);
  expect([unhealthy?.grpc.outcome, unhealthy?.grpcSentences.at(-1)]).toEqual([
    'waiting',
    'requests wait until their deadline: P0 is the last priority, and none of its 2 endpoints is usable: 2 unhealthy',
  ]);
  const [empty] = play(clusterOf([], { profile }), []);
  expect(empty?.grpcSentences).toEqual(['requests wait until their deadline: there are no priorities']);
});

it('a config of which a part was not received is not used, and requests wait', () => {
  const unused = { outcome: 'waiting', reason: 'EDS "far" was not received' } as const;
  const [moment] = play(clusterOf(two, { unused }), []);
  expect([moment?.grpc.outcome, moment?.grpcSentences]).toEqual([
    'waiting',
    ['requests wait: EDS "far" was not received'],
  ]);
});

it('reports a change whose target matches nothing', () => {
  const [moment] = play(clusterOf(two), [turn(0, 'dead', 0, '10.9.9.9:80')]);
  expect(moment?.missed).toHaveLength(1);
});

it('a cluster without endpoints fails in both simulations', () => {
  const [moment] = play(clusterOf([]), []);
  expect(moment?.grpcSentences).toEqual(['requests fail with UNAVAILABLE: there are no priorities']);
  expect(moment?.envoySentences).toEqual(['there are no endpoints: Envoy answers 503']);
});
