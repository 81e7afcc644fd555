import { expect, it } from 'vitest';
import type { Recorded } from '@/lib/observation/observation';
import { buildHistoryEvent } from '@/lib/views/history/build-history-event';
import type { HistoryDetail, HistoryResource } from '@/lib/views/history/schema';
import { splitRejection } from '@/lib/views/history/split-rejection';
import { CDS } from '@/lib/xds/resource-type';
import { nacked } from '../../../support/push-story';

const context = {
  nodeIdOf: () => 'shop',
  findSource: () => undefined,
  pairSeq: undefined,
  pairMs: undefined,
};

function detailOf(errorDetail: string): Pick<HistoryDetail, 'event' | 'resources'> {
  const nack: Recorded = {
    ...nacked({ clientId: 'c', at: 1, version: '7', hash: 'aa' }, errorDetail),
    seq: 1,
  };
  const item: HistoryResource = {
    change: 'rejected',
    ...{ typeUrl: CDS.typeUrl, service: 'CDS', name: 'cart', versionInfo: '7' },
    ...{ hash: 'aa', sizeBytes: 9, clientStatus: 'NACKED', errorText: errorDetail, before: undefined },
  };
  return {
    event: buildHistoryEvent(nack, context),
    resources: { items: [item], total: 1, offset: 0, limit: 100 },
  };
}

it('splitRejection() returns the error text once, and whole where the line cuts it', () => {
  const long = `cluster: ${'too long '.repeat(60)}`;
  expect(splitRejection(detailOf(long))).toEqual({ heading: 'NACK of CDS "7": cart', errorText: long });
  expect(splitRejection(detailOf('bad')).errorText).toBe('bad');
});

it('splitRejection() returns the line of other events as it is', () => {
  const { event, resources } = detailOf('bad');
  const ack = { ...event, kind: 'ack-sent', text: 'ACK of CDS "7"', errorText: undefined } as const;
  expect(splitRejection({ event: ack, resources })).toEqual({
    heading: 'ACK of CDS "7"',
    errorText: undefined,
  });
});
