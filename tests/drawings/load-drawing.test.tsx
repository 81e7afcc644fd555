import { renderToStaticMarkup } from 'react-dom/server';
import { describe, expect, test } from 'vitest';
import { LoadPlotDrawing } from '@/app/_drawings/load/load-plot-drawing';
import { layoutLoadGrid } from '@/lib/views/load/layout-load-grid';

const totals = {
  ...{ reports: '1', intervalMs: 10_000, successful: '1', errors: '0', dropped: '0' },
  ...{ metricCount: '0', metricSum: 0, metricNotFinite: '0', lastAt: Date.parse('2026-01-01T00:00:00.000Z') },
};
const line = (name: string, requests: (number | null)[]) => {
  return { key: { clusterName: name }, name, totals, values: { requests } };
};
const metricLine = (name: string, highest: number) => {
  return { key: { metric: name }, name, totals, values: { metric: [0, highest, 0, 0, 0, 0] } };
};
const answer = {
  ...{
    from: Date.parse('2026-01-01T00:00:00.000Z'),
    to: Date.parse('2026-01-01T00:01:00.000Z'),
    stepMs: 10_000,
  },
  groups: [line('cart', [10, 20, null, 5, null, 7]), line('user', [1, 1, 1, 1, 1, 1])],
};
const plot = { widthPx: 120, heightPx: 44 };

describe('layoutLoadGrid', () => {
  test('uses one scale per column', () => {
    const { columns, rows } = layoutLoadGrid(answer, ['requests'], plot);
    expect(columns).toEqual([{ measure: 'requests', top: '20 /s' }]);
    // 20 is at the top, and 1 at a twentieth of the height.
    expect(rows[0]?.plots[0]?.linePath).toMatch(/^M10,22L30,3M70/);
    expect(rows[1]?.plots[0]?.linePath).toMatch(/^M10,39\.1L30,39\.1/);
  });

  test('uses one scale per metric', () => {
    const metrics = { ...answer, groups: [metricLine('answer_ms', 500), metricLine('queue', 2)] };
    const { columns, rows } = layoutLoadGrid(metrics, ['metric'], plot);
    expect(columns).toEqual([{ measure: 'metric', top: null }]);
    expect(rows.map(({ plots }) => plots[0]?.top)).toEqual(['500', '2']);
    expect(rows[0]?.plots[0]?.linePath).toBe(rows[1]?.plots[0]?.linePath);
  });

  test('draws nothing for steps without a report, and a dot for a single step', () => {
    const drawn = layoutLoadGrid(answer, ['requests'], plot).rows[0]?.plots[0];
    expect(drawn?.dots.map(({ x }) => x)).toEqual([70, 110]);
    expect(drawn?.newest).toBe(7);
    expect(drawn?.values).toEqual([10, 20, null, 5, null, 7]);
  });

  test('begins with the first value of any line', () => {
    const late = [line('cart', [null, null, null, 5, null, 7]), line('user', [null, null, 1, 1, 1, 1])];
    const { steps, rows, scale } = layoutLoadGrid({ ...answer, groups: late }, ['requests'], plot);
    expect(scale.window.from).toBe(Date.parse('2026-01-01T00:00:20.000Z'));
    expect(steps.map(({ x }) => x)).toEqual([15, 45, 75, 105]);
    expect(rows[0]?.plots[0]?.values).toEqual([null, 5, null, 7]);
    const none = layoutLoadGrid({ ...answer, groups: [line('cart', [null, null])] }, ['requests'], plot);
    expect(none.scale.window.from).toBe(answer.from);
  });

  test('has steps in order of time, inside the plot', () => {
    const { steps } = layoutLoadGrid(answer, ['requests'], plot);
    expect(steps.map(({ x }) => x)).toEqual([10, 30, 50, 70, 90, 110]);
  });
});

test('LoadPlotDrawing draws one curve with the selected step', async () => {
  const drawn = layoutLoadGrid(answer, ['requests'], plot).rows[0]?.plots[0];
  if (drawn === undefined) throw new Error('expected a plot');
  const svg = renderToStaticMarkup(
    <LoadPlotDrawing plot={drawn} size={plot} label="Requests of cart: 7 /s" pointerX={30} />,
  );
  await expect(svg).toMatchFileSnapshot('load-plot-drawing.svg');
});
