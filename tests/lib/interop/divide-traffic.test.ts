import { expect, it } from 'vitest';
import { divideByHealth, divideByLoad, matchesFilters } from '@/lib/interop/divide-traffic';

const backends = (healthy: number, all = 3) =>
  Array.from({ length: all }, (_, index) => ({ isHealthy: index < healthy }));

it('keeps the secondary locality as a second priority while half of the primary is healthy, or none', () => {
  for (const healthy of [3, 2, 0]) {
    const { primary, secondary } = divideByHealth(backends(healthy));
    expect([primary.priority, secondary.priority]).toEqual([0, 1]);
  }
  expect(divideByHealth(backends(2, 4)).secondary.priority).toBe(1);
});

it('gives a primary of which a third is healthy what it can take', () => {
  expect(divideByHealth(backends(1))).toEqual({
    primary: { priority: 0, weight: 45 },
    secondary: { priority: 0, weight: 55 },
  });
});

it('gives the secondary locality the load beyond the capacity of the primary', () => {
  expect(divideByLoad({ capacity: 100, rate: 100 }).secondary.priority).toBe(1);
  expect(divideByLoad({ capacity: 40, rate: 100 })).toEqual({
    primary: { priority: 0, weight: 40 },
    secondary: { priority: 0, weight: 60 },
  });
  // A weight of 0 would remove the locality.
  expect(divideByLoad({ capacity: 1, rate: 1_000 }).primary.weight).toBe(5);
  expect(divideByLoad({ capacity: 999, rate: 1_000 }).secondary.weight).toBe(5);
});

it('divides by steps, so that a rate that varies a little is no other division', () => {
  expect(divideByLoad({ capacity: 40, rate: 99 })).toEqual(divideByLoad({ capacity: 40, rate: 101 }));
});

it('matches all or any of the labels of a filter, and all filters of a rule', () => {
  const metadata = { a: '1', b: '2' };
  const matches = (criteria: 'MATCH_ALL' | 'MATCH_ANY', labels: Readonly<Record<string, string>>) =>
    matchesFilters([{ criteria, labels }], metadata);
  expect(matches('MATCH_ALL', { a: '1', b: '2' })).toBe(true);
  expect(matches('MATCH_ALL', { a: '1', b: 'other' })).toBe(false);
  expect(matches('MATCH_ANY', { a: '1', b: 'other' })).toBe(true);
  expect(matches('MATCH_ANY', { c: '1' })).toBe(false);
  const other = { criteria: 'MATCH_ALL', labels: { a: 'other' } } as const;
  expect(matchesFilters([{ criteria: 'MATCH_ALL', labels: { a: '1' } }, other], metadata)).toBe(false);
});
