import { describe, expect, test } from 'vitest';
import { CDS, EDS } from '@/lib/xds/resource-type';
import { HeldAnswers } from '@/server/xds/held-answers';
import { ManualClock } from '../../support/recorder-manual-clock';

describe('HeldAnswers', () => {
  function held() {
    const clock = new ManualClock();
    const sent: string[] = [];
    const answers = new HeldAnswers(clock);
    /** The n-th response that changed nothing. */
    const repeat = (n: number, isDelta = false, typeUrl = CDS.typeUrl) =>
      answers.acceptRepeat(typeUrl, isDelta, (repeats) => sent.push(`${n}: ${repeats}`));
    const repeatAll = (from: number, to: number, isDelta = false) => {
      for (let n = from; n <= to; n++) repeat(n, isDelta);
    };
    return { clock, sent, answers, repeat, repeatAll };
  }

  test('answers ten responses of a second that change nothing at once, and tells of each', () => {
    const { sent, repeatAll } = held();
    repeatAll(1, 10);
    expect(sent).toEqual(Array.from({ length: 10 }, (_, index) => `${index + 1}: 1`));
  });

  test('answers the newest of all others when the second is over, told once with their number', () => {
    const { clock, sent, repeatAll } = held();
    repeatAll(1, 500);
    expect(sent).toHaveLength(10);
    clock.advance(1_000);
    expect(sent.slice(10)).toEqual(['500: 490']);
    repeatAll(501, 501);
    expect(sent.at(-1)).toBe('501: 1');
  });

  test('by delta answers each of them, and tells of the last', () => {
    const { clock, sent, repeatAll } = held();
    repeatAll(1, 13, true);
    clock.advance(1_000);
    expect(sent.slice(10)).toEqual(['11: 0', '12: 0', '13: 3']);
  });

  test('answers what was held back before it answers news', () => {
    const { clock, sent, answers, repeatAll } = held();
    repeatAll(1, 12);
    answers.acceptNews(CDS.typeUrl, false, () => sent.push('news'));
    expect(sent.slice(10)).toEqual(['12: 2', 'news']);
    clock.advance(5_000);
    expect(sent).toHaveLength(12);
  });

  test('holds back one type and not another', () => {
    const { sent, repeat, repeatAll } = held();
    repeatAll(1, 11);
    repeat(12, false, EDS.typeUrl);
    expect(sent.at(-1)).toBe('12: 1');
  });

  test('in state of the world does not send a NACK that a newer answer overtook; by delta it does', () => {
    for (const isDelta of [false, true]) {
      const { sent, answers } = held();
      const refuse = (n: number) =>
        answers.refuse(CDS.typeUrl, isDelta, { version: 'v', errorDetail: 'bad' }, () =>
          sent.push(`nack ${n}`),
        );
      refuse(1);
      refuse(2);
      answers.acceptNews(CDS.typeUrl, isDelta, () => sent.push('ack'));
      expect(sent).toEqual(isDelta ? ['nack 1', 'nack 2', 'ack'] : ['nack 1', 'ack']);
    }
  });

  test('forgets all of it with the stream', () => {
    const { clock, sent, answers, repeatAll } = held();
    repeatAll(1, 20);
    answers.dropAll();
    expect(clock.waiting).toBe(0);
    clock.advance(5_000);
    expect(sent).toHaveLength(10);
    repeatAll(21, 21);
    expect(sent.at(-1)).toBe('21: 1');
  });
});
