/** The keys of an object in their order; `place` is the position of the shape in the vocabulary. */
export interface Shape {
  readonly place: number;
  readonly keys: readonly string[];
  readonly keyTokens: readonly number[];
}

/** A node of a tree of keys, reached by the keys before it. Most nodes have one successor. */
export class ShapeNode {
  shape: Shape | undefined;
  #key: string | undefined;
  #next: ShapeNode | undefined;
  #others: Map<string, ShapeNode> | undefined;

  after(key: string): ShapeNode {
    if (key === this.#key && this.#next !== undefined) return this.#next;
    return this.#find(key);
  }

  #find(key: string): ShapeNode {
    if (this.#next === undefined) {
      this.#key = key;
      this.#next = new ShapeNode();
      return this.#next;
    }
    this.#others ??= new Map();
    let node = this.#others.get(key);
    if (node === undefined) {
      node = new ShapeNode();
      this.#others.set(key, node);
    }
    return node;
  }
}
