import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import { TreemapDrawing } from '@/app/_drawings/sizes/treemap-drawing';
import { layoutTreemap } from '@/lib/views/sizes/layout-treemap';
import type { SizeItem } from '@/lib/views/sizes/schema';

const part = (name: string, bytes: number, count: number) => ({ name, bytes, count, parts: [] });

function group(zone: string, count: number, each: number): SizeItem {
  const bytes = count * each;
  return {
    ...{ key: `zone=${zone}`, label: zone, bytes, count: 4 * count, before: undefined },
    parts: [part('LDS', bytes / 2, count), part('EDS', bytes / 4, 2 * count), part('CDS', bytes / 8, count)],
    clients: { count, leastBytes: each, mostBytes: each },
  };
}

test('TreemapDrawing draws each group as a link with the bytes of its clients, and the rest', async () => {
  const items = [group('eu-1a', 1_000, 420), group('eu-1b', 900, 420), group('eu-1d', 12, 4_200)];
  const layout = layoutTreemap(
    { items, rest: { items: 3, bytes: 20_000, largestBytes: 9_000 } },
    { widthPx: 640, heightPx: 240 },
  );
  const svg = renderToStaticMarkup(
    <TreemapDrawing layout={layout} label="Bytes by zone" hrefOf={(key) => `/clients/sizes?q=${key}`} />,
  );
  await expect(svg).toMatchFileSnapshot('treemap-drawing.svg');
});
