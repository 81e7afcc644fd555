import { group } from 'd3';
import type { GraphEdge, GraphNode, GraphNodeStatus } from '../../api/schema';
import { by } from '../../collections/compare';
import { findCommonParts, nothingCommon } from '../../format/names/common-parts';
import { bumpPath } from '../bump-path';
import { assignColumns } from './assign-columns';
import { buildSlots, type Slot, type Way } from './layout-slot';
import { formatColumnHeadings } from './node-kind';
import { headingWidth, type NodeText, nodeText, nodeWidth, shownName } from './node-text';
import { orderColumns } from './order-columns';
import { placeRows } from './place-rows';
import { nodeStatusRank } from './topology';

export interface LayoutOptions {
  /** `order` of the previous layout. Slots that were in it keep their place among each other. */
  readonly previousOrder?: ReadonlyMap<string, number>;
}

export interface PlacedNode extends NodeText {
  readonly node: GraphNode;
  readonly column: number;
  /** The upper left corner. */
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export interface PlacedEdge {
  readonly edge: GraphEdge;
  /** SVG path data, from the source's right side to the target's left side. */
  readonly path: string;
  /** The label's centre, which is near the source, where edges to one target are still apart. */
  readonly labelX: number;
  readonly labelY: number;
}

export interface LayoutColumn {
  /** One line for each kind in the column, above `headingY`. */
  readonly headings: readonly string[];
  readonly x: number;
  readonly width: number;
}

/** In CSS pixels from (0, 0). Headings are at the top, the legend is at the bottom. */
export interface TopologyLayout {
  readonly nodes: readonly PlacedNode[];
  readonly edges: readonly PlacedEdge[];
  readonly columns: readonly LayoutColumn[];
  /** Statuses that occur, worst first. */
  readonly legend: readonly GraphNodeStatus[];
  readonly legendY: number;
  /** The line below the headings. */
  readonly headingY: number;
  readonly width: number;
  readonly height: number;
  /** The index of every slot within its column, by slot id; for the next layout. */
  readonly order: ReadonlyMap<string, number>;
}

const oneLinePx = 26;
const twoLinesPx = 40;
const marginPx = 12;
const headingPx = 40;
/** Two lines. */
const legendPx = 58;
const columnGapPx = 22;
const labelledGapPx = 64;

/** A ranked layout: the kind of resource determines the rank (see server/decisions/0003). Deterministic. */
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
  const common = columnWidths.map((_width, column) =>
    findCommonParts(nodes.flatMap((node) => (columnOf.get(node.id) === column ? shownName(node) : []))),
  );
  const texts = new Map(
    nodes.map((node) => {
      const column = columnOf.get(node.id) ?? 0;
      return [node, nodeText(node, columnWidths[column] ?? 0, common[column] ?? nothingCommon)];
    }),
  );
  const slots = buildSlots(nodes, edges, columnOf, (node) =>
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
    const { x, width } = column;
    return [{ ...text, node: slot.node, column: slot.column, x, y, width, height: slot.heightPx }];
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
      .sort(by(nodeStatusRank)),
    headingY: marginPx + headingPx - 12,
    legendY: bottom + marginPx,
    width: (last === undefined ? 0 : last.x + last.width) + marginPx,
    height: bottom + marginPx + legendPx,
    order: new Map(slots.columns.flatMap((column) => column.map((slot, index) => [slot.id, index] as const))),
  };
}

function headColumns(nodes: readonly GraphNode[], columnOf: ReadonlyMap<string, number>): string[][] {
  const columns = group(nodes, ({ id }) => columnOf.get(id) ?? 0);
  return Array.from({ length: columns.size }, (_, column) => formatColumnHeadings(columns.get(column) ?? []));
}

/** The gap between two columns grows with the number of edges in it, and with labels. */
function placeColumns(
  headings: readonly (readonly string[])[],
  ways: readonly Way[],
  widths: readonly number[],
): LayoutColumn[] {
  const edgeCounts = headings.map(() => 0);
  const hasLabel = headings.map(() => false);
  for (const { edge, slots } of ways) {
    for (const { column } of slots.slice(0, -1)) edgeCounts[column] = (edgeCounts[column] ?? 0) + 1;
    const [source] = slots;
    if (edge.label !== '' && source !== undefined) hasLabel[source.column] = true;
  }
  let x = marginPx;
  return headings.map((lines, index) => {
    const width = widths[index] ?? 0;
    const placed = { headings: lines, x, width };
    const gapPx = hasLabel[index] ? labelledGapPx : columnGapPx;
    x += width + gapPx + Math.min(64, Math.floor((edgeCounts[index] ?? 0) / 4));
    return placed;
  });
}

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
    path: bumpPath(points),
    labelX: x1 + (x2 - x1) * 0.44,
    // A point of the curve, which is a cubic with horizontal tangents.
    labelY: y1 + (y2 - y1) * 0.38,
  };
}
