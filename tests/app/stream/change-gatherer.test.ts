import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ChangeGatherer } from '@/app/_stream/change-gatherer';
import type { StreamChange } from '@/lib/views/stream/schema';

/** A browser tab: it draws frames only while it is visible. */
class Tab extends EventTarget {
  visibilityState = 'visible';
  frames = new Map<number, () => void>();
  numbers = 0;

  become(state: 'visible' | 'hidden'): void {
    this.visibilityState = state;
    this.dispatchEvent(new Event('visibilitychange'));
  }

  drawFrame(): void {
    if (this.visibilityState === 'hidden') return;
    const due = [...this.frames.values()];
    this.frames.clear();
    for (const callback of due) callback();
  }
}

let tab: Tab;
let flushed: number[];
let gatherer: ChangeGatherer;
const changes = (count: number): StreamChange[] =>
  Array.from({ length: count }, (_, index) => ({ type: 'client-removed', clientId: String(index) }));

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  tab = new Tab();
  vi.stubGlobal('document', tab);
  vi.stubGlobal('requestAnimationFrame', (callback: () => void) => {
    tab.frames.set(++tab.numbers, callback);
    return tab.numbers;
  });
  vi.stubGlobal('cancelAnimationFrame', (frame: number) => tab.frames.delete(frame));
  flushed = [];
  gatherer = new ChangeGatherer((gathered) => flushed.push(gathered.length));
});
afterEach(() => {
  gatherer.close();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

describe('ChangeGatherer', () => {
  it('passes on changes once per frame', () => {
    gatherer.add(changes(2));
    gatherer.add(changes(3));
    tab.drawFrame();
    tab.drawFrame();
    expect(flushed).toEqual([5]);
  });

  it('passes on changes once per second while the tab is hidden, as it has no frames', () => {
    gatherer.add(changes(1));
    tab.become('hidden');
    for (let turn = 0; turn < 1_000; turn++) {
      gatherer.add(changes(10));
      tab.drawFrame();
      vi.advanceTimersByTime(1_000);
    }
    expect(flushed).toHaveLength(1_000);
    expect(flushed.reduce((sum, count) => sum + count, 0)).toBe(10_001);
    expect(Math.max(...flushed)).toBe(11);
  });

  it('waits for a frame again once the tab is visible, and passes on nothing twice', () => {
    tab.become('hidden');
    gatherer.add(changes(4));
    tab.become('visible');
    tab.drawFrame();
    vi.advanceTimersByTime(1_000);
    expect(flushed).toEqual([4]);
  });
});
