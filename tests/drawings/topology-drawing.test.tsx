import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import { TopologyDrawing, type TopologyDrawingProps } from '@/app/_drawings/topology/topology-drawing';
import { aggregateTopology } from '@/lib/views/graph/aggregate-topology';
import { buildTopology } from '@/lib/views/graph/build-topology';
import { layoutTopology } from '@/lib/views/graph/layout-topology';
import { CDS, LDS } from '@/lib/xds/resource-type';
import {
  aggregateCluster,
  apiListener,
  edsCluster,
  endpoints,
  type MeshResource,
  routeConfig,
  topologyInput,
} from '../support/builders/topology-mesh';

const nothing = (): void => undefined;

function draw(
  resources: readonly MeshResource[],
  props: Partial<TopologyDrawingProps> = {},
  limit?: number,
): string {
  const layout = layoutTopology(aggregateTopology(buildTopology(topologyInput(resources)), { limit }));
  return renderToStaticMarkup(
    <TopologyDrawing
      layout={layout}
      selectedId={null}
      hoveredId={null}
      matches={null}
      find=""
      onSelect={nothing}
      onHover={nothing}
      onExpand={nothing}
      transform={undefined}
      onTransform={nothing}
      {...props}
    />,
  );
}

const errorState = {
  details: 'domains: empty',
  versionInfo: 'v2',
  lastUpdateAttempt: null,
  failedHash: null,
};
const shop: MeshResource[] = [
  apiListener('shop', { rds: 'shop-routes' }),
  { typeUrl: LDS.typeUrl, name: 'gone', clientStatus: 'DOES_NOT_EXIST' },
  {
    ...routeConfig('shop-routes', { '/cart': { 'cart-v1': 80, 'cart-v2': 20 }, '/pay': 'pay', '': 'lost' }),
    clientStatus: 'NACKED',
    errorState,
  },
  edsCluster('cart-v1', 'a-name-that-is-longer-than-its-box/and-ends-in/cart-v1'),
  { typeUrl: CDS.typeUrl, name: 'cart-v2', clientStatus: 'REQUESTED' },
  aggregateCluster('pay', ['pay-near', 'pay-far']),
  edsCluster('pay-near'),
  edsCluster('pay-far'),
  endpoints('a-name-that-is-longer-than-its-box/and-ends-in/cart-v1', [
    {
      zone: 'a',
      weight: 3,
      endpoints: Array.from(
        { length: 14 },
        (_, index) => `10.0.0.${index + 1}:80${index === 7 ? ' UNHEALTHY' : ''}`,
      ),
    },
    { zone: 'b', endpoints: ['10.0.1.1:80 DRAINING'] },
    { zone: 'a', priority: 1, endpoints: ['10.0.2.1:80 UNKNOWN'] },
  ]),
  endpoints('pay-near', [{ zone: 'a', endpoints: ['10.0.3.1:443 TIMEOUT'] }]),
  endpoints('pay-far', [{ zone: 'b', endpoints: ['10.0.4.1:443'] }]),
];

test('TopologyDrawing draws a small mesh with every kind of problem', async () => {
  const svg = draw(shop, { selectedId: 'cluster:pay' }, 38);
  await expect(svg).toMatchFileSnapshot('topology-drawing.svg');
});

test('TopologyDrawing gives each node a role and a name with its status, and Tab reaches one node', () => {
  const svg = draw(shop);
  expect(svg).toContain('role="button"');
  expect(svg).toContain(
    'aria-label="route configuration shop-routes version v2 rejected …, NACKED; below: cluster pay-near has no healthy endpoint, version v2 rejected, last good v1 · 1 virtual host"',
  );
  expect(svg.match(/tabindex="0"/gi)).toHaveLength(1);
});

test('TopologyDrawing draws the 80 nodes that are nearest to the shown part first', () => {
  // Each cluster has a node for its endpoints.
  const names = Array.from({ length: 50 }, (_, index) => `cluster-${String(index).padStart(3, '0')}`);
  const many = names.map((name) => edsCluster(name));
  const drawn = (svg: string) => names.filter((name) => svg.includes(`data-id="cluster:${name}"`));
  expect(drawn(draw(many, {}, 1_000))).toEqual(names.slice(0, 40));
  expect(drawn(draw(many, { transform: { x: 0, y: -100_000, k: 1 } }, 1_000))).toEqual(names.slice(10));
});

test('TopologyDrawing escapes names', () => {
  const name = '"><script>alert(1)</script><foreignObject onload=x>';
  const svg = draw([{ typeUrl: CDS.typeUrl, name }]);
  expect(svg).not.toContain('<script');
  expect(svg).not.toContain('<foreignObject');
});

test('TopologyDrawing has no characters in its style sheet that the server would escape', () => {
  const [style = ''] = /<style>.*<\/style>/s.exec(draw([])) ?? [];
  expect(style).not.toContain('&');
});

test('TopologyDrawing marks what an effective config ignores by shape, outline and text, with the reason', () => {
  const marks: TopologyDrawingProps['marks'] = {
    'listener:shop': { use: 'used', reason: '' },
    'listener:gone': { use: 'unused', reason: 'not part of this resolved config' },
    'cluster:lost': { use: 'dangling', reason: 'never asked for' },
    'cluster:pay': { use: 'ignored', reason: 'an aggregate of nothing' },
  };
  const svg = draw(shop, { marks, markedBy: 'shop' });
  const classOf = (id: string) => new RegExp(`class="([^"]*)"[^>]*data-id="${id}"`).exec(svg)?.[1];
  expect(classOf('listener:shop')).toContain('use-used');
  expect(classOf('listener:gone')).toContain('use-unused');
  expect(classOf('cluster:pay')).toContain('use-ignored');
  expect(classOf('cluster:lost')).toContain('use-dangling');
  expect(svg).toContain('ignored, an aggregate of nothing"');
  expect(svg).toContain('ignored: an aggregate of nothing</title>');
  // The picture contains its style sheet and legend, so that an export has them.
  expect(svg).toContain('.topology .use-ignored .box');
  expect(svg.match(/class="badge"/g)).toHaveLength(3 + 3);
  expect(svg).toContain('in the resolved config of shop');
  expect(draw(shop)).not.toContain('class="badge"');
});
