import { type GraphNode, type GraphNodeKind, graphNodeKinds } from '../../api/schema';
import {
  buildContainmentTree,
  type ContainmentTree,
  findGroup,
  groupsBelow,
  type SiblingGroup,
} from './containment-tree';
import { findInTopology } from './find-in-topology';
import { pathThrough } from './path-through';
import { collapsedSize, ShownSet } from './shown-set';
import { isNodeInTrouble, nodeStatusRank, type Topology } from './topology';

export interface ChooseOptions {
  /** About how many elements the picture may have; what the reader opens may double it. */
  readonly limit: number;
  /** Ids of aggregates that the reader opened. */
  readonly expand: readonly string[];
  /** A node whose neighbourhood is shown first. */
  readonly focus?: string;
  /** A search text whose matches are shown first. */
  readonly find?: string;
}

export interface Choice {
  readonly tree: ContainmentTree;
  readonly shown: ShownSet;
  /** By aggregate id with nothing opened: how many the reader opened. */
  readonly opened: ReadonlyMap<string, number>;
}

/** One click opens so many. */
const pageSize = 100;
/** After so many nodes that did not fit, the others are not tried. */
const patience = 100;
/** Trouble leaves room for the structure around it. */
const troubleShare = 0.7;
/** Of a group that is too large to be opened, so many show what its members look like. */
const sampleSize = 8;

/** Which nodes of a large topology are shown one by one: first what is asked for, then trouble, then small groups. */
export function chooseShown(topology: Topology, { limit, expand, focus, find }: ChooseOptions): Choice {
  const tree = buildContainmentTree(topology.nodes, topology.edges);
  const shown = new ShownSet(tree);
  const show = (nodes: Iterable<number>, upTo: number): void => {
    let rejected = 0;
    for (const node of nodes) {
      if (!shown.show(node, upTo)) rejected += 1;
      if (rejected > patience) break;
    }
  };
  const { indexOf } = tree.graph;
  const centre = focus === undefined ? undefined : indexOf.get(focus);
  if (centre !== undefined) show(pathThrough(tree.graph, centre).nodes, limit);
  if (find !== undefined)
    show(
      findInTopology(topology.nodes, find).map((id) => indexOf.get(id) ?? 0),
      limit,
    );
  show(troubleIn(topology.nodes), limit * troubleShare);
  if (centre === undefined) openGroups(tree, shown, limit);

  const opened = new Map<string, number>();
  for (const id of expand) {
    const key = parseAggregateId(id);
    if (key === undefined) continue;
    const members = membersOf(tree, shown, id, 0);
    const count = key.opened + pageSize;
    const base = baseId(id);
    for (const node of members.slice(0, count - (opened.get(base) ?? 0))) shown.show(node, 2 * limit);
    opened.set(base, Math.max(opened.get(base) ?? 0, count));
  }
  return { tree, shown, opened };
}

/** Numbers of the nodes in trouble, worst first. */
function troubleIn(nodes: readonly GraphNode[]): number[] {
  const found = nodes.flatMap((node, index) =>
    isNodeInTrouble(node) ? [{ index, rank: nodeStatusRank(node.status) }] : [],
  );
  return found.sort((a, b) => a.rank - b.rank).map(({ index }) => index);
}

/**
 * Level by level, all groups of one size or none of them: what looks alike is treated alike. Of those that do not fit,
 * a sample, unless there is nothing below it that it could show.
 */
function openGroups(tree: ContainmentTree, shown: ShownSet, limit: number): void {
  for (const parents of [[-1], ...tree.levels]) {
    const bySize = new Map<number, SiblingGroup[]>();
    for (const parent of parents) {
      if (parent >= 0 && !shown.has(parent)) continue;
      for (const group of groupsBelow(tree, parent)) {
        if (shown.hiddenIn(group) === 0) continue;
        const same = bySize.get(group.members.length) ?? [];
        bySize.set(group.members.length, same);
        same.push(group);
      }
    }
    for (const size of [...bySize.keys()].sort((a, b) => a - b)) {
      const groups = bySize.get(size) ?? [];
      const members = groups.flatMap((group) => group.members);
      if (shown.showAll(members, limit)) continue;
      for (const group of groups) {
        if (collapsedSize(group) > 1) shown.showAll(group.members.slice(0, sampleSize), limit);
      }
    }
  }
}

/** The nodes that an aggregate stands for, in order. */
function membersOf(tree: ContainmentTree, shown: ShownSet, id: string, depth: number): number[] {
  const key = parseAggregateId(id);
  if (key === undefined || depth > tree.levels.length) return [];
  const node = tree.graph.indexOf.get(key.parentId);
  const parents =
    key.parentId === ''
      ? [-1]
      : node === undefined
        ? membersOf(tree, shown, key.parentId, depth + 1)
        : [node];
  const kind = graphNodeKinds.indexOf(key.kind);
  const members = parents.flatMap((parent) => findGroup(tree, parent, kind)?.members ?? []);
  return members.filter((member) => !shown.has(member));
}

function baseId(id: string): string {
  const key = parseAggregateId(id);
  return key === undefined ? id : `more:${key.kind}:0@${key.parentId}`;
}

/** What an aggregate stands for: siblings of one kind below a node, or below an aggregate. */
interface AggregateKey {
  readonly kind: GraphNodeKind;
  /** How many were opened already at the reader's wish; the next page begins there. */
  readonly opened: number;
  /** A node's id, an aggregate's id with nothing opened, or empty for what hangs below nothing. */
  readonly parentId: string;
}

export function formatAggregateId({ kind, opened, parentId }: AggregateKey): string {
  return `more:${kind}:${opened}@${parentId}`;
}

/** undefined when it is no aggregate's id. */
function parseAggregateId(id: string): AggregateKey | undefined {
  const [, kindName, opened, parentId] = /^more:([a-z-]+):(\d{1,9})@(.*)$/s.exec(id) ?? [];
  const kind = graphNodeKinds.find((known) => known === kindName);
  if (kind === undefined || parentId === undefined) return undefined;
  return { kind, opened: Number(opened), parentId };
}
