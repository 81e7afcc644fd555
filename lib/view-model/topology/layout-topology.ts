import { curveBumpX, line } from 'd3';
import type { GraphEdge, GraphNode, GraphNodeStatus } from '../../api/schema';
import { assignColumns } from './assign-columns';
import { makeSlots, type Slot, type Way } from './layout-slot';
import { formatColumnHeadings } from './node-kind';
import { headingWidth, type NodeText, nodeText, nodeWidth } from './node-text';
import { orderColumns } from './order-columns';
import { placeRows } from './place-rows';
import { nodeStatusRank } from './topology';

export interface LayoutOptions {
  /** `order` of the layout before: what was there keeps its place among its neighbours. */
  readonly previousOrder?: ReadonlyMap<string, number>;
}

export interface PlacedNode extends NodeText {
  readonly node: GraphNode;
  readonly column: number;
  /** Left upper corner. */
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export interface PlacedEdge {
  readonly edge: GraphEdge;
  /** SVG path data, from the source's right side to the target's left side. */
  readonly path: string;
  /** Where the label's middle is: near the source, where edges to one target are still apart. */
  readonly labelX: number;
  readonly labelY: number;
}

export interface LayoutColumn {
  /** One line for each kind in it, to stand above `headingY`. */
  readonly headings: readonly string[];
  readonly x: number;
  readonly width: number;
}

/** In CSS pixels, from (0, 0). Headings stand at the top, the legend at the bottom. Carries meaning, no colours. */
export interface TopologyLayout {
  readonly nodes: readonly PlacedNode[];
  readonly edges: readonly PlacedEdge[];
  readonly columns: readonly LayoutColumn[];
  /** Statuses that occur, worst first. */
  readonly legend: readonly GraphNodeStatus[];
  readonly legendY: number;
  /** Of the rule below the headings. */
  readonly headingY: number;
  readonly width: number;
  readonly height: number;
  /** Of every slot, within its column; for the next layout. */
  readonly order: ReadonlyMap<string, number>;
}

const oneLinePx = 26;
const twoLinesPx = 40;
const marginPx = 12;
const headingPx = 40;
const legendPx = 40;
const columnGapPx = 22;
const labelledGapPx = 64;

/** Our own ranked layout: the resource type is the rank (see server/decisions/0003). Deterministic. */
export function layoutTopology(
  { nodes, edges }: { readonly nodes: readonly GraphNode[]; readonly edges: readonly GraphEdge[] },
  { previousOrder = new Map() }: LayoutOptions = {},
): TopologyLayout {
  const columnOf = assignColumns(nodes, edges);
  const headings = headColumns(nodes, columnOf);
  const columnWidths = headings.map((lines) => Math.max(...lines.map(headingWidth)));
  for (const node of nodes) {
    const column = columnOf.get(node.id) ?? 0;
    columnWidths[column] = Math.max(columnWidths[column] ?? 0, nodeWidth(node));
  }
  const texts = new Map(
    nodes.map((node) => [node, nodeText(node, columnWidths[columnOf.get(node.id) ?? 0] ?? 0)]),
  );
  const slots = makeSlots(nodes, edges, columnOf, (node) =>
    texts.get(node)?.isOneLine ? oneLinePx : twoLinesPx,
  );
  orderColumns(slots.columns, previousOrder);
  const centres = placeRows(slots.columns);
  const columns = placeColumns(headings, slots.ways, columnWidths);

  const top = marginPx + headingPx;
  const place = (slot: Slot): PlacedNode[] => {
    const text = slot.node === null ? undefined : texts.get(slot.node);
    const column = columns[slot.column];
    if (slot.node === null || text === undefined || column === undefined) return [];
    const y = top + (centres.get(slot) ?? 0) - slot.heightPx / 2;
    return [
      {
        ...text,
        node: slot.node,
        column: slot.column,
        x: column.x,
        y,
        width: column.width,
        height: slot.heightPx,
      },
    ];
  };
  const placed = slots.columns.flat().flatMap(place);
  const bottom = Math.max(top, ...placed.map(({ y, height }) => y + height));
  const last = columns.at(-1);
  return {
    nodes: placed,
    edges: slots.ways.map((way) => placeEdge(way, columns, (slot) => top + (centres.get(slot) ?? 0))),
    columns,
    legend: [...new Set(nodes.map(({ status }) => status))]
      .filter((status) => status !== 'NONE')
      .sort((a, b) => nodeStatusRank(a) - nodeStatusRank(b)),
    headingY: marginPx + headingPx - 12,
    legendY: bottom + marginPx,
    width: (last === undefined ? 0 : last.x + last.width) + marginPx,
    height: bottom + marginPx + legendPx,
    order: new Map(slots.columns.flatMap((column) => column.map((slot, index) => [slot.id, index] as const))),
  };
}

function headColumns(nodes: readonly GraphNode[], columnOf: ReadonlyMap<string, number>): string[][] {
  const columns: GraphNode[][] = [];
  for (const node of nodes) {
    const column = columnOf.get(node.id) ?? 0;
    const inColumn = columns[column] ?? [];
    columns[column] = inColumn;
    inColumn.push(node);
  }
  return columns.map(formatColumnHeadings);
}

/** The more edges pass between two columns, the more room they have; labels need some more. */
function placeColumns(
  headings: readonly (readonly string[])[],
  ways: readonly Way[],
  widths: readonly number[],
): LayoutColumn[] {
  const crowd = headings.map(() => 0);
  const hasLabel = headings.map(() => false);
  for (const { edge, slots } of ways) {
    for (const { column } of slots.slice(0, -1)) crowd[column] = (crowd[column] ?? 0) + 1;
    const [source] = slots;
    if (edge.label !== '' && source !== undefined) hasLabel[source.column] = true;
  }
  let x = marginPx;
  return headings.map((lines, index) => {
    const width = widths[index] ?? 0;
    const placed = { headings: lines, x, width };
    x +=
      width +
      (hasLabel[index] ? labelledGapPx : columnGapPx) +
      Math.min(64, Math.floor((crowd[index] ?? 0) / 4));
    return placed;
  });
}

const curve = line<readonly [number, number]>().curve(curveBumpX);

function placeEdge(
  { edge, slots }: Way,
  columns: readonly LayoutColumn[],
  yOf: (slot: Slot) => number,
): PlacedEdge {
  const points: [number, number][] = [];
  slots.forEach((slot, index) => {
    const { x = 0, width = 0 } = columns[slot.column] ?? {};
    const y = yOf(slot);
    if (index > 0) points.push([x, y]);
    if (index < slots.length - 1) points.push([x + width, y]);
  });
  const [[x1, y1] = [0, 0], [x2, y2] = [0, 0]] = points;
  return {
    edge,
    path: curve(points) ?? '',
    labelX: x1 + (x2 - x1) * 0.44,
    // On the curve at that place: a cubic with horizontal tangents.
    labelY: y1 + (y2 - y1) * 0.38,
  };
}
