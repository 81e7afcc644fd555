import { describe, expect, it } from 'vitest';
import type { ClientDetail } from '@/lib/views/client/schema';
import { isWithoutHistory } from '@/lib/views/failover/is-without-history';
import type { FailoverPeriod } from '@/lib/views/failover/periods-schema';

const period: FailoverPeriod = {
  ...{ turn: 'other', fromAt: 5, priorities: ['P0'], envoy: [], grpcSentences: [], envoySentences: [] },
};
const reportedBy = (vantage: 'dump' | 'csds') =>
  ({ reports: [{ vantage }] }) as Pick<ClientDetail, 'reports'>;

describe('a client', () => {
  it('is without a history of failovers if it is of a file with one split of the requests and no load', () => {
    const measured = [{ locality: 'a', requests: 3, share: 1 }];
    expect(isWithoutHistory({ items: [period] }, reportedBy('dump'))).toBe(true);
    expect(isWithoutHistory({ items: [{ ...period, measured }] }, reportedBy('dump'))).toBe(false);
    expect(isWithoutHistory({ items: [period, period] }, reportedBy('dump'))).toBe(false);
    expect(isWithoutHistory({ items: [period] }, reportedBy('csds'))).toBe(false);
  });
});
