import { expect, it } from 'vitest';
import type { IssueAt } from '@/lib/issues/issue-at';
import { CDS } from '@/lib/xds/resource-type';
import { MeasuredShare } from '@/server/issues/measured-share';
import type { LoadRecorder } from '@/server/recorder/load/load-recorder';

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
      ...{ span: { from: 0, to: 1_000 }, stepMs: null, valuesFrom: 0 },
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
