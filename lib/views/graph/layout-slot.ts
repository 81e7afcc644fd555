import type { GraphEdge, GraphNode } from './schema';

/**
 * A place in a column: a node, or a lane through which edges pass the column on their way to a node further right.
 * Lanes keep long edges from crossing boxes, and bundle the edges that end at the same node.
 */
export interface Slot {
  readonly id: string;
  readonly column: number;
  /** The index among all nodes as given; of a lane that of its target. */
  readonly given: number;
  readonly node: GraphNode | null;
  readonly heightPx: number;
  /** The slots that edges connect this one with in the column to the left, and in the one to the right. */
  readonly before: Slot[];
  readonly after: Slot[];
  /** The node that determines the slot's order, as the virtual host that of its routes; null if there is none. */
  owner: Slot | null;
}

/** The source, the lanes and the target of an edge. An edge to the left has no lanes. */
export interface Way {
  readonly edge: GraphEdge;
  readonly slots: readonly Slot[];
}

const laneHeightPx = 2;
const ownedKinds = new Set(['virtual-host', 'route', 'priority', 'endpoints', 'locality', 'endpoint']);

interface Slots {
  /** The slots by column, in the order given, lanes last. */
  readonly columns: Slot[][];
  readonly ways: Way[];
}

export function buildSlots(
  nodes: readonly GraphNode[],
  edges: readonly GraphEdge[],
  columnOf: ReadonlyMap<string, number>,
  heightOf: (node: GraphNode) => number,
): Slots {
  const columns: Slot[][] = [];
  const slots = new Map<string, Slot>();
  const make = (
    id: string,
    column: number,
    given: number,
    node: GraphNode | null,
    heightPx: number,
  ): Slot => {
    const slot: Slot = { id, column, given, node, heightPx, before: [], after: [], owner: null };
    slots.set(id, slot);
    const inColumn = columns[column] ?? [];
    columns[column] = inColumn;
    inColumn.push(slot);
    return slot;
  };
  nodes.forEach((node, given) => {
    make(node.id, columnOf.get(node.id) ?? 0, given, node, heightOf(node));
  });

  const ways: Way[] = [];
  for (const edge of edges) {
    const source = slots.get(edge.source);
    const target = slots.get(edge.target);
    if (source === undefined || target === undefined || source === target) continue;
    const way = [source];
    for (let column = source.column + 1; column < target.column; column += 1) {
      // Node ids do not contain a NUL.
      const id = `${column}\u0000${target.id}`;
      way.push(slots.get(id) ?? make(id, column, target.given, null, laneHeightPx));
    }
    way.push(target);
    ways.push({ edge, slots: way });
    if (target.column > source.column) link(way);
    const kind = target.node?.stands?.kind ?? target.node?.kind ?? '';
    if (ownedKinds.has(kind) && target.column === source.column + 1) target.owner ??= source;
  }
  return { columns, ways };
}

function link(way: readonly Slot[]): void {
  for (const [index, slot] of way.entries()) {
    const next = way[index + 1];
    if (next === undefined || slot.after.includes(next)) continue;
    slot.after.push(next);
    next.before.push(slot);
  }
}
