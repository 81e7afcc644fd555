import { type GraphIndex, indexGraph } from './graph-index';
import { graphNodeKinds } from './node-kinds';
import type { GraphEdge } from './schema';
import type { Topology } from './topology';

const kindIndex = new Map(graphNodeKinds.map((kind, index) => [kind, index]));

/** Siblings of one kind, which may be collapsed into one node. */
export interface SiblingGroup {
  /** Indexes of nodes, in the topology's order. */
  readonly members: number[];
  /** A bit for every kind of node below the members. */
  below: number;
}

/**
 * A graph as a forest: the parent of each node is the first node from which it is reached, breadth first. Nodes are
 * numbered as in the topology; the parent of roots is -1.
 */
export interface ContainmentTree {
  readonly graph: GraphIndex;
  /** The kind of each node, as an index into graphNodeKinds. */
  readonly kind: Uint8Array;
  readonly parent: Int32Array;
  /** The nodes by depth, roots first. */
  readonly levels: readonly (readonly number[])[];
  readonly groups: ReadonlyMap<number, SiblingGroup>;
}

/** The keys are the edges: marks replace nodes, and neither their order nor their kinds. */
const trees = new WeakMap<readonly GraphEdge[], ContainmentTree>();

/** Built once for all topologies with these edges, because it takes as long as the rest of an answer. */
export function containmentTreeOf(topology: Topology): ContainmentTree {
  const known = trees.get(topology.edges) ?? buildContainmentTree(topology);
  trees.set(topology.edges, known);
  return known;
}

function buildContainmentTree({ nodes, edges }: Topology): ContainmentTree {
  const graph = indexGraph(nodes, edges);
  const kind = Uint8Array.from(nodes, (node) => kindIndex.get(node.kind) ?? 0);
  const { parent, levels } = reach(graph, nodes.length);
  return { graph, kind, parent, levels, groups: groupSiblings(kind, parent, levels) };
}

export function findGroup(tree: ContainmentTree, parent: number, kind: number): SiblingGroup | undefined {
  return tree.groups.get(groupKey(parent, kind));
}

export function groupOf(tree: ContainmentTree, node: number): SiblingGroup | undefined {
  return findGroup(tree, tree.parent[node] ?? -1, tree.kind[node] ?? 0);
}

export function groupsBelow(tree: ContainmentTree, parent: number): SiblingGroup[] {
  return graphNodeKinds.flatMap((_, kind) => findGroup(tree, parent, kind) ?? []);
}

function groupKey(parent: number, kind: number): number {
  return (parent + 1) * graphNodeKinds.length + kind;
}

/** Walks breadth first from the nodes without incoming edges, then from the nodes that are left, which are in cycles. */
function reach({ incoming, outgoing, target }: GraphIndex, size: number) {
  const parent = new Int32Array(size).fill(-1);
  const seen = new Uint8Array(size);
  const levels: number[][] = [];
  const from = (root: number): void => {
    if (seen[root] === 1) return;
    seen[root] = 1;
    for (let depth = 0, level = [root]; level.length > 0; depth += 1) {
      const deeper = levels[depth] ?? [];
      levels[depth] = deeper;
      const next: number[] = [];
      for (const node of level) {
        deeper.push(node);
        for (let at = outgoing.start[node] ?? 0; at < (outgoing.start[node + 1] ?? 0); at += 1) {
          const child = target[outgoing.edges[at] ?? 0] ?? 0;
          if (seen[child] === 1) continue;
          seen[child] = 1;
          parent[child] = node;
          next.push(child);
        }
      }
      level = next;
    }
  };
  for (let node = 0; node < size; node += 1) {
    if (incoming.start[node] === incoming.start[node + 1]) from(node);
  }
  for (let node = 0; node < size; node += 1) from(node);
  return { parent, levels };
}

function groupSiblings(kind: Uint8Array, parent: Int32Array, levels: readonly (readonly number[])[]) {
  const below = new Uint32Array(kind.length);
  for (const level of levels.toReversed()) {
    for (const node of level) {
      const above = parent[node] ?? -1;
      if (above >= 0) below[above] = (below[above] ?? 0) | (below[node] ?? 0) | (1 << (kind[node] ?? 0));
    }
  }
  const groups = new Map<number, SiblingGroup>();
  for (let node = 0; node < kind.length; node += 1) {
    const key = groupKey(parent[node] ?? -1, kind[node] ?? 0);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, { members: [node], below: below[node] ?? 0 });
    else {
      group.members.push(node);
      group.below |= below[node] ?? 0;
    }
  }
  return groups;
}
