import type { KeyboardEvent } from 'react';
import { describe, expect, it } from 'vitest';
import { handleHistoryKey } from '@/app/_drawings/history/handle-history-key';
import { historyMarks } from '@/tests/support/builders/history-marks';

const marks = historyMarks([
  { at: 10, kind: 'ack-sent' },
  { at: 20, kind: 'nack-sent' },
  { at: 30, kind: 'ack-sent' },
  { at: 40, kind: 'nack-sent' },
]);

/** What a key does, in words; undefined: the browser handles it. */
function pressed(keys: string, options: { readonly cursorMark?: number; readonly isCounted?: boolean } = {}) {
  const { cursorMark = -1, isCounted = false } = options;
  const [key = '', ...modifiers] = keys.split('+').reverse();
  const done: string[] = [];
  let isPrevented = false;
  const event = {
    key: key === '' ? '+' : key,
    shiftKey: modifiers.includes('Shift'),
    ctrlKey: modifiers.includes('Ctrl'),
    metaKey: false,
    altKey: false,
    preventDefault: () => {
      isPrevented = true;
    },
  } as KeyboardEvent<HTMLElement>;
  handleHistoryKey(event, {
    ...{ marks: isCounted ? null : marks, cursorMark, widthPx: 400 },
    onStep: (mark) => done.push(`event ${marks.seq[mark]}`),
    onOpen: () => done.push('open'),
    onMove: ({ factor, dx }) => done.push(factor === undefined ? `move ${dx}` : `zoom ${factor}`),
  });
  return isPrevented ? done.join() : undefined;
}

describe('the keys of the history drawing', () => {
  it.each([
    ['ArrowRight', 1, 'event 3'],
    ['ArrowLeft', 1, 'event 1'],
    ['ArrowDown', 1, 'event 3'],
    ['ArrowUp', 1, 'event 1'],
    ['ArrowLeft', -1, 'event 4'],
    ['n', 1, 'event 4'],
    ['Shift+N', 3, 'event 2'],
    ['Home', 2, 'event 1'],
    ['End', 0, 'event 4'],
    ['Enter', 0, 'open'],
    // There is no event behind the newest one.
    ['ArrowRight', 3, ''],
  ])('%s at mark %i: %j', (keys, cursorMark, expected) => {
    expect(pressed(keys, { cursorMark })).toBe(expected);
  });

  it.each([
    ['+', 'zoom 1.5'],
    ['-', `zoom ${1 / 1.5}`],
    ['Shift+ArrowLeft', 'move 100'],
    ['Shift+ArrowRight', 'move -100'],
  ])('%s: %s', (keys, expected) => {
    expect(pressed(keys)).toBe(expected);
  });

  it('moves the axis with the arrows where there are too many events to step through', () => {
    expect(pressed('ArrowLeft', { isCounted: true })).toBe('move 100');
    expect(pressed('ArrowRight', { isCounted: true })).toBe('move -100');
    expect(pressed('n', { isCounted: true })).toBeUndefined();
  });

  it('leaves other keys and the shortcuts of the browser alone', () => {
    expect(pressed('a')).toBeUndefined();
    expect(pressed('Ctrl+ArrowLeft')).toBeUndefined();
  });
});
