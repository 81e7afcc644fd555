import { ascending, by } from '../../collections/compare';
import { formatCount } from '../../format/count';
import type { GraphNodeStatus } from '../drawing/node-status';
import { statusShape } from '../drawing/status-shape';
import { type Choice, type ChooseOptions, chooseShown, formatAggregateId } from './choose-shown';
import { groupOf } from './containment-tree';
import { edgeId } from './node-id';
import { formatKindCount } from './node-kind';
import { graphNodeKinds } from './node-kinds';
import type { GraphEdge, GraphNode } from './schema';
import { isNodeInTrouble, nodeStatusRank, type Topology } from './topology';

interface AggregatedTopology extends Topology {
  /** True if any node stands for several. */
  readonly aggregated: boolean;
}

/** If there are more edges for each element, fewer nodes are drawn. */
const edgesPerElement = 5;

/**
 * Collapses siblings of one kind until the picture has about `limit` elements. The nodes shown and the counts of the
 * aggregates sum up to all nodes. What is hidden below an aggregate is in the next aggregate:
 *
 *   "29,992 routes" -> "29,992 clusters" -> "29,992 priorities" -> ... -> "49,970 endpoints"
 */
export function aggregateTopology(
  topology: Topology,
  options: Partial<ChooseOptions> = {},
): AggregatedTopology {
  const { limit = 300, expand = [], focus, find, match } = options;
  if (topology.nodes.length <= limit && topology.edges.length <= limit * edgesPerElement) {
    return { ...topology, aggregated: false };
  }
  for (let budget = limit; ; budget = Math.floor(budget / 2)) {
    const drawn = collapse(topology, chooseShown(topology, { limit: budget, expand, focus, find, match }));
    if (drawn.edges.length <= limit * edgesPerElement * 2 || budget < 20) return drawn;
  }
}

/** A collapsed group. Its index is the number of nodes plus its place among the groups. */
interface Group {
  readonly id: string;
  readonly kind: number;
  readonly members: number[];
}

function collapse(topology: Topology, choice: Choice): AggregatedTopology {
  const { representative, groups } = represent(topology.nodes, choice);
  const size = topology.nodes.length;
  const idOf = (index: number): string =>
    index < size ? (topology.nodes[index]?.id ?? '') : (groups[index - size]?.id ?? '');

  const lastMembers = new Map(groups.map((group) => [group.members.at(-1), group]));
  const nodes: GraphNode[] = [];
  topology.nodes.forEach((node, index) => {
    if (representative[index] === index) nodes.push(node);
    const group = lastMembers.get(index);
    if (group !== undefined) nodes.push(aggregateNode(topology.nodes, group, choice));
  });

  const { graph } = choice.tree;
  const edges: GraphEdge[] = [];
  const merged = new Map<string, number>();
  topology.edges.forEach((edge, index) => {
    const source = representative[graph.source[index] ?? -1];
    const target = representative[graph.target[index] ?? -1];
    if (source === undefined || target === undefined || source === target) return;
    if (source < size && target < size) {
      edges.push(edge);
      return;
    }
    const key = `${source} ${target} ${edge.kind}`;
    const place = merged.get(key);
    const known = place === undefined ? undefined : edges[place];
    if (place === undefined || known === undefined) {
      merged.set(key, edges.length);
      const id = edgeId(idOf(source), edge.kind, idOf(target));
      edges.push({ ...edge, id, source: idOf(source), target: idOf(target) });
    } else if (known.label !== edge.label) {
      // A label of one of the merged edges does not hold for all of them.
      edges[place] = { ...known, label: '' };
    }
  });
  return { nodes, edges, aggregated: groups.length > 0 };
}

/** Returns for each node the index of what stands for it: its own if it is shown, else its group's. */
function represent(nodes: readonly GraphNode[], { tree, shown, opened }: Choice) {
  const representative = new Int32Array(nodes.length);
  const groups: Group[] = [];
  const baseIds: string[] = [];
  for (const level of tree.levels) {
    const collapsed = new Map<number, number[]>();
    for (const node of level) {
      if (shown.has(node)) {
        representative[node] = node;
        continue;
      }
      const above = tree.parent[node] ?? -1;
      const key =
        (above < 0 ? 0 : (representative[above] ?? 0) + 1) * graphNodeKinds.length + (tree.kind[node] ?? 0);
      const members = collapsed.get(key);
      if (members === undefined) collapsed.set(key, [node]);
      else members.push(node);
    }
    for (const [key, members] of collapsed) {
      const [first] = members;
      if (first === undefined) continue;
      if (members.length === 1) {
        // An aggregate of one node would take as much room as the node.
        representative[first] = first;
        continue;
      }
      const kind = key % graphNodeKinds.length;
      const above = Math.floor(key / graphNodeKinds.length) - 1;
      const parentId = above < 0 ? '' : (nodes[above]?.id ?? baseIds[above - nodes.length] ?? '');
      const baseKey = { kind: graphNodeKinds[kind] ?? 'aggregate', opened: 0, parentId };
      const baseId = formatAggregateId(baseKey);
      for (const member of members) representative[member] = nodes.length + groups.length;
      members.sort(ascending);
      groups.push({ id: formatAggregateId({ ...baseKey, opened: opened.get(baseId) ?? 0 }), kind, members });
      baseIds.push(baseId);
    }
  }
  return { representative, groups };
}

function aggregateNode(nodes: readonly GraphNode[], group: Group, { tree, shown }: Choice): GraphNode {
  const kind = graphNodeKinds[group.kind] ?? 'aggregate';
  const counts = new Map<GraphNodeStatus, number>();
  let trouble = 0;
  let below: GraphNode['below'];
  for (const member of group.members) {
    const node = nodes[member];
    if (node === undefined) continue;
    counts.set(node.status, (counts.get(node.status) ?? 0) + 1);
    if (isNodeInTrouble(node)) trouble += 1;
    if (node.below !== undefined && isWorse(node.below, below)) below = node.below;
  }
  const statuses = [...counts].sort(by(([key]) => nodeStatusRank(key)));
  const [first = -1] = group.members;
  const isRest = groupOf(tree, first)?.members.some((sibling) => shown.has(sibling)) ?? false;
  return {
    id: group.id,
    kind: 'aggregate',
    name: formatKindCount(kind, group.members.length, isRest),
    status: statuses[0]?.[0] ?? 'NONE',
    detail: statuses
      .filter(([status]) => !['ACKED', 'ACTIVE', 'HEALTHY', 'NONE'].includes(status))
      .map(([status, count]) => `${formatCount(count)} ${statusShape(status).word}`)
      .join(', '),
    reason: '',
    below,
    unused: '',
    stands: { kind, count: group.members.length, trouble },
  };
}

function isWorse(a: NonNullable<GraphNode['below']>, b: GraphNode['below']): boolean {
  return b === undefined || nodeStatusRank(a.status) < nodeStatusRank(b.status);
}
