import { describe, expect, it } from 'vitest';
import { layoutRejectionSpans } from '@/lib/views/nacks/layout-rejection-span';

const client = (clientId: string, first: number, last: number, ended: number | null) => ({
  clientId,
  firstAt: first,
  lastAt: last,
  state: ended === null ? ('open' as const) : ('resolved' as const),
  gone: undefined,
  ended: ended === null ? undefined : { at: ended, seq: 1, by: { kind: 'removed' as const } },
});

describe('layoutRejectionSpans', () => {
  it('places all clients on one axis, from the first NACK to now', () => {
    const spans = layoutRejectionSpans([client('a', 0, 50, 50), client('b', 50, 60, null)], 100, 104);
    expect(spans).toMatchObject([
      { clientId: 'a', fromPx: 0, toPx: 54, lastPx: 52, state: 'resolved' },
      { clientId: 'b', fromPx: 50, toPx: 104, lastPx: 62, state: 'open' },
    ]);
  });

  it('stays within the axis, whatever the clocks report', () => {
    const spans = layoutRejectionSpans([client('a', 500, 700, 300), client('b', 900, 100, null)], 200, 100);
    for (const { fromPx, toPx, lastPx } of spans) {
      for (const px of [fromPx, toPx, lastPx]) {
        expect(px).toBeGreaterThanOrEqual(0);
        expect(px).toBeLessThanOrEqual(100);
      }
      expect(toPx).toBeGreaterThan(fromPx);
    }
  });

  it('has a minimum width', () => {
    expect(layoutRejectionSpans([client('a', 5, 5, 5)], 5, 100)[0]?.toPx).toBeGreaterThan(0);
  });
});
