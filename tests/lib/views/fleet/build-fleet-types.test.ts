import { describe, expect, it } from 'vitest';
import { buildFleetTypes } from '@/lib/views/fleet/build-fleet-types';
import { buildConfigStatusCounts, buildStateCounts } from '@/lib/views/fleet/build-status-counts';
import { formatPartial } from '@/lib/views/fleet/fleet-freshness';
import { SDS } from '@/lib/xds/resource-type';

describe('buildFleetTypes', () => {
  it('contains the four types of every xDS client even without clients', () => {
    expect(buildFleetTypes([]).map(({ label }) => label)).toEqual(['LDS', 'RDS', 'CDS', 'EDS']);
  });

  it('keeps the fixed order, with unknown types last', () => {
    const foreign = 'type.googleapis.com/acme.v1.Widget';
    expect(buildFleetTypes([foreign, SDS.typeUrl]).map(({ label }) => label)).toEqual([
      'LDS',
      'RDS',
      'CDS',
      'EDS',
      'SDS',
      'Widget',
    ]);
  });
});

describe('status counts', () => {
  it('lists the occurring statuses, worst first', () => {
    expect(buildStateCounts({ ACKED: 6, NACKED: 1, TIMEOUT: 0 })).toEqual([
      { status: 'NACKED', count: 1 },
      { status: 'ACKED', count: 6 },
    ]);
    expect(buildConfigStatusCounts({ SYNCED: 2, ERROR: 1 })).toEqual([
      { status: 'ERROR', count: 1 },
      { status: 'SYNCED', count: 2 },
    ]);
  });

  it('is empty without reports of a control plane', () => {
    expect(buildConfigStatusCounts({})).toEqual([]);
  });
});

describe('formatPartial', () => {
  it('counts stale and gone clients', () => {
    expect(formatPartial({ stale: 1, gone: 2 })).toBe('1 client stale, 2 clients gone');
    expect(formatPartial({ stale: 0, gone: 0 })).toBe('');
    expect(formatPartial(undefined)).toBe('');
  });
});
