import { expect, it } from 'vitest';
import type { HistoryDetail, HistoryResource } from '@/lib/api/history';
import type { Recorded } from '@/lib/observation/observation';
import { buildHistoryEvent } from '@/lib/view-model/history/build-history-event';
import { splitRefusal } from '@/lib/view-model/history/split-refusal';
import { CDS } from '@/lib/xds/resource-type';
import { nacked } from '../../../support/push-story';

const context = { nodeIdOf: () => 'shop', pairSeq: null, pairMs: null };

function detailOf(errorDetail: string): Pick<HistoryDetail, 'event' | 'resources'> {
  const nack: Recorded = {
    ...nacked({ clientId: 'c', at: 1, version: '7', hash: 'aa' }, errorDetail),
    seq: 1,
  };
  const item: HistoryResource = {
    change: 'refused',
    ...{ typeUrl: CDS.typeUrl, service: 'CDS', name: 'cart', versionInfo: '7' },
    ...{ hash: 'aa', sizeBytes: 9, clientStatus: 'NACKED', errorText: errorDetail, before: null },
  };
  return {
    event: buildHistoryEvent(nack, context),
    resources: { items: [item], total: 1, offset: 0, limit: 100 },
  };
}

it('splitRefusal() says the words once, and whole, where the line of the log cuts them', () => {
  const long = `cluster: ${'too long '.repeat(60)}`;
  expect(splitRefusal(detailOf(long))).toEqual({ heading: 'NACK of CDS "7": cart', words: long });
  expect(splitRefusal(detailOf('bad')).words).toBe('bad');
});

it('splitRefusal() leaves other events as their line says them', () => {
  const { event, resources } = detailOf('bad');
  const ack = { ...event, kind: 'ack-sent', text: 'ACK of CDS "7"', errorText: null } as const;
  expect(splitRefusal({ event: ack, resources })).toEqual({ heading: 'ACK of CDS "7"', words: null });
});
