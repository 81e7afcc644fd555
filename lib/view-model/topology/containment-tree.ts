import { type GraphEdge, type GraphNode, graphNodeKinds } from '../../api/schema';

export const kindCount = graphNodeKinds.length;
const kindIndex = new Map(graphNodeKinds.map((kind, index) => [kind, index]));

/** Siblings of one kind, which may collapse into one node. */
export interface SiblingGroup {
  /** Indexes of nodes, in the topology's order. */
  readonly members: number[];
  /** How many nodes stand for it when it is collapsed: itself, and one for each kind below it. */
  collapsedSize: number;
}

/**
 * A graph as a forest: each node hangs below the first node from which it is reached, breadth first. Nodes are
 * numbered as in the topology. -1 is above the roots.
 */
export interface ContainmentTree {
  readonly kind: Uint8Array;
  readonly parent: Int32Array;
  /** By depth, roots first. */
  readonly levels: readonly (readonly number[])[];
  readonly indexOf: ReadonlyMap<string, number>;
  /** Of a parent (-1 for the roots), by kind. */
  readonly groupsOf: ReadonlyMap<number, ReadonlyMap<number, SiblingGroup>>;
}

export function buildContainmentTree(
  nodes: readonly GraphNode[],
  edges: readonly Pick<GraphEdge, 'source' | 'target'>[],
): ContainmentTree {
  const indexOf = new Map(nodes.map((node, index) => [node.id, index]));
  const kind = Uint8Array.from(nodes, (node) => kindIndex.get(node.kind) ?? 0);
  const targets = nodes.map((): number[] => []);
  const hasSource = new Uint8Array(nodes.length);
  for (const edge of edges) {
    const source = indexOf.get(edge.source);
    const target = indexOf.get(edge.target);
    if (source === undefined || target === undefined || source === target) continue;
    targets[source]?.push(target);
    hasSource[target] = 1;
  }
  const { parent, levels } = reach(targets, hasSource);
  return { kind, parent, levels, indexOf, groupsOf: groupSiblings(kind, parent, levels) };
}

/** Breadth first from all that nothing refers to; then from what is left, which is in cycles. */
function reach(targets: readonly (readonly number[])[], hasSource: Uint8Array) {
  const parent = new Int32Array(targets.length).fill(-1);
  const seen = new Uint8Array(targets.length);
  const levels: number[][] = [];
  const from = (roots: readonly number[]): void => {
    let level = roots.filter((root) => seen[root] === 0);
    for (const root of level) seen[root] = 1;
    for (let depth = 0; level.length > 0; depth += 1) {
      const deeper = levels[depth] ?? [];
      levels[depth] = deeper;
      const next: number[] = [];
      for (const node of level) {
        deeper.push(node);
        for (const target of targets[node] ?? []) {
          if (seen[target] === 1) continue;
          seen[target] = 1;
          parent[target] = node;
          next.push(target);
        }
      }
      level = next;
    }
  };
  const all = Array.from(targets.keys());
  from(all.filter((node) => hasSource[node] === 0));
  for (const node of all) if (seen[node] === 0) from([node]);
  return { parent, levels };
}

function groupSiblings(kind: Uint8Array, parent: Int32Array, levels: readonly (readonly number[])[]) {
  // A bit for every kind below a node.
  const below = new Uint32Array(kind.length);
  for (const level of levels.toReversed()) {
    for (const node of level) {
      const above = parent[node] ?? -1;
      if (above >= 0) below[above] = (below[above] ?? 0) | (below[node] ?? 0) | (1 << (kind[node] ?? 0));
    }
  }
  const masks = new Map<SiblingGroup, number>();
  const groupsOf = new Map<number, Map<number, SiblingGroup>>();
  // In the topology's order, whatever the order of reaching was.
  for (let node = 0; node < kind.length; node += 1) {
    const above = parent[node] ?? -1;
    const groups = groupsOf.get(above) ?? new Map<number, SiblingGroup>();
    groupsOf.set(above, groups);
    const group = groups.get(kind[node] ?? 0) ?? { members: [], collapsedSize: 0 };
    groups.set(kind[node] ?? 0, group);
    group.members.push(node);
    masks.set(group, (masks.get(group) ?? 0) | (below[node] ?? 0));
  }
  for (const [group, mask] of masks) group.collapsedSize = 1 + bitCount(mask);
  return groupsOf;
}

function bitCount(mask: number): number {
  let count = 0;
  for (let rest = mask; rest !== 0; rest &= rest - 1) count += 1;
  return count;
}
