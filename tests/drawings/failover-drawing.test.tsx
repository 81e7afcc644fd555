import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import { FlowDrawing } from '@/app/_drawings/failover/flow-drawing';
import { LbTreeDrawing } from '@/app/_drawings/failover/lb-tree-drawing';
import { PeriodsDrawing } from '@/app/_drawings/failover/periods-drawing';
import { trafficOfCluster } from '@/lib/lb/simulator/traffic-of-cluster';
import { buildFlow, type FlowSide } from '@/lib/views/failover/build-flow';
import { buildLbTreeNode } from '@/lib/views/failover/build-lb-tree-node';
import { buildSimulation } from '@/lib/views/failover/build-simulation';
import { layoutFlow } from '@/lib/views/failover/layout-flow';
import { layoutLbTree } from '@/lib/views/failover/layout-lb-tree';
import { layoutPeriods, periodsOf } from '@/lib/views/failover/layout-periods';
import { newestOf } from '@/lib/xds/profile';
import { lbTreeOf } from '../support/builders/lb-tree';
import { resolverOver } from '../support/builders/resolve-mesh';
import {
  apiListener,
  edsCluster,
  endpoints,
  type MeshResource,
  routeConfig,
} from '../support/builders/topology-mesh';

const cart: readonly MeshResource[] = [
  edsCluster('cart'),
  endpoints('cart', [
    { zone: 'a', weight: 2, endpoints: ['10.0.0.1:80', '10.0.0.2:80'] },
    { zone: 'b', weight: 1, endpoints: ['10.0.0.3:80'] },
    { zone: 'z', weight: 0, endpoints: ['10.0.0.4:80'] },
    { zone: 'c', priority: 1, endpoints: ['10.0.1.1:80', '10.0.1.2:80 UNHEALTHY'] },
  ]),
];

function flowOf(side: FlowSide) {
  const mesh = [apiListener('shop', { rds: 'r' }), routeConfig('r', { '': 'cart' }), ...cart];
  const resolver = resolverOver(mesh);
  const traffic = trafficOfCluster('cart', newestOf('core'), (name) => resolver.findCluster(name));
  if (typeof traffic === 'string') throw new Error(traffic);
  const dead = ['10.0.0.1:80', '10.0.0.3:80'].map((address) => ({
    kind: 'condition' as const,
    at: 0,
    target: { address },
    to: 'dead' as const,
  }));
  const simulation = buildSimulation(traffic, dead, 60);
  const [moment] = simulation.moments;
  if (moment === undefined) throw new Error('expected a moment, got none');
  return buildFlow(simulation, moment, side);
}

test.each(['grpc', 'envoy'] as const)('FlowDrawing draws the flow of %s', async (side) => {
  const svg = renderToStaticMarkup(<FlowDrawing layout={layoutFlow(flowOf(side), 620)} label="flow" />);
  await expect(svg).toMatchFileSnapshot(`flow-drawing-${side}.svg`);
});

test('LbTreeDrawing draws policies and endpoints, ignored ones in grey', async () => {
  const tree = buildLbTreeNode(lbTreeOf('core', 'cart', cart));
  const layout = layoutLbTree(tree, 640);
  const drawing = (
    <LbTreeDrawing layout={layout} selected={tree.id} onSelect={() => undefined} label="tree" />
  );
  await expect(renderToStaticMarkup(drawing)).toMatchFileSnapshot('lb-tree-drawing.svg');
});

test('layoutFlow: bars of a column do not overlap, and ribbons are as thick as their bar', () => {
  for (const widthPx of [300, 620, 1_200])
    for (const side of ['grpc', 'envoy'] as const) {
      const { bars, ribbons, heightPx } = layoutFlow(flowOf(side), widthPx);
      for (const x of new Set(bars.map((bar) => bar.x))) {
        const column = bars.filter((bar) => bar.x === x).sort((a, b) => a.y - b.y);
        column.forEach((bar, at) => {
          const next = column[at + 1];
          if (next !== undefined) expect(bar.y + bar.height).toBeLessThanOrEqual(next.y);
          expect(bar.y).toBeGreaterThanOrEqual(0);
          expect(bar.y + bar.height).toBeLessThanOrEqual(heightPx);
        });
      }
      for (const { key, thickness } of ribbons)
        expect(bars.find((bar) => bar.key === key)?.height).toBeCloseTo(Math.max(2, thickness), 6);
    }
});

test('layoutLbTree: rows do not overlap, whatever the width', () => {
  const tree = buildLbTreeNode(lbTreeOf('core', 'cart', cart));
  for (const widthPx of [300, 640, 1_400]) {
    const { rows, links, heightPx } = layoutLbTree(tree, widthPx);
    expect(new Set(rows.map(({ key }) => key)).size).toBe(rows.length);
    expect(links).toHaveLength(rows.length - 1);
    rows.forEach(({ x, y }, at) => {
      expect(x).toBeLessThan(widthPx * 0.45);
      expect(y).toBeGreaterThan(rows[at - 1]?.y ?? 0);
      expect(y).toBeLessThan(heightPx);
    });
  }
});

test('PeriodsDrawing draws the priorities with traffic over time', async () => {
  const period = (minute: number, grpc: string | undefined, envoy: number[]) => ({
    turn: 'other' as const,
    fromAt: minute * 60_000,
    toAt: minute === 9 ? undefined : (minute + 3) * 60_000,
    priorities: ['P0', 'P1'],
    grpc,
    envoy,
    grpcSentences: [],
    envoySentences: [],
  });
  const periods = [
    period(0, 'P0', [100, 0]),
    period(3, 'P0', [46, 54]),
    period(6, undefined, [0, 100]),
    period(9, 'P1', [0, 100]),
  ];
  const measured = {
    from: 0,
    stepMs: 60_000,
    lines: [
      { priority: 0, values: [10, 10, 10, 5, 5, 5, null, 0, 0, 0, 0, 0] },
      { priority: 1, values: [null, null, null, 5, 5, 5, null, 0, 0, 10, 10, 10] },
    ],
  };
  const layout = layoutPeriods(periods, 12 * 60_000, 600, ['grpc', 'envoy'], measured);
  expect(layout.blocks.flatMap(({ key, title }) => (key.startsWith('measured') ? [title] : []))).toEqual([
    'measured: P0 100%',
    'measured: P0 50%, P1 50%',
    'measured: P0 50%, P1 50%',
    'measured: P1 100%',
  ]);
  expect(layout.blocks.filter(({ key }) => key.endsWith(' grpc')).map(({ priority }) => priority)).toEqual([
    0, 0, -1, 1,
  ]);
  // The names of priorities of an aggregate contain the leaf cluster.
  const leaves = periods.map((each) => ({ ...each, priorities: ['near P0', 'far P0'], grpc: 'far P0' }));
  const named = layoutPeriods(leaves, 12 * 60_000, 600, ['grpc', 'envoy'], measured).blocks;
  // A block of 46% is too low for a label.
  expect(new Set(named.map(({ label }) => label))).toEqual(new Set(['near P0', 'far P0', '']));
  expect(named.filter(({ label }) => label === '')).toHaveLength(1);
  expect(named.find(({ key }) => key.startsWith('measured'))?.title).toBe('measured: near P0 100%');
  expect(
    layoutPeriods(leaves, 12 * 60_000, 120, ['grpc', 'envoy']).blocks.every(({ label }) => label === ''),
  ).toBe(true);
  const svg = renderToStaticMarkup(
    <PeriodsDrawing layout={layout} label="periods" formatTime={(at) => `${at / 60_000} min`} />,
  );
  await expect(svg).toMatchFileSnapshot('periods-drawing.svg');
  // gRPC did not move at minute 3.
  expect(periodsOf(periods, ['grpc']).map(({ grpc, toAt }) => [grpc, toAt])).toEqual([
    ['P0', periods[1]?.toAt],
    [undefined, periods[2]?.toAt],
    ['P1', undefined],
  ]);
  expect(periodsOf(periods, ['envoy']).map(({ envoy }) => envoy.join('/'))).toEqual([
    '100/0',
    '46/54',
    '0/100',
  ]);
  expect(layoutPeriods(periods, 12 * 60_000, 600, ['grpc']).lanes.map(({ label }) => label)).toEqual([
    'gRPC',
  ]);
  expect(layoutPeriods([], 0, 300, ['grpc']).blocks).toEqual([]);
});
