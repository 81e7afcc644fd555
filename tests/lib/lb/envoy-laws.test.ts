import fc from 'fast-check';
import { expect, it } from 'vitest';
import { splitLocalities } from '@/lib/lb/envoy/split-localities';
import { type PriorityHealth, splitPriorities } from '@/lib/lb/envoy/split-priorities';
import { runs } from '@/tests/support/runs';

const counts = fc
  .tuple(fc.nat(200), fc.nat(200), fc.nat(200), fc.nat(50))
  .map(([healthy, degraded, unhealthy, excluded]) => ({
    healthy,
    degraded,
    total: healthy + degraded + unhealthy,
    excluded,
  }));
const overprovisioningFactor = fc.integer({ min: 1, max: 1000 });
const health: fc.Arbitrary<PriorityHealth> = fc.record({
  hosts: counts,
  weighed: counts,
  overprovisioningFactor,
});
const plain = fc
  .tuple(counts, overprovisioningFactor)
  .map(([hosts, factor]) => ({ hosts, weighed: hosts, overprovisioningFactor: factor }));
const threshold = fc.integer({ min: 0, max: 100 });
const often = { numRuns: runs(500) };

it('loads are integers, not negative, and sum to 100', () => {
  fc.assert(
    fc.property(fc.array(health, { minLength: 1, maxLength: 8 }), threshold, (healths, panicThreshold) => {
      const loads = splitPriorities(healths, panicThreshold).priorities.flatMap((each) => [
        each.healthyLoad,
        each.degradedLoad,
      ]);
      expect(loads.every((load) => Number.isInteger(load) && load >= 0)).toBe(true);
      expect(loads.reduce((sum, load) => sum + load, 0)).toBe(100);
    }),
    often,
  );
});

it('a priority without available host gets no load, except in total panic or if no host is available', () => {
  fc.assert(
    fc.property(fc.array(plain, { minLength: 1, maxLength: 8 }), threshold, (healths, panicThreshold) => {
      const { priorities, isTotalPanic, totalAvailability } = splitPriorities(healths, panicThreshold);
      if (isTotalPanic || totalAvailability === 0) return;
      priorities.forEach((split, at) => {
        const { hosts } = healths[at] ?? { hosts: { healthy: 0, degraded: 0, total: 0 } };
        if (hosts.healthy === 0) expect(split.healthyLoad).toBe(0);
        if (hosts.degraded === 0) expect(split.degradedLoad).toBe(0);
      });
    }),
    often,
  );
});

it('a priority gets no load while the availability of those before it reaches 100%', () => {
  fc.assert(
    fc.property(fc.array(plain, { minLength: 2, maxLength: 6 }), threshold, (healths, panicThreshold) => {
      const { priorities } = splitPriorities(healths, panicThreshold);
      let before = 0;
      for (const split of priorities) {
        if (before >= 100) expect(split.healthyLoad).toBe(0);
        before += split.healthyAvailability;
      }
    }),
    often,
  );
});

it('each priority gets its availability until the sum is 100, if it suffices without a remainder', () => {
  fc.assert(
    fc.property(fc.array(plain, { minLength: 1, maxLength: 6 }), threshold, (healths, panicThreshold) => {
      const { priorities, totalAvailability } = splitPriorities(healths, panicThreshold);
      if (totalAvailability < 100) return;
      let left = 100;
      for (const { healthyAvailability, healthyLoad } of priorities) {
        expect(healthyLoad).toBe(Math.min(left, healthyAvailability));
        left -= healthyLoad;
      }
    }),
    often,
  );
});

it('shares of localities sum to 1, and a larger weight never has a smaller share', () => {
  const locality = fc.record({
    weight: fc.option(fc.nat(1000)),
    available: fc.nat(100),
    total: fc.constant(100),
  });
  fc.assert(
    fc.property(fc.array(locality, { minLength: 1, maxLength: 20 }), (localities) => {
      const shares = splitLocalities(localities, 140);
      const sum = shares.reduce((total, share) => total + share, 0);
      const isAny = localities.some(({ weight, available }) => (weight ?? 0) > 0 && available > 0);
      expect(sum).toBeCloseTo(isAny ? 1 : 0, 9);
      const more = localities.map((each, at) =>
        at === 0 ? { ...each, weight: (each.weight ?? 0) + 1 } : each,
      );
      expect(splitLocalities(more, 140)[0]).toBeGreaterThanOrEqual(shares[0] ?? 0);
    }),
    often,
  );
});
