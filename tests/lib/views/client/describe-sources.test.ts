import { describe, expect, it } from 'vitest';
import { describeSources } from '@/lib/views/client/describe-sources';
import type { ClientDetail, Report } from '@/lib/views/client/schema';

type Described = Parameters<typeof describeSources>[0];

function report(over: Partial<Report> = {}): Report {
  return {
    sourceId: 'csds:127.0.0.1:1',
    vantage: 'csds',
    side: 'client',
    firstSeenAt: Date.parse('2026-01-02T03:04:05Z'),
    lastChangedAt: Date.parse('2026-01-02T03:04:05Z'),
    lastSeenAt: Date.parse('2026-01-02T03:04:05Z'),
    freshness: 'live',
    reason: '',
    resources: 1,
    ...over,
  };
}

const controlPlane = report({ sourceId: 'csds:127.0.0.1:2', side: 'control-plane' });

function typeWith(
  byConfigStatus: ClientDetail['types'][number]['byConfigStatus'],
): ClientDetail['types'][number] {
  return {
    ...{
      typeUrl: 'a',
      service: 'CDS',
      total: 1,
      byState: {},
      byConfigStatus,
      worst: undefined,
      versions: [],
    },
    ...{ lastChangedAt: undefined, sizeBytes: undefined, content: '' },
  };
}

const client: Described = { freshness: 'live', reports: [report()], types: [], duplicateNodeId: false };

describe('describeSources', () => {
  it.each<[string, Partial<Described>, ReturnType<typeof describeSources>]>([
    ['one source has nothing to agree with', {}, { kind: 'live', text: '1 source', warning: '' }],
    [
      'two sources of the client alone are not compared',
      { reports: [report(), report({ sourceId: 'x' })] },
      { kind: 'live', text: '2 sources', warning: '' },
    ],
    [
      'a control plane that reports everything SYNCED agrees',
      { reports: [report(), controlPlane], types: [typeWith({ SYNCED: 3 }), typeWith({})] },
      { kind: 'live', text: '2 sources agree', warning: '' },
    ],
    [
      'a control plane that reports nothing does not agree',
      { reports: [report(), controlPlane], types: [typeWith({})] },
      { kind: 'live', text: '2 sources', warning: '' },
    ],
    [
      'STALE and ERROR are counted',
      {
        reports: [report(), controlPlane],
        types: [typeWith({ SYNCED: 3, STALE: 2 }), typeWith({ ERROR: 1 })],
      },
      { kind: 'live', text: '2 sources', warning: '1 ERROR, 2 STALE' },
    ],
    [
      'sources that are no longer live are counted if no other is',
      { freshness: 'stale', reports: [report({ freshness: 'stale' }), report({ freshness: 'gone' })] },
      { kind: 'stale', text: '2 sources', warning: '' },
    ],
    [
      'two processes with one node ID',
      { duplicateNodeId: true, processes: ['127.0.0.1:1', '127.0.0.1:2'] },
      { kind: 'live', text: '1 source', warning: '2 processes use this node ID' },
    ],
    [
      'a file is a snapshot, whatever its freshness',
      { freshness: 'stale', reports: [report({ vantage: 'dump', freshness: 'stale' })] },
      { kind: 'snapshot', text: '', warning: '' },
    ],
  ])('%s', (_title, over, expected) => {
    expect(describeSources({ ...client, ...over })).toEqual(expected);
  });
});
