import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { PressHold } from '@/app/_stream/press-hold';

let page: EventTarget;
let hold: PressHold;
let ran: string[];
const happen = (...names: string[]) => {
  for (const name of names) point(name, 100, 100);
};
const point = (name: string, clientX: number, clientY: number, buttons = 1) =>
  page.dispatchEvent(Object.assign(new Event(name), { clientX, clientY, buttons }));
const run = (name: string) => hold.run(() => ran.push(name));

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  page = new EventTarget();
  hold = new PressHold(page);
  ran = [];
});
afterEach(() => {
  vi.useRealTimers();
});

describe('PressHold', () => {
  it('runs callbacks at once while no pointer is down', () => {
    run('a');
    happen('click');
    run('b');
    expect(ran).toEqual(['a', 'b']);
  });

  it('runs those of a press in their order, after the listeners of its click', () => {
    happen('pointerdown');
    run('a');
    run('b');
    page.addEventListener('click', () => ran.push('click'));
    happen('pointerup', 'click');
    expect(ran).toEqual(['click']);
    vi.advanceTimersByTime(1);
    expect(ran).toEqual(['click', 'a', 'b']);
  });

  it('waits for the click of a finger, which follows its release', () => {
    happen('pointerdown');
    run('a');
    happen('pointerup');
    vi.advanceTimersByTime(200);
    expect(ran).toEqual([]);
    happen('click');
    vi.advanceTimersByTime(1);
    expect(ran).toEqual(['a']);
  });

  it('ends when the pointer drags, and not when it trembles', () => {
    happen('pointerdown');
    run('a');
    point('pointermove', 105, 92);
    vi.advanceTimersByTime(1_000);
    expect(ran).toEqual([]);
    point('pointermove', 100, 114);
    vi.advanceTimersByTime(1);
    expect(ran).toEqual(['a']);
    point('pointermove', 100, 130);
    run('b');
    expect(ran).toEqual(['a', 'b']);
  });

  it.each([
    ['a release without a click', ['pointerup'], 350],
    ['a scroll', ['pointercancel'], 1],
    ['a press whose end is not reported, or that lasts long', [], 30_000],
  ])('ends after %s', (_, events, afterMs) => {
    happen('pointerdown');
    run('a');
    happen(...events);
    vi.advanceTimersByTime(afterMs - 1);
    expect(ran).toEqual([]);
    vi.advanceTimersByTime(2);
    expect(ran).toEqual(['a']);
  });

  it('ends after a release outside the window, when the pointer moves without a button', () => {
    happen('pointerdown');
    run('a');
    point('pointermove', 100, 100, 0);
    vi.advanceTimersByTime(351);
    expect(ran).toEqual(['a']);
  });

  it('holds on if the pointer is pressed again before they run', () => {
    happen('pointerdown');
    run('a');
    happen('pointerup', 'click');
    vi.advanceTimersToNextTimer();
    happen('pointerdown');
    vi.advanceTimersByTime(1_000);
    expect(ran).toEqual([]);
    happen('pointerup', 'click');
    vi.advanceTimersByTime(2);
    expect(ran).toEqual(['a']);
  });
});
