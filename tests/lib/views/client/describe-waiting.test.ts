import { describe, expect, it } from 'vitest';
import { formatElapsed } from '@/lib/format/time-ago';
import { findWaiting } from '@/lib/observation/find-waiting';
import { describeWaiting, describeWaitingSummary } from '@/lib/views/client/describe-waiting';
import { knownUntil } from '@/lib/views/client/known-until';
import { CDS, EDS, LDS, RDS, SDS } from '@/lib/xds/resource-type';
import { sampleResource } from '../../../support/builders/observation-samples';

const summary = {
  ...{ state: 'WARMING' as const, service: 'CDS', typeUrl: CDS.typeUrl, name: 'cart', versionInfo: 'v7' },
  ...{ since: 0, waitsFor: [{ typeUrl: EDS.typeUrl, name: 'cart-eds' }] },
};
const endpoints = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ typeUrl: EDS.typeUrl, name: `e${index}` }));

describe('describeWaiting()', () => {
  it.each([
    ['another resource', CDS, summary.waitsFor, 'warming for 2 min 10 s: waits for EDS cart-eds'],
    ['many', CDS, endpoints(5), 'warming for 2 min 10 s: waits for EDS e0, EDS e1, EDS e2 and 2 more'],
    ['what is not reported', LDS, [], 'warming for 2 min 10 s: what it waits for is not reported'],
    ['the content of a secret', SDS, [], 'warming for 2 min 10 s: not received yet'],
  ])('states how long a resource has waited for %s', (_, { typeUrl }, waitsFor, expected) => {
    expect(describeWaiting({ state: 'WARMING', versionInfo: 'v7', waitsFor }, { typeUrl }, 130_500)).toBe(
      expected,
    );
  });

  it('states the version that the client has not answered', () => {
    const sent = (versionInfo: string) =>
      describeWaiting({ state: 'NO_ANSWER', versionInfo, waitsFor: [] }, CDS, 40_000);
    expect(sent('v7')).toBe('v7 sent 40 s ago, no answer');
    expect(sent('')).toBe('sent 40 s ago, no answer');
  });

  it('states no time of a document, which has one moment', () => {
    const describe = (state: 'WARMING' | 'NO_ANSWER') =>
      describeWaiting({ ...summary, state }, CDS, undefined);
    expect(describe('WARMING')).toBe('warming: waits for EDS cart-eds');
    expect(describe('NO_ANSWER')).toBe('v7 sent, no answer');
  });

  it('names the resource of a client that has waited longest, and the number of others', () => {
    expect(describeWaitingSummary({ ...summary, resources: 1 }, 0)).toBe(
      'CDS cart warming for 0 s: waits for EDS cart-eds',
    );
    expect(describeWaitingSummary({ ...summary, state: 'NO_ANSWER', resources: 1_001 }, 61_000)).toBe(
      'CDS cart: v7 sent 1 min 1 s ago, no answer (and 1,000 more)',
    );
  });

  it('cuts names of any length, and shows characters that are invisible', () => {
    const name = `\u202e${'x'.repeat(100_000)}`;
    const text = describeWaiting({ state: 'WARMING', versionInfo: '', waitsFor: [{ ...RDS, name }] }, LDS, 0);
    expect(text.length).toBeLessThan(200);
    expect(text).not.toContain('\u202e');
  });
});

describe('findWaiting()', () => {
  const unanswered = { versionInfo: '8', at: 5_000, hash: null };

  it('finds the version that warms beside an active one, with the time of its update', () => {
    const held = {
      stage: 'warming' as const,
      versionInfo: '9',
      lastUpdated: 4_000,
      hash: null,
      sizeBytes: null,
    };
    const row = sampleResource({ stage: 'active', otherVersions: [held] });
    expect(findWaiting(row, 'WARMING')).toEqual([
      { state: 'WARMING', versionInfo: '9', since: 4_000, waitsFor: [] },
    ]);
  });

  it('takes the time at which xdscope saw it first where Envoy reports none', () => {
    const row = sampleResource({ stage: 'warming', lastUpdated: null, changedAt: 3_000 });
    expect(findWaiting(row, 'WARMING')).toMatchObject([{ since: 3_000 }]);
  });

  it('finds both: a response without an answer, and what warms', () => {
    const row = sampleResource({ stage: 'warming', unanswered });
    expect(findWaiting(row, 'WARMING').map(({ state, since }) => [state, since])).toEqual([
      ['WARMING', 1_000],
      ['NO_ANSWER', 5_000],
    ]);
  });

  it('finds nothing where the version that warms was rejected, or nothing waits', () => {
    expect(findWaiting(sampleResource({ stage: 'warming' }), 'NACKED')).toEqual([]);
    expect(findWaiting(sampleResource(), 'ACKED')).toEqual([]);
  });
});

describe('knownUntil()', () => {
  const client = { freshness: 'live' as const, lastSeenAt: 5, reports: [{ vantage: 'csds' as const }] };
  const dump = { vantage: 'dump' as const };

  it('is now for a live client, and the moment that is shown for any other', () => {
    expect(knownUntil(client)).toBeNull();
    expect(knownUntil({ ...client, freshness: 'gone' })).toBe(5);
    expect(knownUntil({ ...client, moment: { at: 3 } })).toBe(3);
    expect(knownUntil(client, 4)).toBe(4);
  });

  it('is not known of a document, also in a permalink; it is of a recording in a file', () => {
    expect(knownUntil({ ...client, reports: [dump] })).toBe('one-moment');
    expect(knownUntil({ ...client, reports: [dump] }, 4)).toBe('one-moment');
    expect(knownUntil({ ...client, reports: [{ ...dump, originalVantage: 'csds' }] }, 4)).toBe(4);
  });
});

it.each([
  [0, '0 s'],
  [999, '0 s'],
  [59_999, '59 s'],
  [60_000, '1 min'],
  [130_500, '2 min 10 s'],
  [3_600_000, '1 h'],
  [11_100_000, '3 h 5 min'],
  [187_200_000, '2 d 4 h'],
])('formatElapsed(%i) is %s', (elapsedMs, expected) => {
  expect(formatElapsed(elapsedMs)).toBe(expected);
});
