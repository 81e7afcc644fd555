import { describe, expect, it } from 'vitest';
import { outcomeKinds } from '@/lib/convergence/decide-client';
import { findChangedLines } from '@/lib/views/pushes/find-changed-lines';
import { layoutHops } from '@/lib/views/pushes/layout-hops';
import { countUnsettled, describePushKind, stateOfPush } from '@/lib/views/pushes/push-state';
import type { ConvergenceClient } from '@/lib/views/pushes/schema';

const none = Object.fromEntries(outcomeKinds.map((kind) => [kind, 0])) as Record<
  (typeof outcomeKinds)[number],
  number
>;

describe('the state of a push', () => {
  it.each([
    ['NACKED', { rejected: 1, accepted: 9 }],
    ['DOES_NOT_EXIST', { missing: 1, accepted: 1 }],
    ['TIMEOUT', { silent: 1, behind: 1 }],
    ['NO_ANSWER', { behind: 1, accepted: 1 }],
    ['ACKED', { accepted: 1, already: 3 }],
    ['UNKNOWN', { 'joined-later': 1 }],
  ] as const)('is %s', (state, some) => {
    const counts = { ...none, ...some };
    expect(stateOfPush({ counts, accepted: counts.accepted, total: 10 })).toBe(state);
  });

  it('counts clients that wait or are stuck, without those that NACKed', () => {
    expect(countUnsettled({ counts: { ...none, rejected: 4, behind: 2, silent: 1 } })).toBe(3);
  });

  it('marks redundant pushes and reverts', () => {
    expect(describePushKind({ kind: 'redundant', revertsTo: undefined })).toBe('redundant');
    expect(describePushKind({ kind: 'revert', revertsTo: '17' })).toBe('revert to 17');
    expect(describePushKind({ kind: 'changed', revertsTo: undefined })).toBe('');
  });
});

describe('the changed lines of two texts', () => {
  it('are removed and added ones with a line around them', () => {
    expect(findChangedLines('a\nb\nc\nd', 'a\nb\nX\nY\nd')).toEqual([
      { kind: 'same', text: 'b' },
      { kind: 'removed', text: 'c' },
      { kind: 'added', text: 'X' },
      { kind: 'added', text: 'Y' },
      { kind: 'same', text: 'd' },
    ]);
  });

  it('are none of equal texts, and all of an absent one', () => {
    expect(findChangedLines('a', 'a')).toEqual([]);
    expect(findChangedLines('a\na', 'a')).toMatchObject([{ kind: 'same' }, { kind: 'removed', text: 'a' }]);
  });
});

describe('the lanes of hops', () => {
  const at = (ms: number) => ms;
  const client: ConvergenceClient = {
    ...{ clientId: 'c', nodeId: 'web', probe: undefined, kind: 'accepted', answer: 'ACKED' },
    ...{
      sentAt: at(1_010),
      answeredAt: at(1_100),
      controlPlaneAt: undefined,
      inEffectAt: undefined,
      recoveredAt: undefined,
    },
    ...{ reason: '', after: undefined, at: at(1_100), before: undefined, text: '', seq: 1 },
  };

  it('are one for each hop that was observed, with a mark for each message', () => {
    const probe: ConvergenceClient = {
      ...client,
      clientId: 'p',
      nodeId: 'probe',
      probe: 'delta',
      sentAt: at(1_000),
    };
    const reported: ConvergenceClient = {
      ...client,
      clientId: 'i',
      sentAt: undefined,
      controlPlaneAt: at(3_000),
    };
    const nacked: ConvergenceClient = { ...client, clientId: 'n', answer: 'NACKED', kind: 'rejected' };
    const { lanes } = layoutHops([client, probe, reported, nacked], {
      ...{ firstAt: at(1_000), widthPx: 800, leftPx: 100 },
    });
    expect(lanes.map(({ hop, count, marks }) => [hop, count, marks.map(({ what }) => what)])).toEqual([
      ['delta', 1, ['sent', 'ACKED']],
      ['controlPlane', 1, ['reported']],
      ['client', 3, ['sent', 'ACKED', 'ACKED', 'sent', 'NACKED']],
    ]);
    const [, , own] = lanes;
    const xs = own?.marks.map(({ x }) => x) ?? [];
    expect(xs[0]).toBeLessThan(xs[1] ?? 0);
    expect(own?.marks[1]?.text).toBe('web: ACKED after 100 ms');
  });

  it('show every NACK, however many clients there are', () => {
    const many = Array.from({ length: 1_000 }, (_, index): ConvergenceClient => {
      const isBad = index % 100 === 7;
      return { ...client, clientId: `c${index}`, sentAt: undefined, answer: isBad ? 'NACKED' : 'ACKED' };
    });
    const { lanes } = layoutHops(many, { firstAt: at(1_000), widthPx: 800, leftPx: 100 });
    const marks = lanes[0]?.marks ?? [];
    expect(marks.filter(({ what }) => what === 'NACKED')).toHaveLength(10);
    expect(marks.length).toBeLessThan(400);
  });
});
