import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { mergeTargets } from '@/lib/views/history/merge-targets';

const bar = (x: number, width: number) => ({ x, width });
const shape = (marks: [number, number][], trackPx = 300) =>
  mergeTargets(
    marks.map(([x, width]) => bar(x, width)),
    trackPx,
  ).map(({ x, width, marks: inside }) => [x, width, inside.length]);

describe('mergeTargets', () => {
  it.each([
    ['one mark in the middle of its target', [[100, 4]], [[90, 24, 1]]],
    ['a wide mark as it is', [[100, 60]], [[100, 60, 1]]],
    [
      'two marks with room',
      [
        [100, 4],
        [124, 4],
      ],
      [
        [90, 24, 1],
        [114, 24, 1],
      ],
    ],
    [
      'two marks without',
      [
        [100, 4],
        [110, 4],
      ],
      [[90, 34, 2]],
    ],
    [
      'a chain',
      [
        [100, 4],
        [120, 4],
        [140, 4],
      ],
      [[90, 64, 3]],
    ],
    [
      'a short mark at the end of a long one',
      [
        [100, 60],
        [158, 4],
      ],
      [[100, 72, 2]],
    ],
    [
      'a mark at each edge of the track',
      [
        [-3, 4],
        [299, 4],
      ],
      [
        [0, 24, 1],
        [276, 24, 1],
      ],
    ],
    ['no marks', [], []],
  ] as [string, [number, number][], number[][]][])('%s', (_, marks, expected) => {
    expect(shape(marks)).toEqual(expected);
  });

  it('makes targets of at least 24 px within the track, without overlaps, around all marks', () => {
    const x = fc.double({ min: -50, max: 900, noNaN: true });
    const marks = fc.array(fc.record({ x, width: fc.double({ min: 0, max: 400, noNaN: true }) }), {
      maxLength: 60,
    });
    fc.assert(
      fc.property(marks, fc.integer({ min: 24, max: 800 }), (all, trackPx) => {
        const visible = all.filter((mark) => mark.x <= trackPx && mark.x + mark.width >= 0);
        const targets = mergeTargets(visible, trackPx);
        let end = 0;
        for (const { x, width, marks: inside } of targets) {
          expect(x).toBeGreaterThanOrEqual(end);
          expect(width).toBeGreaterThan(23.999);
          end = x + width;
          for (const mark of inside) {
            expect(Math.max(0, mark.x)).toBeGreaterThanOrEqual(x - 0.001);
            expect(Math.min(trackPx, mark.x + mark.width)).toBeLessThanOrEqual(end + 0.001);
          }
          expect(inside).toEqual([...inside].sort((a, b) => a.x - b.x));
        }
        expect(end).toBeLessThanOrEqual(trackPx + 0.001);
        expect(new Set(targets.flatMap(({ marks: inside }) => inside))).toEqual(new Set(visible));
      }),
    );
  });
});
