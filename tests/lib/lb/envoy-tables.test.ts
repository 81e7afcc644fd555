import { describe, expect, it } from 'vitest';
import { splitLocalities } from '@/lib/lb/envoy/split-localities';
import { type PriorityHealth, splitPriorities } from '@/lib/lb/envoy/split-priorities';

/** The health of the 100 hosts of one priority. */
function of(healthy: number, degraded = 0, total = 100, overprovisioningFactor = 140): PriorityHealth {
  const hosts = { healthy, degraded, total, excluded: 0 };
  return { hosts, weighed: hosts, overprovisioningFactor };
}

function loads(healths: readonly PriorityHealth[], panicThreshold = 50): string {
  return splitPriorities(healths, panicThreshold)
    .priorities.map(({ healthyLoad, degradedLoad }) => healthyLoad + degradedLoad)
    .join('/');
}

function panics(healths: readonly PriorityHealth[], panicThreshold = 50): string {
  return splitPriorities(healths, panicThreshold)
    .priorities.map(({ isPanic }) => (isPanic ? 'panic' : '-'))
    .join('/');
}

describe('section 5.6: two priorities', () => {
  const cases = [
    [100, 100, '100/0', '-/-'],
    [72, 100, '100/0', '-/-'],
    [71, 100, '99/1', '-/-'],
    [50, 100, '70/30', '-/-'],
    [1, 100, '1/99', '-/-'],
    [0, 100, '0/100', '-/-'],
    [50, 60, '70/30', '-/-'],
    [25, 100, '35/65', '-/-'],
    [25, 25, '50/50', 'panic/panic'],
    [5, 65, '8/92', 'panic/-'],
    [0, 0, '50/50', 'panic/panic'],
  ] as const;
  it.each(cases)('%i %% and %i %% healthy: %s', (first, second, load, panic) => {
    expect(loads([of(first), of(second)])).toBe(load);
    expect(panics([of(first), of(second)])).toBe(panic);
  });
});

describe('section 5.6: three priorities', () => {
  const cases = [
    [[100, 100, 100], '100/0/0'],
    [[71, 71, 100], '99/1/0'],
    [[50, 60, 100], '70/30/0'],
    [[25, 25, 100], '35/35/30'],
    [[25, 25, 20], '37/35/28'],
  ] as const;
  it.each(cases)('%j: %s', (healthy, load) => {
    const healths = healthy.map((each) => of(each));
    // The panic threshold is 1, because the last row would be in panic otherwise, and the table is about availability.
    expect(loads(healths, 1)).toBe(load);
  });
});

describe('section 5.6: degraded hosts of one priority', () => {
  const cases = [
    [100, 0, '100/0'],
    [71, 0, '100/0'],
    [71, 29, '99/1'],
    [25, 65, '35/65'],
    [5, 0, '100/0'],
  ] as const;
  it.each(cases)('%i %% healthy, %i %% degraded: %s', (healthy, degraded, load) => {
    const [split] = splitPriorities([of(healthy, degraded)], 0).priorities;
    expect(`${split?.healthyLoad}/${split?.degradedLoad}`).toBe(load);
  });
});

describe('section 5.6: localities of weights 1 and 2', () => {
  const cases = [
    [100, '33/67'],
    [70, '33/67'],
    // Envoy's documentation has 32/68. The availability of a locality is not rounded: 0.966 / 2.966.
    [69, '33/67'],
    [50, '26/74'],
    [25, '15/85'],
    [0, '0/100'],
  ] as const;
  it.each(cases)('the first %i %% available: %s', (available, split) => {
    const localities = [
      { weight: 1, available, total: 100 },
      { weight: 2, available: 100, total: 100 },
    ];
    const shares = splitLocalities(localities, 140).map((share) => Math.round(share * 100));
    expect(shares.join('/')).toBe(split);
  });
});

describe('panic', () => {
  it('does not apply while availabilities sum to 100, even at 1% health', () => {
    expect(panics([of(1), of(100)])).toBe('-/-');
  });

  it('is disabled by threshold 0: without available hosts requests get 503, assigned to P0', () => {
    const split = splitPriorities([of(0), of(0)], 0);
    expect(split).toMatchObject({ isUnserved: true, isTotalPanic: false });
    expect(split.priorities.map(({ healthyLoad }) => healthyLoad)).toEqual([100, 0]);
  });

  it('in all priorities spreads load by numbers of hosts, with the remainder on the first that has any', () => {
    expect(loads([of(0, 0, 0), of(0, 0, 1), of(0, 0, 2)])).toBe('0/34/66');
  });

  it('without any host assigns everything to P0', () => {
    expect(loads([of(0, 0, 0), of(0, 0, 0)])).toBe('100/0');
  });

  it('compares exact fractions: 499 of 1000 are below a threshold of 50, 500 are not', () => {
    expect(panics([of(499, 0, 1000, 100)])).toBe('panic');
    expect(panics([of(500, 0, 1000, 100)])).toBe('-');
  });
});

it('weighted_priority_health computes health from weights and panic from hosts', () => {
  const hosts = { healthy: 1, degraded: 0, total: 2, excluded: 0 };
  const weighed = { healthy: 1, degraded: 0, total: 10, excluded: 0 };
  const health = { hosts, weighed, overprovisioningFactor: 140 };
  expect(loads([health, of(100)])).toBe('14/86');
  expect(panics([health])).toBe('-');
});
