import fc from 'fast-check';
import { expect, it } from 'vitest';
import { splitLocalities } from '@/lib/lb/envoy/split-localities';
import { splitPriorities } from '@/lib/lb/envoy/split-priorities';
import { runs } from '@/tests/support/runs';

/** A second implementation of section 5.6, with BigInt for Envoy's integers and with Envoy's loops over priorities. */
interface Hosts {
  readonly healthy: number;
  readonly degraded: number;
  readonly total: number;
  readonly excluded: number;
}

interface Loads {
  readonly healthy: bigint[];
  readonly degraded: bigint[];
  readonly panic: boolean[];
}

function envoyLoads(hosts: readonly Hosts[], factor: number, threshold: number): Loads {
  const least = (one: bigint, other: bigint): bigint => (one < other ? one : other);
  const available = (count: number, total: number): bigint =>
    total === 0 ? 0n : least(100n, (BigInt(factor) * BigInt(count)) / BigInt(total));
  const health = hosts.map(({ healthy, total }) => available(healthy, total));
  const degradedHealth = hosts.map(({ degraded, total }) => available(degraded, total));
  let all = 0n;
  for (const each of [...health, ...degradedHealth]) all += each;
  all = least(100n, all);

  const loads: Loads = {
    healthy: hosts.map(() => 0n),
    degraded: hosts.map(() => 0n),
    panic: hosts.map(({ healthy, degraded, total }) => {
      const percent = total === 0 ? 0 : (100 * healthy) / total + (100 * degraded) / total;
      return all < 100n && percent < threshold;
    }),
  };
  let left = 100n;
  const isTotalPanic = loads.panic.every((each) => each);
  if (all === 0n && !isTotalPanic) loads.healthy[0] = 100n;
  else if (isTotalPanic) {
    const totals = hosts.map(({ total, excluded }) => BigInt(total) + BigInt(excluded));
    const sum = totals.reduce((one, other) => one + other, 0n);
    const first = Math.max(
      0,
      totals.findIndex((total) => total > 0n),
    );
    totals.forEach((total, at) => {
      loads.healthy[at] = sum === 0n ? 0n : (100n * total) / sum;
      left -= loads.healthy[at] ?? 0n;
    });
    loads.healthy[first] = (loads.healthy[first] ?? 0n) + left;
  } else {
    for (const [load, availability] of [
      [loads.healthy, health],
      [loads.degraded, degradedHealth],
    ] as const)
      availability.forEach((each, at) => {
        load[at] = least(left, (each * 100n) / all);
        left -= load[at] ?? 0n;
      });
    const firstHealthy = health.findIndex((each) => each > 0n);
    const [load, first] =
      firstHealthy >= 0
        ? [loads.healthy, firstHealthy]
        : [loads.degraded, degradedHealth.findIndex((each) => each > 0n)];
    load[first] = (load[first] ?? 0n) + left;
  }
  return loads;
}

const count = fc.oneof(fc.nat(4), fc.nat(100), fc.constant(0));
const hosts = fc.tuple(count, count, count, count).map(([healthy, degraded, unhealthy, excluded]) => ({
  healthy,
  degraded,
  total: healthy + degraded + unhealthy,
  excluded,
}));
const often = { numRuns: runs(1_000) };

it("loads of priorities equal Envoy's, including panic, degraded hosts and empty priorities", () => {
  fc.assert(
    fc.property(
      fc.array(hosts, { minLength: 1, maxLength: 8 }),
      fc.integer({ min: 1, max: 1_000 }),
      fc.oneof(fc.constant(0), fc.constant(50), fc.nat(100)),
      (mesh, overprovisioningFactor, panicThreshold) => {
        const healths = mesh.map((each) => ({ hosts: each, weighed: each, overprovisioningFactor }));
        const { priorities } = splitPriorities(healths, panicThreshold);
        const expected = envoyLoads(mesh, overprovisioningFactor, panicThreshold);
        expect({
          healthy: priorities.map(({ healthyLoad }) => BigInt(healthyLoad)),
          degraded: priorities.map(({ degradedLoad }) => BigInt(degradedLoad)),
          panic: priorities.map(({ isPanic }) => isPanic),
        }).toEqual(expected);
      },
    ),
    often,
  );
});

it('shares of localities are weight times availability, which is not rounded, as exact fractions', () => {
  const locality = fc
    .tuple(fc.nat(1_000), fc.nat(50), fc.nat(50))
    .map(([weight, available, others]) => ({ weight, available, total: available + others }));
  fc.assert(
    fc.property(
      fc.array(locality, { minLength: 1, maxLength: 6 }),
      fc.integer({ min: 1, max: 500 }),
      (all, factor) => {
        // All fractions over the same denominator.
        const common = all.reduce((product, { total }) => product * BigInt(Math.max(1, total)), 100n);
        const effective = all.map(({ weight, available, total }) => {
          if (total === 0) return 0n;
          const share = (common * BigInt(factor) * BigInt(available)) / (100n * BigInt(total));
          return BigInt(weight) * (share < common ? share : common);
        });
        const sum = effective.reduce((one, other) => one + other, 0n);
        splitLocalities(all, factor).forEach((share, at) => {
          expect(share).toBeCloseTo(sum === 0n ? 0 : Number(effective[at]) / Number(sum), 12);
        });
      },
    ),
    { ...often, numRuns: runs(1_000) },
  );
});
