import { canonicalText, readKey } from './canonical-text';
import type { FactFinder } from './field-facts';
import { isJsonObject, isSameJson } from './json-object';
import type { ItemKey, ListRule } from './list-rule';

/** Which elements of two lists are the same one. */
export interface MatchedItems {
  /** By index on the right: the index on the left, or -1 of what was added. */
  readonly order: readonly number[];
  /** Indexes on the right of elements whose place changed, where places have a meaning. */
  readonly moved: ReadonlySet<number>;
  /** Elements stand in another order, and it means nothing. */
  readonly isReordered: boolean;
}

export interface ItemList {
  readonly left: readonly unknown[];
  readonly right: readonly unknown[];
  /** Of the elements. */
  readonly message: string | undefined;
  readonly rule: ListRule;
}

/** Matches by what is alike first, then by each key in turn; see ListRule. */
export function matchItems(finder: FactFinder, list: ItemList): MatchedItems {
  const matching = new Matching(finder, list);
  return matching.run();
}

class Matching {
  private readonly order: number[];
  private readonly taken: boolean[];
  private readonly leftTexts = new Map<number, string>();
  private readonly rightTexts = new Map<number, string>();
  private readonly moved = new Set<number>();

  constructor(
    private readonly finder: FactFinder,
    private readonly list: ItemList,
  ) {
    this.order = new Array<number>(list.right.length).fill(-1);
    this.taken = new Array<boolean>(list.left.length).fill(false);
  }

  run(): MatchedItems {
    const { left, right, rule } = this.list;
    this.trim();
    const lefts = [...left.keys()].filter((index) => this.taken[index] !== true);
    const rights = [...right.keys()].filter((index) => this.order[index] === -1);
    if (lefts.length > 0 && rights.length > 0) {
      if (rule.order === 'within-key') this.matchGroups(lefts, rights);
      else this.matchAll(lefts, rights);
    }
    if (rule.order === 'all') this.markMoved([...right.keys()]);
    const kept = this.order.filter((index) => index !== -1);
    const isRising = kept.every((index, at) => at === 0 || index > (kept[at - 1] ?? -1));
    return { order: this.order, moved: this.moved, isReordered: rule.order !== 'all' && !isRising };
  }

  private pair(left: number, right: number): void {
    this.order[right] = left;
    this.taken[left] = true;
  }

  /** What is the same at the beginning and the end: mostly nearly all, and to find it costs least. */
  private trim(): void {
    const { left, right } = this.list;
    const shared = Math.min(left.length, right.length);
    let start = 0;
    while (start < shared && isSameJson(left[start], right[start])) this.pair(start, start++);
    let end = 1;
    while (end <= shared - start && isSameJson(left.at(-end), right.at(-end))) {
      this.pair(left.length - end, right.length - end);
      end += 1;
    }
  }

  private matchAll(lefts: readonly number[], rights: readonly number[]): void {
    const { keys, like = [], order } = this.list.rule;
    // What is the same to the letter, and what has a key for itself, costs less to find than what means the same.
    this.matchBy(lefts, rights, (side, index) => JSON.stringify(this.list[side][index]));
    const [first] = keys;
    if (first !== undefined) this.matchUnique(lefts, rights, first);
    this.matchBy(lefts, rights, (side, index) => this.textOf(side, index));
    for (const key of [...keys, ...like]) {
      this.matchBy(lefts, rights, (side, index) => this.keyOf(side, index, key));
    }
    if (order === 'all') this.matchGaps();
    else this.matchLast();
  }

  /** The first left one of a text is that of the first right one, and so on. */
  private matchBy(
    lefts: readonly number[],
    rights: readonly number[],
    textOf: (side: 'left' | 'right', index: number) => string | undefined,
  ): void {
    const waiting = new Map<string, number[]>();
    for (const index of [...lefts].reverse()) {
      if (this.taken[index] === true) continue;
      const text = textOf('left', index);
      if (text === undefined) continue;
      const others = waiting.get(text);
      if (others === undefined) waiting.set(text, [index]);
      else others.push(index);
    }
    if (waiting.size === 0) return;
    for (const index of rights) {
      if (this.order[index] !== -1) continue;
      const text = textOf('right', index);
      const found = text === undefined ? undefined : waiting.get(text)?.pop();
      if (found !== undefined) this.pair(found, index);
    }
  }

  /** Only elements whose key no other has, on either side. */
  private matchUnique(lefts: readonly number[], rights: readonly number[], key: ItemKey): void {
    const left = this.indexByKey('left', lefts, key);
    const right = this.indexByKey('right', rights, key);
    for (const [name, index] of right) {
      const other = left.get(name);
      if (index !== 'several' && other !== undefined && other !== 'several') this.pair(other, index);
    }
  }

  private indexByKey(side: 'left' | 'right', indexes: readonly number[], key: ItemKey) {
    const found = new Map<string, number | 'several'>();
    for (const index of indexes) {
      if (side === 'left' ? this.taken[index] === true : this.order[index] !== -1) continue;
      const name = this.keyOf(side, index, key);
      if (name !== undefined) found.set(name, found.has(name) ? 'several' : index);
    }
    return found;
  }

  /** Each key by itself; within it the order means something. */
  private matchGroups(lefts: readonly number[], rights: readonly number[]): void {
    const groups = new Map<string, { lefts: number[]; rights: number[] }>();
    const groupOf = (side: 'left' | 'right', index: number) => {
      const [key] = this.list.rule.keys;
      const name = (key && this.keyOf(side, index, key)) ?? '';
      const known = groups.get(name) ?? { lefts: [], rights: [] };
      groups.set(name, known);
      return known;
    };
    for (const index of lefts) groupOf('left', index).lefts.push(index);
    for (const index of rights) groupOf('right', index).rights.push(index);
    for (const group of groups.values()) {
      this.matchBy(group.lefts, group.rights, (side, index) => this.textOf(side, index));
      const left = group.lefts.filter((index) => this.taken[index] !== true);
      const right = group.rights.filter((index) => this.order[index] === -1);
      for (const [at, index] of right.entries()) {
        const other = left[at];
        if (other !== undefined) this.pair(other, index);
      }
      this.markMoved(group.rights);
    }
  }

  /** Of elements without a name: what stands between the same neighbours is the same one, changed. */
  private matchGaps(): void {
    const matched = this.order.flatMap((left, right) => (left === -1 ? [] : [{ left, right }]));
    const anchors = longestRising(matched.map(({ left }) => left)).flatMap((at) => matched[at] ?? []);
    let [fromLeft, fromRight] = [0, 0];
    for (const anchor of [...anchors, { left: this.list.left.length, right: this.list.right.length }]) {
      const lefts = range(fromLeft, anchor.left).filter((index) => this.taken[index] !== true);
      const rights = range(fromRight, anchor.right).filter((index) => this.order[index] === -1);
      for (const [at, right] of rights.entries()) {
        const left = lefts[at];
        if (left !== undefined && this.mayBeOne(left, right)) this.pair(left, right);
      }
      [fromLeft, fromRight] = [anchor.left + 1, anchor.right + 1];
    }
  }

  /** Of a set: one is left over on each side. */
  private matchLast(): void {
    const left = this.taken.indexOf(false);
    const right = this.order.indexOf(-1);
    if (left === -1 || right === -1) return;
    if (this.taken.indexOf(false, left + 1) !== -1 || this.order.indexOf(-1, right + 1) !== -1) return;
    if (isJsonObject(this.list.left[left]) && this.mayBeOne(left, right)) this.pair(left, right);
  }

  /** Two names are two things; what has no name must have something in common. */
  private mayBeOne(left: number, right: number): boolean {
    const { keys } = this.list.rule;
    const isNamed = keys.some(
      (key) => this.keyOf('left', left, key) !== undefined && this.keyOf('right', right, key) !== undefined,
    );
    if (isNamed) return false;
    const [a, b] = [this.list.left[left], this.list.right[right]];
    if (!isJsonObject(a) || !isJsonObject(b)) return !isJsonObject(a) && !isJsonObject(b);
    return Object.keys(a).some((name) => Object.hasOwn(b, name));
  }

  private markMoved(rights: readonly number[]): void {
    const matched = rights.filter((index) => this.order[index] !== -1);
    const inOrder = new Set(longestRising(matched.map((index) => this.order[index] ?? -1)));
    for (const [at, index] of matched.entries()) if (!inOrder.has(at)) this.moved.add(index);
  }

  private textOf(side: 'left' | 'right', index: number): string {
    const texts = side === 'left' ? this.leftTexts : this.rightTexts;
    const known = texts.get(index);
    if (known !== undefined) return known;
    const text = canonicalText(this.finder, this.list[side][index], this.list.message);
    texts.set(index, text);
    return text;
  }

  private keyOf(side: 'left' | 'right', index: number, key: ItemKey): string | undefined {
    const { message, rule } = this.list;
    return readKey(this.finder, this.list[side][index], message, key, rule);
  }
}

function range(from: number, to: number): number[] {
  return Array.from({ length: Math.max(0, to - from) }, (_, index) => from + index);
}

/**
 * Of places, those that are in their order already, as many as there can be: what is not among them has moved. Indexes
 * into `places`, rising.
 */
function longestRising(places: readonly number[]): number[] {
  /** By length - 1: the index whose place is the lowest end of a rising run of that length. */
  const ends: number[] = [];
  const before: number[] = [];
  for (const [index, place] of places.entries()) {
    let [low, high] = [0, ends.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((places[ends[middle] ?? 0] ?? 0) < place) low = middle + 1;
      else high = middle;
    }
    before.push(low === 0 ? -1 : (ends[low - 1] ?? -1));
    ends[low] = index;
  }
  const run: number[] = [];
  for (let index = ends.at(-1) ?? -1; index >= 0; index = before[index] ?? -1) run.push(index);
  return run.reverse();
}
