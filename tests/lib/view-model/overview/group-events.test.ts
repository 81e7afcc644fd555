import { describe, expect, it } from 'vitest';
import type { NotableEvent } from '@/lib/api/schema';
import { groupEvents } from '@/lib/view-model/overview/group-events';
import { notableEvent } from '../../../support/fleet-fixtures';

const told = (kind: string, sourceId: string, second: number): NotableEvent =>
  notableEvent({
    seq: second,
    kind,
    sourceId,
    at: new Date(1_700_000_000_000 + second * 1000).toISOString(),
  });
const words = (events: readonly NotableEvent[]) =>
  groupEvents(events).map((line) =>
    line.kind === 'event'
      ? line.event.kind
      : `${line.up} up (${line.recovered} recovered), ${line.down} down, ${line.closed} closed: ${line.events.length}`,
  );

describe('groupEvents', () => {
  it('makes one line of sources that came and went together, by the newest word on each', () => {
    expect(
      words([
        told('source-up', 'a', 5),
        told('source-up', 'b', 4),
        told('source-down', 'c', 3),
        told('source-down', 'a', 2),
      ]),
    ).toEqual(['2 up (1 recovered), 1 down, 0 closed: 4']);
  });

  it('counts the streams that ended with them', () => {
    expect(
      words([told('source-up', 'a', 5), told('stream-closed', 'b', 4), told('stream-closed', 'b', 4)]),
    ).toEqual(['1 up (0 recovered), 0 down, 2 closed: 3']);
  });

  it('leaves one or two alone', () => {
    expect(words([told('source-up', 'a', 5), told('source-down', 'a', 2)])).toEqual([
      'source-up',
      'source-down',
    ]);
  });

  it('joins nothing over another event, nor over a minute', () => {
    const run = ['a', 'b', 'c'].map((id) => told('source-down', id, 200));
    const later = ['a', 'b', 'c'].map((id) => told('source-up', id, 100));
    expect(words([...run, ...later])).toEqual([
      '0 up (0 recovered), 3 down, 0 closed: 3',
      '3 up (0 recovered), 0 down, 0 closed: 3',
    ]);
    const nack = told('client-config-changed', 'x', 200);
    expect(words([...run, nack, told('source-up', 'd', 199)])).toEqual([
      '0 up (0 recovered), 3 down, 0 closed: 3',
      'client-config-changed',
      'source-up',
    ]);
  });
});
