import { describe, expect, it } from 'vitest';
import type { NotableEvent } from '@/lib/views/events/schema';
import { groupEvents } from '@/lib/views/overview/group-events';
import { CDS } from '@/lib/xds/resource-type';
import { notableEvent } from '../../../support/builders/fleet-fixtures';

const reported = (kind: string, sourceId: string, second: number): NotableEvent =>
  notableEvent({
    seq: second,
    kind,
    sourceId,
    ...{ clientId: undefined, typeUrl: undefined, resourceName: undefined, status: undefined },
    at: 1_700_000_000_000 + second * 1000,
  });
const words = (events: readonly NotableEvent[]) =>
  groupEvents(events).map((line) =>
    line.kind === 'event'
      ? line.event.kind
      : line.kind === 'rejections'
        ? `rejected ${line.times} times: ${line.events.map(({ seq }) => seq).join(' ')}`
        : `${line.up} up (${line.recovered} recovered), ${line.down} down, ${line.closed} closed: ${line.events.length}`,
  );

describe('groupEvents', () => {
  it('makes one line of sources that connected or disconnected together, by the newest event of each', () => {
    expect(
      words([
        reported('source-up', 'a', 5),
        reported('source-up', 'b', 4),
        reported('source-down', 'c', 3),
        reported('source-down', 'a', 2),
      ]),
    ).toEqual(['2 up (1 recovered), 1 down, 0 closed: 4']);
  });

  it('counts the streams that ended with them', () => {
    expect(
      words([
        reported('source-up', 'a', 5),
        reported('stream-closed', 'b', 4),
        reported('stream-closed', 'b', 4),
      ]),
    ).toEqual(['1 up (0 recovered), 0 down, 2 closed: 3']);
  });

  it('does not group one or two', () => {
    expect(words([reported('source-up', 'a', 5), reported('source-down', 'a', 2)])).toEqual([
      'source-up',
      'source-down',
    ]);
  });

  it('does not group across another event, or more than a minute apart', () => {
    const run = ['a', 'b', 'c'].map((id) => reported('source-down', id, 200));
    const later = ['a', 'b', 'c'].map((id) => reported('source-up', id, 100));
    expect(words([...run, ...later])).toEqual([
      '0 up (0 recovered), 3 down, 0 closed: 3',
      '3 up (0 recovered), 0 down, 0 closed: 3',
    ]);
    const nack = reported('client-config-changed', 'x', 200);
    expect(words([...run, nack, reported('source-up', 'd', 199)])).toEqual([
      '0 up (0 recovered), 3 down, 0 closed: 3',
      'client-config-changed',
      'source-up',
    ]);
  });

  const rejected = (sourceId: string, second: number, change: Partial<NotableEvent> = {}): NotableEvent => ({
    ...reported('nack-sent', sourceId, second),
    clientId: 'c1',
    typeUrl: CDS.typeUrl,
    resourceName: 'cart',
    status: 'NACKED',
    text: 'CDS cart NACKED: no such cipher, version v7',
    ...change,
  });

  it('makes one line of equal NACKs at the place of the newest, even with other events between them', () => {
    const other = rejected('tap', 3, { resourceName: 'stock', text: 'CDS stock NACKED: no such cipher' });
    const text = 'CDS cart NACKED: no such cipher, version v8';
    expect(words([rejected('tap', 9, { text }), other, rejected('tap', 2), rejected('tap', 1)])).toEqual([
      'rejected 3 times: 9 2 1',
      'nack-sent',
    ]);
  });

  it('counts a NACK once that a tap and a poll report', () => {
    expect(words([rejected('csds', 2), rejected('tap', 1)])).toEqual(['rejected 1 times: 2 1']);
  });

  it('starts a new line after a resolution, for another text and for another client', () => {
    const resolved = rejected('tap', 5, { status: 'ACKED', text: 'CDS cart is ACKED again' });
    const otherwise = rejected('tap', 3, { text: 'CDS cart NACKED: no such certificate' });
    const elsewhere = rejected('tap', 1, { clientId: 'c2' });
    expect(
      words([rejected('tap', 6), resolved, rejected('tap', 4), otherwise, rejected('tap', 2), elsewhere]),
    ).toEqual(Array(6).fill('nack-sent'));
  });
});
