import type { ResourceKey } from '@/lib/observation/resource-state';

interface GraphNode {
  readonly key: ResourceKey;
  isRoot: boolean;
  uses: number;
  /** The references of the held resource, empty while none is held. */
  follows: readonly ResourceKey[];
  /** Changes of this node are not reported. */
  readonly isSilent: boolean;
  /** States whether it was reachable at the last take(); undefined if it was not touched since. */
  wasReachable: boolean | undefined;
}

const nothing: readonly ResourceKey[] = [];

export interface InterestChanges {
  readonly added: readonly ResourceKey[];
  readonly removed: readonly ResourceKey[];
}

/**
 * The wanted resources: the roots and everything that they reference. References are counted, so that the cost of a
 * change is proportional to what it affects. Aggregate clusters that reference each other would remain reachable by
 * their own references, so the whole graph is searched when such a loop may have been cut off.
 */
export class InterestGraph {
  readonly #isSilent: (key: ResourceKey) => boolean;

  /** The keys are type and name. Concatenated keys of 200,000 nodes would cost more than the rest of the graph. */
  readonly #nodes = new Map<string, Map<string, GraphNode>>();
  #touched: GraphNode[] = [];
  #mayHaveLoop = false;

  /** Changes of `isSilent` resources are not reported, because a wildcard subscription covers them. */
  constructor(isSilent: (key: ResourceKey) => boolean = () => false) {
    this.#isSilent = isSilent;
  }

  has(key: ResourceKey): boolean {
    return this.#find(key) !== undefined;
  }

  addRoot(key: ResourceKey): void {
    this.#makeRoot(this.#nodeOf(key));
  }

  addRootThatFollows(key: ResourceKey, follows: readonly ResourceKey[]): void {
    const node = this.#nodeOf(key);
    this.#makeRoot(node);
    this.#follow(node, follows);
  }

  #makeRoot(node: GraphNode): void {
    if (node.isRoot) return;
    const wasReachable = isReachable(node);
    this.#touch(node);
    node.isRoot = true;
    if (!wasReachable) this.#reach(node.follows);
  }

  removeRoot(key: ResourceKey): void {
    const node = this.#find(key);
    if (node?.isRoot !== true) return;
    this.#touch(node);
    node.isRoot = false;
    if (this.#isUnreachable(node)) this.#releaseFrom([node]);
  }

  /** Sets the references of a resource, which are empty if it is no longer held. */
  follow(key: ResourceKey, follows: readonly ResourceKey[]): void {
    this.#follow(this.#nodeOf(key), follows);
  }

  #follow(node: GraphNode, follows: readonly ResourceKey[]): void {
    const before = node.follows;
    if (before.length === 0 && follows.length === 0 && isReachable(node)) return;
    node.follows = follows;
    if (!isReachable(node)) {
      this.#forgetIfUnused(node);
      return;
    }
    // New references are added first, so that a node in both lists remains reachable.
    this.#reach(follows);
    if (before.length > 0) this.#releaseFrom(this.#release(before));
  }

  /** Returns the changes since the last call. Names that were added and removed in between are omitted. */
  take(): InterestChanges {
    if (this.#mayHaveLoop) this.#cutLoops();
    this.#mayHaveLoop = false;
    const added: ResourceKey[] = [];
    const removed: ResourceKey[] = [];
    const touched = this.#touched;
    this.#touched = [];
    for (const node of touched) {
      const { key, wasReachable, isSilent } = node;
      const isNow = isReachable(node);
      node.wasReachable = undefined;
      if (!isSilent && isNow && wasReachable === false) added.push(key);
      if (!isSilent && !isNow && wasReachable === true) removed.push(key);
      this.#forgetIfUnused(node);
    }
    return { added, removed };
  }

  #reach(keys: readonly ResourceKey[]): void {
    if (keys.length === 0) return;
    let waiting: ResourceKey[] | undefined;
    for (const key of keys) waiting = this.#use(key, waiting);
    for (let key = waiting?.pop(); key !== undefined; key = waiting?.pop()) waiting = this.#use(key, waiting);
  }

  /** Adds a reference to a node. If the node becomes reachable, its references are added to `waiting`. */
  #use(key: ResourceKey, waiting: ResourceKey[] | undefined): ResourceKey[] | undefined {
    const node = this.#nodeOf(key);
    const wasReachable = isReachable(node);
    this.#touch(node);
    node.uses += 1;
    if (wasReachable || node.follows.length === 0) return waiting;
    const more = waiting ?? [];
    for (const followed of node.follows) more.push(followed);
    return more;
  }

  /** Removes a reference from each node, and returns those that are no longer reachable. */
  #release(keys: readonly ResourceKey[]): GraphNode[] {
    const unreachable: GraphNode[] = [];
    for (const key of keys) {
      const node = this.#find(key);
      if (node === undefined) continue;
      this.#touch(node);
      node.uses -= 1;
      if (this.#isUnreachable(node)) unreachable.push(node);
    }
    return unreachable;
  }

  #releaseFrom(unreachable: readonly GraphNode[]): void {
    const waiting = [...unreachable];
    for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
      for (const next of this.#release(node.follows)) waiting.push(next);
      this.#forgetIfUnused(node);
    }
  }

  #isUnreachable(node: GraphNode): boolean {
    if (!isReachable(node)) return true;
    // Only a resource that references its own type (an aggregate cluster) can be part of a loop.
    const { typeUrl } = node.key;
    if (!node.isRoot && node.follows.some((key) => key.typeUrl === typeUrl)) this.#mayHaveLoop = true;
    return false;
  }

  #cutLoops(): void {
    const reached = new Set<GraphNode>();
    const nodes = [...this.#nodes.values()].flatMap((ofType) => [...ofType.values()]);
    const waiting = nodes.filter(({ isRoot }) => isRoot);
    for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
      if (reached.has(node)) continue;
      reached.add(node);
      for (const key of node.follows) waiting.push(this.#nodeOf(key));
    }
    for (const node of nodes) {
      if (reached.has(node) || node.uses === 0) continue;
      this.#touch(node);
      node.uses = 0;
      for (const key of node.follows) {
        const followed = this.#find(key);
        if (followed !== undefined && reached.has(followed)) followed.uses -= 1;
      }
      this.#forgetIfUnused(node);
    }
  }

  #find({ typeUrl, name }: ResourceKey): GraphNode | undefined {
    return this.#nodes.get(typeUrl)?.get(name);
  }

  #nodeOf(key: ResourceKey): GraphNode {
    const { typeUrl, name } = key;
    const ofType = this.#nodes.get(typeUrl);
    const known = ofType?.get(name);
    if (known !== undefined) return known;
    const isSilent = this.#isSilent(key);
    const node: GraphNode = {
      key,
      isRoot: false,
      uses: 0,
      follows: nothing,
      isSilent,
      wasReachable: undefined,
    };
    if (ofType === undefined) this.#nodes.set(typeUrl, new Map([[name, node]]));
    else ofType.set(name, node);
    return node;
  }

  #touch(node: GraphNode): void {
    if (node.wasReachable !== undefined) return;
    node.wasReachable = isReachable(node);
    this.#touched.push(node);
  }

  /** A touched node is kept until the next take(), which may have to report it. */
  #forgetIfUnused(node: GraphNode): void {
    if (isReachable(node) || node.follows.length > 0 || node.wasReachable !== undefined) return;
    this.#nodes.get(node.key.typeUrl)?.delete(node.key.name);
  }
}

function isReachable({ isRoot, uses }: GraphNode): boolean {
  return isRoot || uses > 0;
}
