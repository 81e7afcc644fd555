import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { usualZoneConfig, type ZoneRouting } from '@/lib/model/zone-config';
import { splitZones } from '@/lib/resolve/split-zones';
import { runs } from '@/tests/support/runs';

const half: ZoneRouting = {
  ...{ config: usualZoneConfig, localCluster: 'local', own: 0 },
  ...{ localHosts: [2, 1, 1], allLocalHosts: 4, isOwnInLocal: true, isLocalInPanic: false },
};
const small = { ...usualZoneConfig, minClusterSize: 1 };

describe('zone aware routing', () => {
  /** Each row was compared with Envoy 1.40.0 by the chapter endpoint-choice of tests/peers. */
  it.each<[string, Partial<ZoneRouting>, number[], number[] | null]>([
    ['keeps as many as the zone has capacity for', {}, [2, 2, 2], [66.7, 16.7, 16.7]],
    ['keeps all in a zone with more than its part', {}, [4, 1, 1], [100, 0, 0]],
    ['divides the rest by residual capacity', {}, [1, 2, 4], [28.6, 7.1, 64.3]],
    ['does not decide of a small cluster', {}, [2, 1, 1], null],
    ['decides of a small cluster that is allowed', { config: small }, [1, 1, 1], [66.7, 16.7, 16.7]],
    ['goes to other zones without endpoints in its own', { own: -1 }, [0, 2, 4], [0, 16.7, 83.3]],
    ['has no share without a local host in its zone', { isOwnInLocal: false }, [2, 2, 4], null],
    ['does not decide while the local cluster is in panic', { isLocalInPanic: true }, [2, 2, 4], null],
    [
      'fails all while the local cluster is in panic, by fail_traffic_on_panic',
      { isLocalInPanic: true, config: { ...usualZoneConfig, failsOnPanic: true } },
      [2, 2, 4],
      [0, 0, 0],
    ],
  ])('%s', (_, more, healthy, expected) => {
    const { shares } = splitZones({ ...half, ...more }, healthy);
    const rounded = shares?.map((share) => Math.round(share * 1000) / 10) ?? null;
    expect(rounded).toEqual(expected);
  });

  it('names its inputs', () => {
    expect(splitZones(half, [2, 2, 2]).reason).toBe(
      'the locality of the client has 50% of the healthy hosts of cluster "local" and 33.33% of the healthy endpoints',
    );
  });

  it('has shares that add up, none of them negative', () => {
    const counts = fc.array(fc.nat(20), { minLength: 3, maxLength: 3 });
    fc.assert(
      fc.property(counts, counts, fc.integer({ min: -1, max: 2 }), (healthy, localHosts, own) => {
        const allLocalHosts = localHosts.reduce((sum, each) => sum + each, 0);
        const { shares } = splitZones({ ...half, own, localHosts, allLocalHosts }, healthy);
        for (const share of shares ?? []) expect(share).toBeGreaterThanOrEqual(0);
        if (shares !== null) expect(shares.reduce((sum, each) => sum + each, 0)).toBeCloseTo(1, 6);
      }),
      { numRuns: runs(200) },
    );
  });
});
