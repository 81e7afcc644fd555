import { describe, expect, test } from 'vitest';
import { CDS, EDS } from '@/lib/xds/resource-type';
import { HeldAnswers } from '@/server/xds/stream/held-answers';
import { ManualClock } from '../../../support/recorder-manual-clock';

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

  test('answers ten responses of a second that change nothing at once, and reports each', () => {
    const { sent, repeatAll } = held();
    repeatAll(1, 10);
    expect(sent).toEqual(Array.from({ length: 10 }, (_, index) => `${index + 1}: 1`));
  });

  test('answers the newest of all others when the second is over, reported once with their number', () => {
    const { clock, sent, repeatAll } = held();
    repeatAll(1, 500);
    expect(sent).toHaveLength(10);
    clock.advance(1_000);
    expect(sent.slice(10)).toEqual(['500: 490']);
    repeatAll(501, 501);
    expect(sent.at(-1)).toBe('501: 1');
  });

  test('by delta answers each of them, and reports the last', () => {
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
      const reject = (n: number) =>
        answers.reject(CDS.typeUrl, isDelta, { version: 'v', errorDetail: 'bad', isRepeat: false }, () =>
          sent.push(`nack ${n}`),
        );
      reject(1);
      reject(2);
      answers.acceptNews(CDS.typeUrl, isDelta, () => sent.push('ack'));
      expect(sent).toEqual(isDelta ? ['nack 1', 'nack 2', 'ack'] : ['nack 1', 'ack']);
    }
  });

  describe('a rejection of the same thing again and again', () => {
    function rejections(isDelta: boolean) {
      const { clock, sent, answers } = held();
      const reject = (n: number, content: string | null = 'same') => {
        const isRepeat = answers.isRejectedAgain(CDS.typeUrl, content);
        const rejection = { version: 'v', errorDetail: 'bad', isRepeat };
        answers.reject(CDS.typeUrl, isDelta, rejection, (repeats) => sent.push(`${n}: ${repeats}`));
      };
      return { clock, sent, answers, reject };
    }

    test('by delta is answered each time, and reported once with their number', () => {
      const { clock, sent, reject } = rejections(true);
      for (let n = 1; n <= 4; n++) reject(n);
      expect(sent).toEqual(['1: 1']);
      clock.advance(500);
      expect(sent.slice(1)).toEqual(['2: 0', '3: 0', '4: 3']);
    });

    test('in state of the world is answered and reported by the newest', () => {
      const { clock, sent, reject } = rejections(false);
      for (let n = 1; n <= 4; n++) reject(n);
      clock.advance(500);
      expect(sent).toEqual(['1: 1', '4: 3']);
    });

    test('reports what is different in between', () => {
      const { clock, sent, reject } = rejections(true);
      for (const [n, content] of ['same', 'same', 'other', 'other', null].entries()) reject(n, content);
      clock.advance(500);
      expect(sent).toEqual(['0: 1', '1: 1', '2: 1', '3: 1', '4: 1']);
    });

    test('by delta keeps no more than a hundred of them, however many come', () => {
      const { clock, sent, reject } = rejections(true);
      for (let n = 0; n <= 10_000; n++) reject(n);
      expect(sent).toHaveLength(1 + 9_900);
      clock.advance(500);
      expect(sent).toHaveLength(10_001);
      expect(sent.filter((each) => !each.endsWith(': 0'))).toEqual(['0: 1', '10000: 10000']);
    });

    test('is a first one after something was accepted', () => {
      const { clock, sent, answers, reject } = rejections(true);
      reject(1);
      answers.acceptNews(CDS.typeUrl, true, () => sent.push('ack'));
      reject(2);
      expect(sent).toEqual(['1: 1', 'ack', '2: 1']);
      expect(clock.waiting).toBe(0);
    });
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
