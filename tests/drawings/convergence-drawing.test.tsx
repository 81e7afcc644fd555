import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import { ChurnDrawing } from '@/app/_drawings/churn/churn-drawing';
import { ConvergenceDrawing } from '@/app/_drawings/pushes/convergence-drawing';
import { buildSpread } from '@/lib/convergence/build-spread';
import type { ClientOutcome } from '@/lib/convergence/decide-client';
import { formatShare } from '@/lib/format/share';
import { layoutChurn } from '@/lib/views/churn/layout-churn';
import { layoutConvergence } from '@/lib/views/pushes/layout-convergence';
import { CDS, EDS } from '@/lib/xds/resource-type';

const size = { widthPx: 640, heightPx: 240 };

function accepted(place: number, at: number, earliestAt = at): ClientOutcome {
  const rest = {
    sentAt: undefined,
    before: undefined,
    text: '',
    isProbe: false,
    sourceId: '',
    answeredAt: undefined,
    inEffectAt: undefined,
    recoveredAt: undefined,
    controlPlaneAt: undefined,
    seq: place,
  };
  return { clientId: `c${place}`, kind: 'accepted', at, earliestAt, ...rest };
}

const outcomes: ClientOutcome[] = [
  ...Array.from({ length: 18 }, (_, place) => accepted(place, 1_000 + 3 * 2 ** (place / 2))),
  accepted(18, 6_000, 2_000),
  { ...accepted(19, 0), kind: 'rejected', at: 1_010, earliestAt: null },
];

function layoutOf(list: readonly ClientOutcome[]) {
  const spread = buildSpread(list, 1_000);
  const { sure, possible, percentiles, ...rest } = spread;
  const reported = { ...rest, sure: [...sure], possible: [...possible], percentiles: [...percentiles] };
  return layoutConvergence(reported, size);
}

test('ConvergenceDrawing draws confirmed and possible acceptances, and the percentiles that were reached', async () => {
  const layout = layoutOf(outcomes);
  expect(layout.percentiles.map(({ label }) => label)).toEqual(['p50', 'p95']);
  expect(layout.end?.label).toBe('95%');
  const svg = renderToStaticMarkup(<ConvergenceDrawing layout={layout} label="19 of 20" />);
  await expect(svg).toMatchFileSnapshot('convergence-drawing.svg');
});

test('layoutConvergence keeps everything inside the plot, whatever the times are', () => {
  for (const at of [1_000, 1_000.2, 1_001, 5_000_000_000]) {
    const { plot, percentiles, xTicks, end } = layoutOf([accepted(1, at)]);
    for (const { x } of [...percentiles, ...xTicks, ...(end ? [end] : [])]) {
      expect(x).toBeGreaterThanOrEqual(plot.x);
      expect(x).toBeLessThanOrEqual(plot.x + plot.width);
    }
  }
  expect(layoutOf([])).toMatchObject({ surePath: '', percentiles: [], end: null });
});

test.each([
  [0, 4, '0'],
  [3, 4, '75'],
  [9_999, 10_000, '> 99.9'],
  [1, 100_000, '< 0.1'],
  [5, 5, '100'],
])('formatShare rounds only 0 to 0% and only all to 100%: %d of %d is %s', (part, total, text) => {
  expect(formatShare(part / total)).toBe(`${text}%`);
});

test('ChurnDrawing draws a row per type, each with its own scale', async () => {
  const bucket = (minute: number, bytes: number) => ({ at: minute * 60_000, bytes, responses: 1 });
  const types = [
    {
      typeUrl: CDS.typeUrl,
      service: 'CDS',
      bytes: 0,
      responses: 2,
      buckets: [bucket(1, 1_000), bucket(7, 4_000)],
    },
    { typeUrl: EDS.typeUrl, service: 'EDS', bytes: 0, responses: 1, buckets: [bucket(3, 2_000_000)] },
  ];
  const churn = {
    from: 0,
    until: 600_000,
    bucketMs: 60_000,
    types,
  };
  const layout = layoutChurn(churn, 640);
  expect(layout.rows.map(({ peak, bars }) => [peak, Math.max(...bars.map(({ height }) => height))])).toEqual([
    ['4.00 kB/min', 44],
    ['2.00 MB/min', 44],
  ]);
  const label = 'Bytes a minute';
  const svg = renderToStaticMarkup(
    <ChurnDrawing layout={layout} label={label} formatTick={(at) => `${at / 60_000} min`} />,
  );
  await expect(svg).toMatchFileSnapshot('churn-drawing.svg');
});
