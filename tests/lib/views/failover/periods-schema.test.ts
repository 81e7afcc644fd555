import { describe, expect, it } from 'vitest';
import { type FailoverPeriod, isOfOneMoment } from '@/lib/views/failover/periods-schema';

const period = (fromAt: number): FailoverPeriod => ({
  ...{ turn: 'other', fromAt, priorities: ['P0'], envoy: [], grpcSentences: [], envoySentences: [] },
});

describe('a history of failovers', () => {
  it('is of one moment if its only period begins at its end', () => {
    expect(isOfOneMoment({ items: [period(5)], to: 5 })).toBe(true);
    expect(isOfOneMoment({ items: [period(4)], to: 5 })).toBe(false);
    expect(isOfOneMoment({ items: [period(4), period(5)], to: 5 })).toBe(false);
    expect(isOfOneMoment({ items: [], to: 5 })).toBe(false);
  });
});
