import { hierarchy, treemap, treemapSquarify } from 'd3';
import { by, byDescending, inTurn } from '../../collections/compare';
import { formatBytes } from '../../format/bytes';
import { formatCount, formatCounted } from '../../format/count';
import { formatMiddleCut } from '../../format/middle-cut';
import { formatName } from '../../format/names/format-name';
import type { FieldSize, SizeItem, SizesAnswer } from './schema';

/** Cells whose area is proportional to bytes, in CSS pixels from the drawing's top left. */
export interface TreemapLayout {
  readonly widthPx: number;
  readonly heightPx: number;
  readonly cells: readonly TreemapCell[];
}

export interface TreemapCell {
  /** Unique in the drawing. */
  readonly id: string;
  /** The key of the item; null for the rest, and for parts. */
  readonly key: string | null;
  /** 1 for items, 2 and more for their parts. */
  readonly depth: number;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  /** The part of the label that fits; may be empty. */
  readonly label: string;
  /** The size, if there is room below the label. */
  readonly size: string;
  /** The full description. */
  readonly text: string;
}

interface Datum {
  readonly id: string;
  readonly key: string | null;
  readonly name: string;
  /** Appended to the name if there is room. */
  readonly suffix?: string;
  /** Appended to the size in the description. */
  readonly more?: string;
  readonly bytes: number;
  readonly parts: readonly Datum[];
}

const charPx = 6.6;
const headPx = 18;
const deepestShown = 4;

export function layoutTreemap(
  { items, rest }: Pick<SizesAnswer, 'items' | 'rest'>,
  { widthPx, heightPx }: { readonly widthPx: number; readonly heightPx: number },
): TreemapLayout {
  const data: Datum = {
    ...{ id: '', key: null, name: '', bytes: 0 },
    parts: [
      ...items.filter(({ bytes }) => bytes > 0).map(datumOfItem),
      ...(rest.bytes > 0
        ? [
            {
              id: 'rest',
              key: null,
              name: formatCounted(rest.items, 'other'),
              suffix: ` of at most ${formatBytes(rest.largestBytes)}`,
              bytes: rest.bytes,
              parts: [],
            },
          ]
        : []),
    ],
  };
  const root = hierarchy(data, ({ parts }) => [...parts])
    // An item is larger than the sum of its parts: the rest is its own.
    .sum(({ bytes, parts }) => Math.max(0, bytes - parts.reduce((sum, part) => sum + part.bytes, 0)))
    // Items of equal size are sorted by id, so that live updates do not reorder them.
    .sort(
      inTurn(
        byDescending((each) => each.value ?? 0),
        by((each) => each.data.id),
      ),
    );
  const placed = treemap<Datum>()
    .tile(treemapSquarify.ratio(1.4))
    .size([widthPx, heightPx])
    .paddingInner(1)
    .paddingTop((node) => (node.depth > 0 && hasHead(node) ? headPx : node.depth === 0 ? 0 : 1))
    .round(true)(root);
  const cells = placed
    .descendants()
    .filter(({ depth, x0, x1, y0, y1 }) => depth > 0 && depth <= deepestShown && x1 > x0 && y1 > y0)
    .map((node) => cellOf(node));
  return { widthPx, heightPx, cells };
}

interface Placed {
  readonly x0: number;
  readonly x1: number;
  readonly y0: number;
  readonly y1: number;
  readonly depth: number;
  readonly data: Datum;
}

function hasHead({ x0, x1, y0, y1 }: Placed): boolean {
  return x1 - x0 > 40 && y1 - y0 > 2 * headPx;
}

function cellOf({ x0, x1, y0, y1, depth, data }: Placed): TreemapCell {
  const [width, height] = [x1 - x0, y1 - y0];
  const chars = Math.floor((width - 8) / charPx);
  const { suffix = '' } = data;
  const name = formatName(data.name);
  const shown = name.length + suffix.length <= chars ? `${name}${suffix}` : formatMiddleCut(name, chars);
  const label = height >= headPx && chars >= 3 ? shown : '';
  const size = formatBytes(data.bytes);
  const isLeaf = data.parts.length === 0;
  return {
    ...{ id: data.id, key: data.key, depth, x: x0, y: y0, width, height, label },
    size: isLeaf && label !== '' && height >= 2 * headPx && chars >= size.length ? size : '',
    text: `${data.name}${suffix}: ${size}${data.more ?? ''}`,
  };
}

function datumOfItem({ key, label, bytes, parts, clients }: SizeItem): Datum {
  return {
    id: `item ${key}`,
    key,
    name: label,
    suffix: clients === undefined ? '' : ` × ${formatCounted(clients.count, 'client')}`,
    more: clients === undefined || clients.count < 2 ? '' : `, each ${formatEach(clients)}`,
    bytes,
    parts: parts.map((part) => datumOfPart(part, `item ${key}`)),
  };
}

function datumOfPart({ name, bytes, parts, count }: FieldSize, below: string): Datum {
  const id = `${below}\u0000${name}`;
  const suffix = count > 1 ? ` ×${formatCount(count)}` : '';
  return { id, key: null, name, suffix, bytes, parts: parts.map((part) => datumOfPart(part, id)) };
}

/** "420 B", or "420 B to 4.6 kB". */
export function formatEach({ leastBytes, mostBytes }: NonNullable<SizeItem['clients']>): string {
  const [least, most] = [formatBytes(leastBytes), formatBytes(mostBytes)];
  return least === most ? least : `${least} to ${most}`;
}
