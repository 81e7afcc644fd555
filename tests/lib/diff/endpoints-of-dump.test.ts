import { describe, expect, it } from 'vitest';
import { diffValues } from '@/lib/diff/diff-values';
import { endpointsOfDump } from '@/lib/diff/endpoints-of-dump';
import { FactFinder } from '@/lib/diff/field-facts';
import { EDS, messageNameOf } from '@/lib/xds/resource-type';
import { findMessageShape } from '@/server/codec/message-shapes';

const hostOf = (portValue: number) => ({ address: { socketAddress: { address: '127.0.0.1', portValue } } });
const [west, east] = [
  { region: 'eu-west1', zone: 'eu-west1-a' },
  { region: 'us-east1', zone: 'us-east1-b' },
];

function sentWith({ port = 1, weight = 100, drop = 5 } = {}) {
  return {
    clusterName: 'cart',
    endpoints: [
      {
        locality: west,
        lbEndpoints: [{ endpoint: hostOf(port), healthStatus: 'DRAINING' }],
        loadBalancingWeight: weight,
      },
      { locality: east, lbEndpoints: [{ endpoint: hostOf(3) }], priority: 1 },
      { locality: { region: 'empty' }, lbEndpoints: [] },
    ],
    policy: {
      weightedPriorityHealth: true,
      dropOverloads: [{ category: 'throttle', dropPercentage: { numerator: drop } }],
    },
  };
}

/** What Envoy 1.40.0 writes for the assignment above. */
const dump = {
  clusterName: 'cart',
  endpoints: [
    {
      locality: east,
      lbEndpoints: [
        {
          endpoint: { ...hostOf(3), healthCheckConfig: {} },
          healthStatus: 'HEALTHY',
          loadBalancingWeight: 1,
        },
      ],
      loadBalancingWeight: 0,
      priority: 1,
    },
    {
      locality: west,
      lbEndpoints: [
        {
          endpoint: { ...hostOf(1), healthCheckConfig: {} },
          healthStatus: 'UNHEALTHY',
          loadBalancingWeight: 1,
        },
      ],
      loadBalancingWeight: 100,
    },
  ],
  policy: {
    overprovisioningFactor: 140,
    dropOverloads: [{ category: 'throttle', dropPercentage: { numerator: 50_000, denominator: 'MILLION' } }],
  },
};

function countChanges(sent: unknown): number {
  const [before, after] = [endpointsOfDump(sent), endpointsOfDump(dump)];
  const diff = diffValues(new FactFinder(findMessageShape), before, after, messageNameOf(EDS.typeUrl));
  return diff?.totals.changes ?? 0;
}

describe('endpointsOfDump', () => {
  it('makes an assignment equal to what an Envoy that was sent it writes into its config dump', () => {
    expect(countChanges(sentWith())).toBe(0);
  });

  it('retains addresses, weights and drops', () => {
    expect(countChanges(sentWith({ port: 2 }))).toBeGreaterThan(0);
    expect(countChanges(sentWith({ weight: 50 }))).toBeGreaterThan(0);
    expect(countChanges(sentWith({ drop: 6 }))).toBeGreaterThan(0);
  });

  it('leaves what is no message as it is', () => {
    expect(endpointsOfDump(null)).toBeNull();
  });
});
