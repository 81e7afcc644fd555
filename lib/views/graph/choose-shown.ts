import { group } from 'd3';
import { by } from '../../collections/compare';
import type { ContainmentTree, SiblingGroup } from './containment-tree';
import { containmentTreeOf, findGroup, groupOf, groupsBelow } from './containment-tree';
import { findInTopology } from './find-in-topology';
import { type GraphNodeKind, graphNodeKinds } from './node-kinds';
import { pathThrough } from './path-through';
import type { GraphNode } from './schema';
import { isNodeInTrouble, nodeStatusRank, type Topology } from './topology';

export interface ChooseOptions {
  /** The approximate number of elements of the picture. Opened aggregates may double it. */
  readonly limit: number;
  /** Ids of opened aggregates. */
  readonly expand: readonly string[];
  /** A node whose neighbourhood is shown first. */
  readonly focus?: string;
  /** A search text whose matches are shown first. */
  readonly find?: string;
  /** The index of the match that is shown first. */
  readonly match?: number;
}

export interface Choice {
  readonly tree: ContainmentTree;
  readonly shown: ShownSet;
  /** The number of opened members, by the aggregate's id with `opened` 0. */
  readonly opened: ReadonlyMap<string, number>;
}

/** Members that one click opens. */
const pageSize = 100;
/** After this many nodes that did not fit, the others are not tried. */
const patience = 100;
/** The share of the limit for nodes in trouble, which leaves room for the structure around them. */
const troubleShare = 0.7;
/** Members that are shown of a group that is too large to be opened. */
const sampleSize = 8;

/** Chooses the nodes of a large topology that are shown one by one: first `focus` and `find`, then trouble, then small groups. */
export function chooseShown(
  topology: Topology,
  { limit, expand, focus, find, match = 0 }: ChooseOptions,
): Choice {
  const tree = containmentTreeOf(topology);
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
  if (find !== undefined) {
    const found = findInTopology(topology.nodes, find).map((id) => indexOf.get(id) ?? 0);
    show([...found.slice(match), ...found.slice(0, match)], limit);
  }
  show(troubleIn(topology.nodes), limit * troubleShare);
  if (centre === undefined) openGroups(tree, shown, limit);

  const opened = new Map<string, number>();
  for (const id of expand) {
    const key = parseAggregateId(id);
    if (key === undefined) continue;
    const members = membersOf(tree, shown, id, 0);
    const count = key.opened + pageSize;
    const base = formatAggregateId({ ...key, opened: 0 });
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
  return found.sort(by(({ rank }) => rank)).map(({ index }) => index);
}

/**
 * Shows level by level all groups of one size or none of them. Of groups that do not fit a sample is shown, unless there
 * is nothing below it.
 */
function openGroups(tree: ContainmentTree, shown: ShownSet, limit: number): void {
  for (const parents of [[-1], ...tree.levels]) {
    const closed = parents
      .filter((parent) => parent < 0 || shown.has(parent))
      .flatMap((parent) => groupsBelow(tree, parent))
      .filter((siblings) => shown.hiddenIn(siblings) > 0);
    const bySize = group(closed, ({ members }) => members.length);
    for (const [, groups] of [...bySize].sort(by(([key]) => key))) {
      if (
        shown.showAll(
          groups.flatMap(({ members }) => members),
          limit,
        )
      )
        continue;
      for (const siblings of groups) {
        if (collapsedSize(siblings) > 1) shown.showAll(siblings.members.slice(0, sampleSize), limit);
      }
    }
  }
}

/** Returns the hidden nodes that an aggregate stands for, in order. */
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

/** Identifies an aggregate: siblings of one kind below a node, or below an aggregate. */
interface AggregateKey {
  readonly kind: GraphNodeKind;
  /** The number of members that are opened already. The next page begins there. */
  readonly opened: number;
  /** A node's id, an aggregate's id with `opened` 0, or empty for roots. */
  readonly parentId: string;
}

export function formatAggregateId({ kind, opened, parentId }: AggregateKey): string {
  return `more:${kind}:${opened}@${parentId}`;
}

/** Returns undefined if it is not the id of an aggregate. */
function parseAggregateId(id: string): AggregateKey | undefined {
  const [, kindName, opened, parentId] = /^more:([a-z-]+):(\d{1,9})@(.*)$/s.exec(id) ?? [];
  const kind = graphNodeKinds.find((known) => known === kindName);
  if (kind === undefined || parentId === undefined) return undefined;
  return { kind, opened: Number(opened), parentId };
}

/**
 * The nodes that are shown one by one. The parent of a shown node is shown. Counts the elements of the picture: shown
 * nodes, and for each group with hidden members one node for each kind in it and below it (an upper bound).
 */
class ShownSet {
  readonly #tree: ContainmentTree;
  readonly #shown: Uint8Array;
  /** The number of hidden members, of groups with shown ones. */
  readonly #hidden = new Map<SiblingGroup, number>();
  #elements = 0;

  constructor(tree: ContainmentTree) {
    this.#tree = tree;
    this.#shown = new Uint8Array(tree.parent.length);
    for (const group of groupsBelow(this.#tree, -1)) this.#elements += this.#costOf(group);
  }

  has(node: number): boolean {
    return this.#shown[node] === 1;
  }

  hiddenIn(group: SiblingGroup): number {
    return this.#hidden.get(group) ?? group.members.length;
  }

  /** Shows a node and its ancestors, unless the picture would have more than `limit` elements. */
  show(node: number, limit: number): boolean {
    return this.showAll([node], limit);
  }

  showAll(nodes: readonly number[], limit: number): boolean {
    const added: number[] = [];
    for (const node of nodes) {
      const path: number[] = [];
      for (let at = node; at >= 0 && !this.has(at); at = this.#tree.parent[at] ?? -1) path.push(at);
      for (const step of path.reverse()) this.#add(step);
      added.push(...path);
      // The end of a group removes one element, so that a picture far beyond the limit stays beyond it.
      if (this.#elements > 2 * limit) break;
    }
    if (this.#elements <= limit) return true;
    for (const step of added.reverse()) this.#remove(step);
    return false;
  }

  #add(node: number): void {
    const group = groupOf(this.#tree, node);
    if (group === undefined) return;
    this.#elements -= this.#costOf(group);
    this.#hidden.set(group, this.hiddenIn(group) - 1);
    this.#elements += this.#costOf(group) + 1;
    for (const child of groupsBelow(this.#tree, node)) this.#elements += this.#costOf(child);
    this.#shown[node] = 1;
  }

  #remove(node: number): void {
    const group = groupOf(this.#tree, node);
    if (group === undefined) return;
    for (const child of groupsBelow(this.#tree, node)) this.#elements -= this.#costOf(child);
    this.#elements -= this.#costOf(group) + 1;
    this.#hidden.set(group, this.hiddenIn(group) + 1);
    this.#elements += this.#costOf(group);
    this.#shown[node] = 0;
  }

  #costOf(group: SiblingGroup): number {
    return this.hiddenIn(group) > 0 ? collapsedSize(group) : 0;
  }
}

/** The number of nodes for a collapsed group: one for itself, and one for each kind below it. */
function collapsedSize(group: SiblingGroup): number {
  let size = 1;
  for (let rest = group.below; rest !== 0; rest &= rest - 1) size += 1;
  return size;
}
