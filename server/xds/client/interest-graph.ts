import type { ResourceKey } from '@/lib/observation/observation';

interface GraphNode {
  readonly key: ResourceKey;
  isRoot: boolean;
  /** How many references of reachable nodes lead here. */
  uses: number;
  /** What the body that is held refers to; empty while none is held. */
  follows: readonly ResourceKey[];
  /** Nobody is reported it. */
  readonly isSilent: boolean;
  /** Was it reachable at the last take()? undefined: it was not touched since. */
  wasReachable: boolean | undefined;
}

const nothing: readonly ResourceKey[] = [];

/** What can be reached now and could not before, or the other way round. */
export interface InterestChanges {
  readonly added: readonly ResourceKey[];
  readonly removed: readonly ResourceKey[];
}

/**
 * Which resources are wanted: the roots, and all that they lead to. References are counted, so that a change costs what
 * it touches; two aggregate clusters that name each other would keep each other for ever, so where a loop may have been
 * cut off, all is looked through.
 */
export class InterestGraph {
  /** By type and name: there may be 200,000, and keys made of both would cost more than all the rest. */
  readonly #nodes = new Map<string, Map<string, GraphNode>>();
  /** Since the last take(). */
  #touched: GraphNode[] = [];
  #mayHaveLoop = false;

  /** `isSilent`: names that nobody has to hear of, since they need no asking. */
  constructor(private readonly isSilent: (key: ResourceKey) => boolean = () => false) {}

  has(key: ResourceKey): boolean {
    return this.#find(key) !== undefined;
  }

  addRoot(key: ResourceKey): void {
    this.#makeRoot(this.#nodeOf(key));
  }

  /** addRoot() and follow() in one. */
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
    if (this.#isLost(node)) this.#letGoFrom([node]);
  }

  /** What a resource refers to from now on; nothing when it is held no more. */
  follow(key: ResourceKey, follows: readonly ResourceKey[]): void {
    this.#follow(this.#nodeOf(key), follows);
  }

  #follow(node: GraphNode, follows: readonly ResourceKey[]): void {
    const before = node.follows;
    // As of endpoints, most of all.
    if (before.length === 0 && follows.length === 0 && isReachable(node)) return;
    node.follows = follows;
    if (!isReachable(node)) {
      this.#forgetIfUnused(node);
      return;
    }
    // New ones first: what both lists name is never let go.
    this.#reach(follows);
    if (before.length > 0) this.#letGoFrom(this.#letGo(before));
  }

  /** Of names that came and went in between nothing is said. */
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

  /** What it leads to is to be used too, where it could not be reached before: that is added to `waiting`. */
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

  /** Those that cannot be reached any more, of nodes with one use less. */
  #letGo(keys: readonly ResourceKey[]): GraphNode[] {
    const lost: GraphNode[] = [];
    for (const key of keys) {
      const node = this.#find(key);
      if (node === undefined) continue;
      this.#touch(node);
      node.uses -= 1;
      if (this.#isLost(node)) lost.push(node);
    }
    return lost;
  }

  #letGoFrom(lost: readonly GraphNode[]): void {
    const waiting = [...lost];
    for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
      for (const next of this.#letGo(node.follows)) waiting.push(next);
      this.#forgetIfUnused(node);
    }
  }

  #isLost(node: GraphNode): boolean {
    if (!isReachable(node)) return true;
    // Only what leads to its own kind (an aggregate cluster) can be part of a loop.
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
    const isSilent = this.isSilent(key);
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

  /** One that was touched is remembered until the next take(), which may have to report it. */
  #forgetIfUnused(node: GraphNode): void {
    if (isReachable(node) || node.follows.length > 0 || node.wasReachable !== undefined) return;
    this.#nodes.get(node.key.typeUrl)?.delete(node.key.name);
  }
}

function isReachable({ isRoot, uses }: GraphNode): boolean {
  return isRoot || uses > 0;
}
