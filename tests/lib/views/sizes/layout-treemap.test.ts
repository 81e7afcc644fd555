import { describe, expect, it } from 'vitest';
import { estimateResponseBytes } from '@/lib/views/sizes/build-client-sizes';
import { layoutGrowth } from '@/lib/views/sizes/layout-growth';
import { layoutTreemap } from '@/lib/views/sizes/layout-treemap';
import type { SizeItem } from '@/lib/views/sizes/schema';
import { CDS, EDS } from '@/lib/xds/resource-type';

const size = { widthPx: 800, heightPx: 400 };
const item = (key: string, bytes: number, parts: SizeItem['parts'] = []): SizeItem => {
  return { key, label: key, bytes, count: 1, parts, before: undefined, clients: undefined };
};
const nothing = { items: 0, bytes: 0, largestBytes: 0 };
const part = (name: string, bytes: number) => ({ name, bytes, count: 1, parts: [] });

describe('layoutTreemap', () => {
  it('places items by size inside the drawing, with an area for the rest', () => {
    const items = [item('a', 600), item('b', 300), item('c', 50)];
    const { cells } = layoutTreemap({ items, rest: { items: 7, bytes: 50, largestBytes: 9 } }, size);
    expect(cells.map(({ key, text }) => [key, text])).toEqual([
      ['a', 'a: 600 B'],
      ['b', 'b: 300 B'],
      ['c', 'c: 50 B'],
      [null, '7 others of at most 9 B: 50 B'],
    ]);
    const areaOf = (index: number) => (cells[index]?.width ?? 0) * (cells[index]?.height ?? 0);
    expect(areaOf(0) / areaOf(1)).toBeCloseTo(2, 0);
    for (const { x, y, width, height } of cells) {
      expect(x).toBeGreaterThanOrEqual(0);
      expect(y).toBeGreaterThanOrEqual(0);
      expect(x + width).toBeLessThanOrEqual(size.widthPx);
      expect(y + height).toBeLessThanOrEqual(size.heightPx);
    }
  });

  it('places parts inside their item, below its name', () => {
    const items = [item('a', 100, [part('x', 60), part('y', 30)])];
    const { cells } = layoutTreemap({ items, rest: nothing }, size);
    const [whole, ...parts] = cells;
    expect(parts.map(({ text, depth }) => [text, depth])).toEqual([
      ['x: 60 B', 2],
      ['y: 30 B', 2],
    ]);
    for (const cell of parts) expect(cell.y).toBeGreaterThan(whole?.y ?? 0);
    expect(new Set(cells.map(({ id }) => id)).size).toBe(cells.length);
  });

  it('labels a group with its number of clients and their sizes', () => {
    const groups = [
      { ...item('zone=a', 900), label: 'a', clients: { count: 3, leastBytes: 300, mostBytes: 300 } },
      { ...item('zone=b', 100), label: 'b', clients: { count: 2, leastBytes: 40, mostBytes: 60 } },
    ];
    expect(layoutTreemap({ items: groups, rest: nothing }, size).cells.map(({ text }) => text)).toEqual([
      'a × 3 clients: 900 B, each 300 B',
      'b × 2 clients: 100 B, each 40 B to 60 B',
    ]);
  });

  it('writes names and counts as lists do, and whole names in tooltips', () => {
    const nodeId = 'sidecar~10.0.0.9~web-0.shop~shop.svc.cluster.local';
    const items = [item(nodeId, 90, [{ ...part('CDS', 90), count: 10_065 }])];
    expect(
      layoutTreemap({ items, rest: nothing }, size).cells.map(({ label, text }) => [label, text]),
    ).toEqual([
      ['web-0.shop', `${nodeId}: 90 B`],
      ['CDS ×10,065', 'CDS ×10,065: 90 B'],
    ]);
  });

  it('leaves out the suffix before it cuts the name', () => {
    const named = { ...item('zone=a', 90, [{ ...part('LDS', 90), count: 150 }]), label: 'team-11' };
    const group = { ...named, clients: { count: 150, leastBytes: 1, mostBytes: 1 } };
    const labelsAt = (widthPx: number) =>
      layoutTreemap({ items: [group], rest: nothing }, { widthPx, heightPx: 90 }).cells.map(
        ({ label }) => label,
      );
    expect(labelsAt(200)).toEqual(['team-11 × 150 clients', 'LDS ×150']);
    expect(labelsAt(60)).toEqual(['team-11', 'LDS']);
  });

  it('draws nothing without items, and no label without room', () => {
    expect(layoutTreemap({ items: [item('a', 0)], rest: nothing }, size).cells).toEqual([]);
    const many = Array.from({ length: 400 }, (_, index) => item(`cluster-${index}`, 10));
    const { cells } = layoutTreemap({ items: many, rest: nothing }, { widthPx: 300, heightPx: 200 });
    expect(cells.every(({ label, width }) => label.length * 6 <= width)).toBe(true);
  });
});

describe('layoutGrowth', () => {
  it('stacks the sizes of types over time', () => {
    const sample = (second: number, bytes: number) => ({
      at: second * 1_000,
      types: [
        { typeUrl: CDS.typeUrl, service: 'CDS', bytes },
        { typeUrl: EDS.typeUrl, service: 'EDS', bytes: 2 * bytes },
      ],
    });
    const { bands, plot, yTicks } = layoutGrowth([sample(0, 100), sample(60, 400)], size);
    expect(bands.map(({ text }) => text)).toEqual(['CDS 400 B', 'EDS 800 B']);
    expect(bands.every(({ path }) => path.startsWith('M') && !path.includes('NaN'))).toBe(true);
    expect(yTicks.every(({ y }) => y >= plot.y && y <= plot.y + plot.height)).toBe(true);
  });
});

describe('estimateResponseBytes', () => {
  it('includes the wrapping of each body', () => {
    const many = estimateResponseBytes({ bytes: 1_000_000, count: 1_000 }, CDS.typeUrl);
    expect(many).toBeGreaterThan(1_000_000 + 1_000 * CDS.typeUrl.length);
    expect(many).toBeLessThan(1_000_000 + 1_000 * (CDS.typeUrl.length + 20));
  });
});
