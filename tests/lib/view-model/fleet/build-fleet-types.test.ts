import { describe, expect, it } from 'vitest';
import { buildFleetTypes } from '@/lib/view-model/fleet/build-fleet-types';
import { buildClientStatusCounts, buildConfigStatusCounts } from '@/lib/view-model/fleet/build-status-counts';
import { buildFleetFreshness } from '@/lib/view-model/fleet/fleet-freshness';
import { SDS } from '@/lib/xds/resource-type';
import { clientSummary } from '../../../support/fleet-fixtures';

describe('buildFleetTypes', () => {
  it('has the four types of every xDS client even when nobody is there', () => {
    expect(buildFleetTypes([]).map(({ label }) => label)).toEqual(['LDS', 'RDS', 'CDS', 'EDS']);
  });

  it('keeps the one order, foreign types last under their own name', () => {
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
  it('puts the worst first and leaves out what does not occur', () => {
    expect(buildClientStatusCounts({ ACKED: 6, NACKED: 1, TIMEOUT: 0 })).toEqual([
      { status: 'NACKED', count: 1 },
      { status: 'ACKED', count: 6 },
    ]);
    expect(buildConfigStatusCounts({ SYNCED: 2, ERROR: 1 })).toEqual([
      { status: 'ERROR', count: 1 },
      { status: 'SYNCED', count: 2 },
    ]);
  });

  it('is empty when no control plane spoke', () => {
    expect(buildConfigStatusCounts({})).toEqual([]);
  });
});

describe('buildFleetFreshness', () => {
  it('tells the newest word and who is silent', () => {
    const clients = [
      clientSummary({ lastSeenAt: '2026-01-01T00:00:00.000Z', freshness: 'stale' }),
      clientSummary({ lastSeenAt: '2026-01-01T00:00:09.000Z' }),
      clientSummary({ lastSeenAt: null, freshness: 'gone' }),
    ];
    expect(buildFleetFreshness(clients)).toEqual({
      newestAt: '2026-01-01T00:00:09.000Z',
      partial: '1 client stale, 1 client gone',
    });
  });

  it('knows no newest word of nobody', () => {
    expect(buildFleetFreshness([])).toEqual({ newestAt: null, partial: '' });
  });
});
