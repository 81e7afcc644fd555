import { type ContainmentTree, groupOf, groupsBelow, type SiblingGroup } from './containment-tree';

/**
 * The nodes that are shown one by one. The parent of a shown node is shown. Counts the elements of the picture: shown
 * nodes, and for each group with hidden members one node for each kind in it and below it (an upper bound).
 */
export class ShownSet {
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
export function collapsedSize(group: SiblingGroup): number {
  let size = 1;
  for (let rest = group.below; rest !== 0; rest &= rest - 1) size += 1;
  return size;
}
