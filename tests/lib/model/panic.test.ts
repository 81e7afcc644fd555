import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { HostCounts } from '@/lib/lb/envoy/host-counts';
import { splitPriorities } from '@/lib/lb/envoy/split-priorities';
import { noAssignment } from '@/lib/model/endpoints';
import { findPanics } from '@/lib/model/panic';
import { runs } from '@/tests/support/runs';

const healths = ['HEALTHY', 'UNKNOWN', 'DEGRADED', 'UNHEALTHY', 'DRAINING', 'TIMEOUT'] as const;
const host = fc.record({ health: fc.constantFrom(...healths), weight: fc.integer({ min: 1, max: 5 }) });
type Hosts = readonly { readonly health: string; readonly weight: number }[];

function countHosts(hosts: Hosts, weightOf: (weight: number) => number): HostCounts {
  const sum = (...of: string[]): number =>
    hosts.reduce((all, { health, weight }) => all + (of.includes(health) ? weightOf(weight) : 0), 0);
  return {
    healthy: sum('HEALTHY', 'UNKNOWN'),
    degraded: sum('DEGRADED'),
    total: sum('HEALTHY', 'UNKNOWN', 'DEGRADED', 'UNHEALTHY', 'TIMEOUT'),
    excluded: sum('DRAINING'),
  };
}

it('finds the priorities that panic when Envoy divides the load', () => {
  fc.assert(
    fc.property(
      fc.array(fc.array(host, { maxLength: 6 }), { minLength: 1, maxLength: 4 }),
      fc.integer({ min: 0, max: 120 }),
      fc.option(fc.integer({ min: 100, max: 300 })),
      fc.boolean(),
      (priorities, threshold, factor, isByWeight) => {
        const assignment = {
          ...noAssignment,
          overprovisioningFactor: factor,
          weightedPriorityHealth: isByWeight,
          priorities: priorities.map((hosts, priority) => ({
            priority,
            localities: [
              {
                ...{ index: priority, ledsCollection: '' },
                endpoints: hosts.map((each) => ({
                  ...each,
                  ...{ address: '10.0.0.1:80', hostname: '', additionalAddresses: [] },
                })),
              },
            ],
          })),
        };
        const { priorities: split } = splitPriorities(
          priorities.map((hosts) => ({
            hosts: countHosts(hosts, () => 1),
            weighed: countHosts(hosts, (weight) => (isByWeight ? weight : 1)),
            overprovisioningFactor: factor ?? 140,
          })),
          threshold,
        );
        const panics = split.flatMap(({ isPanic }, at) => (isPanic ? [at] : []));
        expect(findPanics(assignment, threshold)).toEqual(panics);
      },
    ),
    { numRuns: runs(500) },
  );
});
