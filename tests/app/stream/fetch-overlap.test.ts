import { describe, expect, it } from 'vitest';
import { FetchOverlap } from '@/app/_stream/fetch-overlap';
import type { StreamChange } from '@/lib/views/stream/schema';

const change = (clientId: string): StreamChange => ({ type: 'client-removed', clientId });

describe('FetchOverlap', () => {
  it('returns the changes that arrived during a fetch, once', () => {
    const overlap = new FetchOverlap();
    overlap.record([change('before')]);
    overlap.follow('q', true);
    overlap.record([change('during')]);
    expect(overlap.follow('q', false)).toEqual([change('during')]);
    expect(overlap.follow('q', false)).toEqual([]);
  });

  it('handles overlapping fetches', () => {
    const overlap = new FetchOverlap();
    overlap.follow('long', true);
    overlap.record([change('1')]);
    overlap.follow('short', true);
    overlap.record([change('2')]);
    expect(overlap.follow('short', false)).toEqual([change('2')]);
    overlap.record([change('3')]);
    expect(overlap.follow('long', false)).toEqual([change('1'), change('2'), change('3')]);
  });

  it('drops changes from before the oldest running fetch, even if a fetch is always running', () => {
    const overlap = new FetchOverlap();
    overlap.follow('0', true);
    for (let turn = 1; turn <= 10_000; turn++) {
      overlap.record([change(String(turn))]);
      overlap.follow(String(turn), true);
      expect(overlap.follow(String(turn - 1), false)).toEqual([change(String(turn))]);
      expect(overlap.size).toBe(0);
    }
  });

  it('returns nothing for a fetch without a known start', () => {
    expect(new FetchOverlap().follow('q', false)).toEqual([]);
  });
});
