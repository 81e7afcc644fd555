import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compareEffect } from '@/lib/views/check/compare-effect';
import type { EffectLine } from '@/lib/views/check/list-effect';

const route = (at: string, text: string): EffectLine => ({ what: 'route', at, text });

describe('compareEffect', () => {
  it('lists what differs, is new or is gone, and nothing else', () => {
    const before = [route('/a', 'one'), route('/b', 'two'), route('/c', 'three')];
    const after = [route('/d', 'four'), route('/b', 'two'), route('/a', 'five')];
    expect(compareEffect(before, after)).toEqual([
      { what: 'route', at: '/d', after: 'four' },
      { what: 'route', at: '/a', before: 'one', after: 'five' },
      { what: 'route', at: '/c', before: 'three' },
    ]);
  });

  it('compares routes with equal matches by their order', () => {
    const before = [route('/a', 'one'), route('/a', 'two')];
    expect(compareEffect(before, [route('/a', 'one'), route('/a', 'three')])).toEqual([
      { what: 'route', at: '/a', before: 'two', after: 'three' },
    ]);
  });

  it('finds nothing between equal configs, whatever they are', () => {
    const line = fc.record({
      what: fc.constantFrom('config' as const, 'chain' as const, 'route' as const, 'cluster' as const),
      at: fc.string(),
      text: fc.string(),
    });
    fc.assert(
      fc.property(fc.array(line), (lines) => {
        expect(compareEffect(lines, lines)).toEqual([]);
      }),
    );
  });
});
