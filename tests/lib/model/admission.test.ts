import { describe, expect, it } from 'vitest';
import { whyNothingAdmitted } from '@/lib/model/admission';
import { parseResource } from '@/lib/model/parse-resource';
import type { Client } from '@/lib/xds/profile';
import { CDS, EDS } from '@/lib/xds/resource-type';

function whyOf(thresholds: readonly object[], percents: readonly number[], client: Client = 'core'): string {
  const cluster = parseResource(CDS.typeUrl, {
    ...{ name: 'cart', type: 'EDS', edsClusterConfig: { edsConfig: { ads: {} } } },
    circuitBreakers: { thresholds },
  });
  const dropOverloads = percents.map((numerator, at) => ({
    category: `c${at}`,
    dropPercentage: { numerator, denominator: 'HUNDRED' },
  }));
  const assignment = parseResource(EDS.typeUrl, { clusterName: 'cart', policy: { dropOverloads } });
  if (cluster.kind !== 'cluster' || assignment.kind !== 'endpoints') throw new Error('expected two models');
  return whyNothingAdmitted(cluster.balancing, assignment, client);
}

const limited = 'the circuit breaker admits no RPC: max_requests is 0';

describe('whyNothingAdmitted', () => {
  it('states a limit of 0 of the threshold that the client reads (gRFC A32)', () => {
    expect(whyOf([], [])).toBe('');
    expect(whyOf([{}], [])).toBe('');
    expect(whyOf([{ maxRequests: 0 }], [])).toBe(limited);
    expect(whyOf([{ maxRequests: 0, priority: 'HIGH' }], [])).toBe('');
    const both = [{ maxRequests: 0 }, { maxRequests: 5 }];
    expect([whyOf(both, []), whyOf(both, [], 'node')]).toEqual([limited, '']);
  });

  it('states drops of every RPC, and no smaller ones', () => {
    expect(whyOf([], [50, 50])).toBe('');
    expect(whyOf([], [50, 100])).toBe('EDS drops every RPC (drop_overloads, category "c1")');
  });

  it('states the drops of an Envoy, and not its circuit breaker', () => {
    expect(whyOf([{ maxRequests: 0 }], [50], 'envoy')).toBe('');
    expect(whyOf([], [100], 'envoy')).toBe('EDS drops every request (drop_overloads, category "c0")');
  });
});
