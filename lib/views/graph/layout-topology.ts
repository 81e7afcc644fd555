import { group } from 'd3';
import { ascending, by, inTurn } from '../../collections/compare';
import { findCommonParts, nothingCommon } from '../../format/names/common-parts';
import { bumpPath } from '../drawing/bump-path';
import type { GraphNodeStatus } from '../drawing/node-status';
import { buildSlots, type Slot, type Way } from './layout-slot';
import { formatColumnHeadings } from './node-kind';
import type { GraphNodeKind } from './node-kinds';
import { headingWidth, type NodeText, nodeText, nodeWidth, shownName } from './node-text';
import { placeRows } from './place-rows';
import type { GraphEdge, GraphNode } from './schema';
import { nodeStatusRank } from './topology';

interface LayoutOptions {
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

interface LayoutColumn {
  /** One line for each kind in the column, above `headingY`. */
  readonly headings: readonly string[];
  readonly x: number;
  readonly width: number;
}

/** The layout in CSS pixels from (0, 0). Headings are at the top, the legend is at the bottom. */
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

/** gRFC A37: aggregate clusters are nested at most 16 deep. Deeper ones share the last column. */
const maxNesting = 16;

/** The kind determines the rank. Clusters may take several columns; the kinds of higher rank follow them. */
const rankOf: Readonly<Record<Exclude<GraphNodeKind, 'aggregate' | 'secret'>, number>> = {
  listener: 0,
  'route-config': 1,
  'virtual-host': 2,
  route: 3,
  cluster: 4,
  priority: 5,
  endpoints: 5,
  locality: 6,
  endpoint: 7,
};

/**
 * Returns the column of each node, from 0 without gaps. An aggregate cluster is to the left of its leaves, and leaves are
 * in one column. A secret is to the right of the listeners and clusters that use it.
 */
function assignColumns(nodes: readonly GraphNode[], edges: readonly GraphEdge[]): Map<string, number> {
  const kinds = new Map(nodes.map((node) => [node.id, node.stands?.kind ?? node.kind]));
  const nesting = nestClusters(edges);
  const deepest = Math.max(0, ...nesting.values());
  const secretRanks = new Map<string, number>();
  for (const { source, target, kind } of edges) {
    if (kind !== 'tls') continue;
    const rank = kinds.get(source) === 'listener' ? rankOf['route-config'] : rankOf.priority;
    secretRanks.set(target, Math.max(rank, secretRanks.get(target) ?? 0));
  }

  const raw = new Map<string, number>();
  for (const { id } of nodes) {
    const kind = kinds.get(id) ?? 'secret';
    const rank =
      kind === 'secret' || kind === 'aggregate' ? (secretRanks.get(id) ?? rankOf.priority) : rankOf[kind];
    const behindClusters = rank > rankOf.cluster ? deepest : 0;
    raw.set(id, kind === 'cluster' ? rank + deepest - (nesting.get(id) ?? 0) : rank + behindClusters);
  }
  const used = [...new Set(raw.values())].sort(ascending);
  const packed = new Map(used.map((rank, column) => [rank, column]));
  return new Map([...raw].map(([id, rank]) => [id, packed.get(rank) ?? 0]));
}

/** Counts the levels of leaves below each aggregate. A cluster in a cycle counts once. */
function nestClusters(edges: readonly GraphEdge[]): Map<string, number> {
  const leaves = new Map<string, string[]>();
  for (const { kind, source, target } of edges) {
    if (kind === 'aggregate' && source !== target)
      leaves.set(source, [...(leaves.get(source) ?? []), target]);
  }
  const nesting = new Map<string, number>();
  const open = new Set<string>();
  const nest = (id: string): number => {
    const known = nesting.get(id);
    if (known !== undefined) return known;
    if (open.has(id) || open.size >= maxNesting) return 0;
    open.add(id);
    const own = leaves.get(id) ?? [];
    const levels = own.length === 0 ? 0 : 1 + Math.max(...own.map(nest));
    open.delete(id);
    nesting.set(id, levels);
    return levels;
  };
  for (const id of leaves.keys()) nest(id);
  return nesting;
}

/**
 * Orders each column in place, from left to right. The first column keeps the order given, by name. Slots with an owner
 * are in the owner's order, and among siblings in the order given: routes by precedence, endpoints by address. All other
 * slots are at the barycentre of their predecessors.
 *
 * There is no pass from right to left: it would trade the order of names and of first match for a few crossings less.
 * With a previous order, slots without an owner keep their place among those that were there before.
 */
function orderColumns(columns: readonly Slot[][], previous: ReadonlyMap<string, number>): void {
  const placeOf = new Map<Slot, Place>();
  for (const column of columns) {
    const keys = new Map(column.map((slot) => [slot, keyOf(slot, placeOf)]));
    column.sort(
      inTurn(
        by((each) => keys.get(each) ?? 0),
        by(({ given }) => given),
        compareIds,
      ),
    );
    if (previous.size > 0) keepOrder(column, previous);
    column.forEach((slot, index) => {
      placeOf.set(slot, { middle: (index + 0.5) / column.length, share: 1 / column.length });
    });
  }
}

/** A slot's part of its column, from 0 to 1. */
interface Place {
  readonly middle: number;
  readonly share: number;
}

function keyOf(slot: Slot, placeOf: ReadonlyMap<Slot, Place>): number {
  if (slot.column === 0) return 0;
  if (slot.owner !== null) return placeOf.get(slot.owner)?.middle ?? 0;
  const leading = slot.before;
  // Slots without predecessors are below all others.
  if (leading.length === 0) return 2;
  return leading.reduce((sum, lead) => sum + portOf(lead, slot), 0) / leading.length;

  /**
   * Returns the port at which an edge leaves: the clusters of a weighted route and the leaves of an aggregate are in
   * the config's order.
   */
  function portOf(lead: Slot, to: Slot): number {
    const { middle, share } = placeOf.get(lead) ?? { middle: 0, share: 0 };
    return middle + ((lead.after.indexOf(to) + 0.5) / lead.after.length - 0.5) * share;
  }
}

function compareIds(a: Slot, b: Slot): number {
  return a.id < b.id ? -1 : a.id > b.id ? 1 : 0;
}

/**
 * Brings the slots without an owner that were there before back into their previous order. They take the places that
 * such slots have in the new order, so that new and owned slots stay where they are.
 */
function keepOrder(column: Slot[], previous: ReadonlyMap<string, number>): void {
  const isKept = (slot: Slot): boolean => slot.owner === null && slot.column > 0 && previous.has(slot.id);
  const kept = column.filter(isKept);
  kept.sort(by((each) => previous.get(each.id) ?? 0));
  let next = 0;
  for (const [index, slot] of column.entries()) {
    if (!isKept(slot)) continue;
    const back = kept[next];
    if (back !== undefined) column[index] = back;
    next += 1;
  }
}
