import { describe, expect, it } from 'vitest';
import type { IssueAt } from '@/lib/issues/issue-at';
import { addLoadTotals } from '@/lib/load/load-question';
import { CDS, EDS, LDS } from '@/lib/xds/resource-type';
import { MeasuredShare } from '@/server/live/issues/measured-share';
import type { LoadRecorder } from '@/server/live/load/load-recorder';

const issue: IssueAt = {
  record: { id: 'i1', cause: { kind: 'nack', typeUrl: CDS.typeUrl, name: 'cart', side: 'client', text: '' } },
  since: 1_000,
  resolvedAt: undefined,
  periods: [],
};

it('is read for the other readers if the first one leaves', async () => {
  const read: LoadRecorder['read'] = async (_question, signal) => {
    await new Promise(setImmediate);
    signal?.throwIfAborted();
    return {
      ...{ span: { from: 0, to: 1_000 }, stepMs: null },
      ...{ groups: [], othersCount: 0 },
    };
  };
  const share = new MeasuredShare({ read });
  const first = new AbortController();
  const left = share.find(issue, first.signal);
  const stays = share.find(issue, new AbortController().signal);
  first.abort(new Error('the page was left'));
  await expect(left).rejects.toThrow('the page was left');
  expect(await stays).toBeUndefined();
});

describe('the share of the measured requests', () => {
  /** The client `c1` sent 30 of 100 requests, 10 of them to the cluster `cart`. */
  const share = new MeasuredShare({
    async read({ cluster }) {
      const sent = cluster === undefined ? { c1: '30', c2: '70' } : cluster === 'cart' ? { c1: '10' } : {};
      return {
        ...{ span: { from: 0, to: 1_000 }, stepMs: null, othersCount: 0 },
        groups: Object.entries(sent).map(([clientId, count]) => ({
          ...{ key: { clientId }, values: {}, totals: { ...addLoadTotals([]), successful: count } },
        })),
      };
    },
  });
  const periods = [
    {
      ...{ clientId: 'c1', from: 1_000, to: undefined, end: undefined, fromSeq: null, toSeq: null },
      ...{ versionInfo: '', keepsAccepted: null, resources: 1 },
    },
  ];

  it.each([
    ['a cluster', { typeUrl: CDS.typeUrl, name: 'cart' }, { count: '10', ofAll: '100', share: 0.1 }],
    [
      'a cluster without requests',
      { typeUrl: CDS.typeUrl, name: 'web' },
      { count: '0', ofAll: '100', share: 0 },
    ],
    ['endpoints', { typeUrl: EDS.typeUrl, name: 'cart' }, { count: '10', ofAll: '100', share: 0.1 }],
    ['endpoints with another name than their cluster', { typeUrl: EDS.typeUrl, name: 'cart-eds' }, undefined],
    ['a listener, which load reports do not name', { typeUrl: LDS.typeUrl, name: 'reports' }, undefined],
    ['a whole response', { typeUrl: CDS.typeUrl, name: '' }, undefined],
    [
      'a management server: all requests of its clients',
      { kind: 'unreachable', typeUrl: '', name: 'xds:1' },
      { count: '30', ofAll: '100', share: 0.3 },
    ],
  ] as const)('is of what the issue is about: %s', async (title, cause, expected) => {
    const record = { id: title, cause: { ...issue.record.cause, ...cause } };
    expect(await share.find({ ...issue, record, periods })).toEqual(expected);
  });
});
