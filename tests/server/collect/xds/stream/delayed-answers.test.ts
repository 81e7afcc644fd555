import { describe, expect, test } from 'vitest';
import { CDS, EDS } from '@/lib/xds/resource-type';
import { DelayedAnswers } from '@/server/collect/xds/stream/delayed-answers';
import { ManualClock } from '../../../../support/recorder-manual-clock';

describe('DelayedAnswers', () => {
  function held() {
    const clock = new ManualClock();
    const sent: string[] = [];
    const answers = new DelayedAnswers(clock);
    /** The n-th response that changed nothing. */
    const repeat = (n: number, isDelta = false, typeUrl = CDS.typeUrl) =>
      answers.acceptRepeat(typeUrl, isDelta, (repeats) => sent.push(`${n}: ${repeats}`));
    const repeatAll = (from: number, to: number, isDelta = false) => {
      for (let n = from; n <= to; n++) repeat(n, isDelta);
    };
    return { clock, sent, answers, repeat, repeatAll };
  }

  test('acknowledges ten unchanged responses of a second at once, and reports each', () => {
    const { sent, repeatAll } = held();
    repeatAll(1, 10);
    expect(sent).toEqual(Array.from({ length: 10 }, (_, index) => `${index + 1}: 1`));
  });

  test('acknowledges the newest of the others after the second, and reports it once with their number', () => {
    const { clock, sent, repeatAll } = held();
    repeatAll(1, 500);
    expect(sent).toHaveLength(10);
    clock.advance(1_000);
    expect(sent.slice(10)).toEqual(['500: 490']);
    repeatAll(501, 501);
    expect(sent.at(-1)).toBe('501: 1');
  });

  test('acknowledges each of the others in delta, and reports the last', () => {
    const { clock, sent, repeatAll } = held();
    repeatAll(1, 13, true);
    clock.advance(1_000);
    expect(sent.slice(10)).toEqual(['11: 0', '12: 0', '13: 3']);
  });

  test('sends delayed ACKs before the ACK of a change', () => {
    const { clock, sent, answers, repeatAll } = held();
    repeatAll(1, 12);
    answers.acceptNews(CDS.typeUrl, false, () => sent.push('news'));
    expect(sent.slice(10)).toEqual(['12: 2', 'news']);
    clock.advance(5_000);
    expect(sent).toHaveLength(12);
  });

  test('delays each type separately', () => {
    const { sent, repeat, repeatAll } = held();
    repeatAll(1, 11);
    repeat(12, false, EDS.typeUrl);
    expect(sent.at(-1)).toBe('12: 1');
  });

  test('sends no NACK that a newer ACK replaces in state of the world, but does in delta', () => {
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

  describe('repeated NACKs of the same content', () => {
    function rejections(isDelta: boolean) {
      const { clock, sent, answers } = held();
      const reject = (n: number, content: string | null = 'same') => {
        const isRepeat = answers.isRejectedAgain(CDS.typeUrl, content);
        const rejection = { version: 'v', errorDetail: 'bad', isRepeat };
        answers.reject(CDS.typeUrl, isDelta, rejection, (repeats) => sent.push(`${n}: ${repeats}`));
      };
      return { clock, sent, answers, reject };
    }

    test('are all sent in delta, and reported once with their number', () => {
      const { clock, sent, reject } = rejections(true);
      for (let n = 1; n <= 4; n++) reject(n);
      expect(sent).toEqual(['1: 1']);
      clock.advance(500);
      expect(sent.slice(1)).toEqual(['2: 0', '3: 0', '4: 3']);
    });

    test('are sent and reported for the newest response in state of the world', () => {
      const { clock, sent, reject } = rejections(false);
      for (let n = 1; n <= 4; n++) reject(n);
      clock.advance(500);
      expect(sent).toEqual(['1: 1', '4: 3']);
    });

    test('are reported when the content changes', () => {
      const { clock, sent, reject } = rejections(true);
      for (const [n, content] of ['same', 'same', 'other', 'other', null].entries()) reject(n, content);
      clock.advance(500);
      expect(sent).toEqual(['0: 1', '1: 1', '2: 1', '3: 1', '4: 1']);
    });

    test('are delayed up to a hundred in delta', () => {
      const { clock, sent, reject } = rejections(true);
      for (let n = 0; n <= 10_000; n++) reject(n);
      expect(sent).toHaveLength(1 + 9_900);
      clock.advance(500);
      expect(sent).toHaveLength(10_001);
      expect(sent.filter((each) => !each.endsWith(': 0'))).toEqual(['0: 1', '10000: 10000']);
    });

    test('start anew after an ACK', () => {
      const { clock, sent, answers, reject } = rejections(true);
      reject(1);
      answers.acceptNews(CDS.typeUrl, true, () => sent.push('ack'));
      reject(2);
      expect(sent).toEqual(['1: 1', 'ack', '2: 1']);
      expect(clock.waiting).toBe(0);
    });
  });

  test('dropAll discards delayed ACKs and NACKs', () => {
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
