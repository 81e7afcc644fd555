import { performance } from 'node:perf_hooks';
import { usualEnvoyBalancing } from '@/lib/lb/envoy/envoy-balancing';
import type { Change } from '@/lib/lb/simulator/change';
import { playFailover } from '@/lib/lb/simulator/play-failover';
import { openSimulation } from '@/lib/lb/simulator/step-failover';
import type { TrafficCluster } from '@/lib/lb/simulator/traffic-cluster';
import { newestOf } from '@/lib/xds/profile';
import { percentile, print } from './measure';

const rounds = 60;

/** Five priorities with a fifth of the localities each. */
function clusterOf(localities: number, endpoints: number): TrafficCluster {
  const perPriority = localities / 5;
  const perLocality = endpoints / localities;
  return {
    profile: newestOf('core'),
    unused: null,
    panicThreshold: usualEnvoyBalancing.panicThreshold,
    priorities: Array.from({ length: 5 }, (_, priority) => ({
      name: `P${priority}`,
      cluster: 'large',
      priority,
      policy: 'round_robin',
      isByLocality: true,
      isRejected: false,
      overprovisioningFactor: 140,
      weightedPriorityHealth: true,
      envoy: { ...usualEnvoyBalancing, isLocalityWeighted: true },
      localities: Array.from({ length: perPriority }, (_, at) => ({
        name: `region / zone-${priority}-${at}`,
        weight: 1 + (at % 7),
        endpoints: Array.from({ length: perLocality }, (_, nth) => ({
          address: `10.${priority}.${at}.${nth}:80`,
          health: nth % 5 === 0 ? 'UNHEALTHY' : 'HEALTHY',
          weight: 1 + (nth % 3),
        })),
      })),
    })),
  };
}

/** The work after a click on the page: the whole story from the config on, with the changes so far. */
function measure(localities: number, endpoints: number, changes: readonly Change[]): string {
  const took: number[] = [];
  let moments = 0;
  for (let round = 0; round < rounds; round++) {
    const cluster = clusterOf(localities, endpoints);
    const startedAt = performance.now();
    moments = [...playFailover(openSimulation(cluster), changes, 60)].length;
    took.push(performance.now() - startedAt);
  }
  const median = percentile(took, 0.5).toFixed(1);
  const most = percentile(took, 0.95).toFixed(1);
  return `${String(moments).padStart(3)} moments   median ${median.padStart(5)} ms   p95 ${most.padStart(5)} ms`;
}

const one: Change[] = [{ kind: 'condition', at: 0, target: { priority: 0 }, to: 'dead' }];
const story: Change[] = [
  ...one,
  { kind: 'condition', at: 5, target: { priority: 1 }, to: 'slow' },
  { kind: 'factor', at: 20, percent: 120 },
  { kind: 'condition', at: 30, target: { priority: 0 }, to: 'healthy' },
];

const [localities, endpoints] = [1_000, 10_000];
measure(localities, endpoints, story);
print(`simulator: ${localities} localities, ${endpoints} endpoints, both semantics (aim 16 ms)`);
print(`one answer, P0 dies    ${measure(localities, endpoints, one)}`);
print(`a story of 60 seconds  ${measure(localities, endpoints, story)}`);
