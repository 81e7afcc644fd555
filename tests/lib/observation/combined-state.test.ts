import { describe, expect, it } from 'vitest';
import { combinedState } from '@/lib/observation/combined-state';
import type { HeldVersion, ResourceState } from '@/lib/observation/resource-state';
import { CDS, RDS } from '@/lib/xds/resource-type';
import { type State, states } from '@/lib/xds/status';
import { sampleResource } from '../../support/builders/observation-samples';

const inDump = (row: Partial<ResourceState> = {}) => sampleResource({ stage: 'active', ...row });
const warmingVersion: HeldVersion = {
  stage: 'warming',
  versionInfo: '2',
  lastUpdated: null,
  hash: 'bb',
  sizeBytes: 1,
};
const counted = {
  details: '',
  versionInfo: '',
  lastUpdateAttempt: 5,
  failedHash: null,
  statistic: 'update_rejected',
};
const unanswered = { versionInfo: '2', at: 5, hash: 'bb' };

describe('combinedState()', () => {
  it.each<[what: string, expected: State, row: ResourceState]>([
    ['an answer', 'ACKED', sampleResource()],
    ['a rejection', 'NACKED', sampleResource({ clientStatus: 'NACKED' })],
    ['a response without an answer', 'NO_ANSWER', sampleResource({ clientStatus: 'UNKNOWN', unanswered })],
    ['a resource in a dump', 'ACTIVE', inDump()],
    ['a static resource', 'ACTIVE', inDump({ clientStatus: 'UNKNOWN', isStatic: true })],
    [
      'a static resource of a bootstrap',
      'ACTIVE',
      sampleResource({ clientStatus: 'UNKNOWN', isStatic: true }),
    ],
    ['a resource that warms', 'WARMING', inDump({ stage: 'warming' })],
    ['an active version with one that warms', 'WARMING', inDump({ otherVersions: [warmingVersion] })],
    [
      'an active version with one that drains',
      'ACTIVE',
      inDump({ otherVersions: [{ ...warmingVersion, stage: 'draining' }] }),
    ],
    ['a resource that only drains', 'DRAINING', inDump({ stage: 'draining' })],
    [
      'a rejected listener that warms',
      'NACKED',
      inDump({ clientStatus: 'NACKED', otherVersions: [warmingVersion] }),
    ],
    ['a rejection by a statistic', 'NACKED', inDump({ clientStatus: 'NACKED', errorState: counted })],
    [
      'a possible rejection by a statistic',
      'UNKNOWN',
      inDump({ clientStatus: 'UNKNOWN', errorState: counted }),
    ],
    [
      'a whole type by a statistic',
      'NACKED',
      sampleResource({ name: '', clientStatus: 'NACKED', errorState: counted }),
    ],
  ])('of %s is %s', (_what, expected, row) => {
    expect(combinedState(row)).toBe(expected);
  });

  it.each<[expected: State, row: ResourceState, answered: Partial<ResourceState>]>([
    ['ACKED', inDump(), {}],
    ['NACKED', inDump(), { clientStatus: 'NACKED' }],
    ['REQUESTED', inDump(), { clientStatus: 'REQUESTED' }],
    ['NO_ANSWER', inDump(), { clientStatus: 'UNKNOWN', unanswered }],
    ['WARMING', inDump({ stage: 'warming' }), {}],
    ['WARMING', inDump({ stage: 'warming' }), { clientStatus: 'UNKNOWN', unanswered }],
    ['NACKED', inDump({ stage: 'warming' }), { clientStatus: 'NACKED' }],
    ['NACKED', inDump({ clientStatus: 'NACKED' }), {}],
    // The tap has recorded the answer that a statistic counts.
    ['ACKED', inDump({ typeUrl: RDS.typeUrl, clientStatus: 'UNKNOWN', errorState: counted }), {}],
    ['ACKED', inDump({ typeUrl: RDS.typeUrl, clientStatus: 'NACKED', errorState: counted }), {}],
    // Envoy ACKs a rejected version of a cluster that comes again, and does not use it.
    [
      'NACKED',
      inDump({
        typeUrl: CDS.typeUrl,
        clientStatus: 'NACKED',
        errorState: counted,
        otherVersions: [warmingVersion],
      }),
      {},
    ],
  ])('is %s, the worse of effect and answer', (expected, row, answered) => {
    expect(combinedState(row, sampleResource(answered))).toBe(expected);
  });

  it('orders ACTIVE, which is known without an answer, before ACKED, and problems first', () => {
    expect(states.at(-1)).toBe('ACKED');
    expect(states.at(-2)).toBe('ACTIVE');
    expect(states[0]).toBe('NACKED');
  });
});
