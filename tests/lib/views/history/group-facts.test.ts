import { describe, expect, it } from 'vitest';
import { groupFacts } from '@/lib/views/history/group-facts';
import type { HistoryEvent } from '@/lib/views/history/schema';

const base: HistoryEvent = {
  ...{
    seq: 1,
    at: 0,
    kind: 'client-config-changed',
    vantage: 'csds',
    sourceId: 'csds:1',
    sourceKind: 'csds',
  },
  ...{
    clientId: 'c',
    nodeId: 'web',
    streamId: undefined,
    method: undefined,
    typeUrl: undefined,
    service: undefined,
  },
  ...{
    versionInfo: undefined,
    nonce: undefined,
    errorText: undefined,
    names: ['cart'],
    nameCount: 1,
    changed: 1,
    removed: 0,
  },
  ...{ sizeBytes: undefined, tookMs: undefined, pairSeq: undefined, repeats: 1, text: '', isTrouble: false },
};

/** Seconds after the epoch. */
function event(seq: number, seconds: number, change: Partial<HistoryEvent> = {}): HistoryEvent {
  return { ...base, seq, at: seconds * 1_000, ...change };
}

function grouped(...oldestFirst: HistoryEvent[]) {
  return groupFacts(oldestFirst.toReversed()).map(({ seq, others }) => [
    seq,
    others.map((other) => other.seq),
  ]);
}

describe('groupFacts', () => {
  it('joins reports of one change by several sources at the first of them, newest first', () => {
    expect(
      grouped(
        event(1, 10),
        event(2, 12, { sourceId: 'istiod:1' }),
        event(3, 13, { names: ['search'] }),
        event(4, 14, { sourceId: 'admin:1' }),
      ),
    ).toEqual([
      [3, []],
      [1, [2, 4]],
    ]);
  });

  it('keeps apart what one source reports twice, and what is far apart', () => {
    expect(grouped(event(1, 10), event(2, 11))).toHaveLength(2);
    expect(grouped(event(1, 10), event(2, 60, { sourceId: 'istiod:1' }))).toHaveLength(2);
  });

  it.each([
    ['client', { clientId: 'd' }],
    ['kind', { kind: 'ack-sent' }],
    ['version', { versionInfo: '2' }],
    ['nonce', { nonce: 'n' }],
    ['names', { names: ['cart', 'search'], nameCount: 2 }],
    ['error', { errorText: 'bad' }],
  ] as const)('keeps events with another %s apart', (_, change) => {
    expect(
      grouped(
        event(1, 10),
        event(2, 10, {
          ...change,
          names: [...((change as Partial<HistoryEvent>).names ?? ['cart'])],
          sourceId: 'other',
        }),
      ),
    ).toHaveLength(2);
  });

  const eds = { typeUrl: 'EDS', service: 'EDS' } as const;
  const ack = { ...eds, kind: 'ack-sent', sourceId: 'tap:1', versionInfo: '5', nonce: 'n' } as const;

  it('joins an ACK with the polls that report its effect', () => {
    expect(
      grouped(
        event(1, 10, ack),
        event(2, 11, { ...eds, sourceId: 'csds:client' }),
        event(3, 12, { ...eds, sourceId: 'csds:server' }),
        event(4, 18, { ...eds, sourceId: 'istiod:1', names: [''] }),
      ),
    ).toEqual([[1, [2, 3, 4]]]);
  });

  it('keeps a poll apart from an ACK of other resources, an earlier one, or one with another result', () => {
    const other = { ...eds, sourceId: 'csds:client', names: ['search'] };
    expect(grouped(event(1, 10, ack), event(2, 11, other))).toHaveLength(2);
    expect(grouped(event(1, 10, ack), event(2, 60, { ...other, names: ['cart'] }))).toHaveLength(2);
    expect(
      grouped(event(1, 10, ack), event(2, 11, { ...other, names: ['cart'], isTrouble: true })),
    ).toHaveLength(2);
  });

  it('keeps events of sources themselves apart', () => {
    const up = { kind: 'source-up', clientId: undefined } as const;
    expect(grouped(event(1, 10, up), event(2, 10, { ...up, sourceId: 'other' }))).toHaveLength(2);
  });
});
