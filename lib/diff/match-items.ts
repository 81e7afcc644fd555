import { bisector, range } from 'd3';
import { canonicalText, readKey } from './canonical-text';
import type { FactFinder } from './field-facts';
import { isJsonObject, isSameJson } from './json-object';
import type { ItemKey, ListRule } from './list-rule';

interface MatchedItems {
  /** The index on the left, by index on the right; -1 for added elements. */
  readonly order: readonly number[];
  /** Indexes on the right of elements whose place changed, if the order matters. */
  readonly moved: ReadonlySet<number>;
  /** True if the order differs, but does not matter. */
  readonly isReordered: boolean;
}

export interface ItemList {
  readonly left: readonly unknown[];
  readonly right: readonly unknown[];
  readonly message: string | undefined;
  readonly rule: ListRule;
}

/** Matches equal elements first, then elements with equal keys; see ListRule. */
export function matchItems(finder: FactFinder, list: ItemList): MatchedItems {
  return new Matching(finder, list).run();
}

class Matching {
  readonly #finder: FactFinder;
  readonly #list: ItemList;
  readonly #order: number[];
  readonly #matched: boolean[];
  readonly #leftTexts = new Map<number, string>();
  readonly #rightTexts = new Map<number, string>();
  readonly #moved = new Set<number>();

  constructor(finder: FactFinder, list: ItemList) {
    this.#finder = finder;
    this.#list = list;
    this.#order = new Array<number>(list.right.length).fill(-1);
    this.#matched = new Array<boolean>(list.left.length).fill(false);
  }

  run(): MatchedItems {
    const { left, right, rule } = this.#list;
    this.#trim();
    const lefts = [...left.keys()].filter((index) => this.#matched[index] !== true);
    const rights = [...right.keys()].filter((index) => this.#order[index] === -1);
    if (lefts.length > 0 && rights.length > 0) {
      if (rule.order === 'within-key') this.#matchGroups(lefts, rights);
      else this.#matchAll(lefts, rights);
    }
    if (rule.order === 'all') this.#markMoved([...right.keys()]);
    const kept = this.#order.filter((index) => index !== -1);
    const isRising = kept.every((index, at) => at === 0 || index > (kept[at - 1] ?? -1));
    return { order: this.#order, moved: this.#moved, isReordered: rule.order !== 'all' && !isRising };
  }

  #pair(left: number, right: number): void {
    this.#order[right] = left;
    this.#matched[left] = true;
  }

  /** Matches identical elements at the start and the end, which are most elements and the cheapest to match. */
  #trim(): void {
    const { left, right } = this.#list;
    const shared = Math.min(left.length, right.length);
    let start = 0;
    while (start < shared && isSameJson(left[start], right[start])) this.#pair(start, start++);
    let end = 1;
    while (end <= shared - start && isSameJson(left.at(-end), right.at(-end))) {
      this.#pair(left.length - end, right.length - end);
      end += 1;
    }
  }

  #matchAll(lefts: readonly number[], rights: readonly number[]): void {
    const { keys, like = [], order } = this.#list.rule;
    // Identical elements and unique keys are cheaper to match than equal meanings.
    this.#matchBy(lefts, rights, (side, index) => JSON.stringify(this.#list[side][index]));
    const [first] = keys;
    if (first !== undefined) this.#matchUnique(lefts, rights, first);
    this.#matchBy(lefts, rights, (side, index) => this.#textOf(side, index));
    for (const key of [...keys, ...like]) {
      this.#matchBy(lefts, rights, (side, index) => this.#keyOf(side, index, key));
    }
    if (order === 'all') this.#matchGaps();
    else this.#matchLast();
  }

  /** Matches elements with equal texts, in order. */
  #matchBy(
    lefts: readonly number[],
    rights: readonly number[],
    textOf: (side: 'left' | 'right', index: number) => string | undefined,
  ): void {
    const waiting = new Map<string, number[]>();
    for (const index of [...lefts].reverse()) {
      if (this.#matched[index] === true) continue;
      const text = textOf('left', index);
      if (text === undefined) continue;
      const others = waiting.get(text);
      if (others === undefined) waiting.set(text, [index]);
      else others.push(index);
    }
    if (waiting.size === 0) return;
    for (const index of rights) {
      if (this.#order[index] !== -1) continue;
      const text = textOf('right', index);
      const found = text === undefined ? undefined : waiting.get(text)?.pop();
      if (found !== undefined) this.#pair(found, index);
    }
  }

  /** Matches elements whose key is unique on both sides. */
  #matchUnique(lefts: readonly number[], rights: readonly number[], key: ItemKey): void {
    const left = this.#indexByKey('left', lefts, key);
    const right = this.#indexByKey('right', rights, key);
    for (const [name, index] of right) {
      const other = left.get(name);
      if (index !== 'several' && other !== undefined && other !== 'several') this.#pair(other, index);
    }
  }

  #indexByKey(side: 'left' | 'right', indexes: readonly number[], key: ItemKey) {
    const found = new Map<string, number | 'several'>();
    for (const index of indexes) {
      if (side === 'left' ? this.#matched[index] === true : this.#order[index] !== -1) continue;
      const name = this.#keyOf(side, index, key);
      if (name !== undefined) found.set(name, found.has(name) ? 'several' : index);
    }
    return found;
  }

  /** Matches the elements of each key by themselves. */
  #matchGroups(lefts: readonly number[], rights: readonly number[]): void {
    const groups = new Map<string, { lefts: number[]; rights: number[] }>();
    const groupOf = (side: 'left' | 'right', index: number) => {
      const [key] = this.#list.rule.keys;
      const name = (key && this.#keyOf(side, index, key)) ?? '';
      const known = groups.get(name) ?? { lefts: [], rights: [] };
      groups.set(name, known);
      return known;
    };
    for (const index of lefts) groupOf('left', index).lefts.push(index);
    for (const index of rights) groupOf('right', index).rights.push(index);
    for (const group of groups.values()) {
      this.#matchBy(group.lefts, group.rights, (side, index) => this.#textOf(side, index));
      const left = group.lefts.filter((index) => this.#matched[index] !== true);
      const right = group.rights.filter((index) => this.#order[index] === -1);
      for (const [at, index] of right.entries()) {
        const other = left[at];
        if (other !== undefined) this.#pair(other, index);
      }
      this.#markMoved(group.rights);
    }
  }

  /** Matches elements without a name that are between the same neighbours. */
  #matchGaps(): void {
    const matched = this.#order.flatMap((left, right) => (left === -1 ? [] : [{ left, right }]));
    const anchors = longestRising(matched.map(({ left }) => left)).flatMap((at) => matched[at] ?? []);
    let [fromLeft, fromRight] = [0, 0];
    for (const anchor of [...anchors, { left: this.#list.left.length, right: this.#list.right.length }]) {
      const lefts = range(fromLeft, anchor.left).filter((index) => this.#matched[index] !== true);
      const rights = range(fromRight, anchor.right).filter((index) => this.#order[index] === -1);
      for (const [at, right] of rights.entries()) {
        const left = lefts[at];
        if (left !== undefined && this.#mayBeOne(left, right)) this.#pair(left, right);
      }
      [fromLeft, fromRight] = [anchor.left + 1, anchor.right + 1];
    }
  }

  /** Matches the last elements of a set, if one is left on each side. */
  #matchLast(): void {
    const left = this.#matched.indexOf(false);
    const right = this.#order.indexOf(-1);
    if (left === -1 || right === -1) return;
    if (this.#matched.indexOf(false, left + 1) !== -1 || this.#order.indexOf(-1, right + 1) !== -1) return;
    if (isJsonObject(this.#list.left[left]) && this.#mayBeOne(left, right)) this.#pair(left, right);
  }

  /** Returns true if two unequal elements may match: not if both have names; otherwise they must share a field. */
  #mayBeOne(left: number, right: number): boolean {
    const { keys } = this.#list.rule;
    const isNamed = keys.some(
      (key) => this.#keyOf('left', left, key) !== undefined && this.#keyOf('right', right, key) !== undefined,
    );
    if (isNamed) return false;
    const [a, b] = [this.#list.left[left], this.#list.right[right]];
    if (!isJsonObject(a) || !isJsonObject(b)) return !isJsonObject(a) && !isJsonObject(b);
    return Object.keys(a).some((name) => Object.hasOwn(b, name));
  }

  #markMoved(rights: readonly number[]): void {
    const matched = rights.filter((index) => this.#order[index] !== -1);
    const inOrder = new Set(longestRising(matched.map((index) => this.#order[index] ?? -1)));
    for (const [at, index] of matched.entries()) if (!inOrder.has(at)) this.#moved.add(index);
  }

  #textOf(side: 'left' | 'right', index: number): string {
    const texts = side === 'left' ? this.#leftTexts : this.#rightTexts;
    const known = texts.get(index);
    if (known !== undefined) return known;
    const text = canonicalText(this.#finder, this.#list[side][index], this.#list.message);
    texts.set(index, text);
    return text;
  }

  #keyOf(side: 'left' | 'right', index: number, key: ItemKey): string | undefined {
    const { message, rule } = this.#list;
    return readKey(this.#finder, this.#list[side][index], message, key, rule);
  }
}

/**
 * Finds the longest increasing subsequence of `places`, as indexes. Elements that are not part of it have moved.
 */
function longestRising(places: readonly number[]): number[] {
  /** The entry for a length - 1 is the index of the smallest end of an increasing subsequence of that length. */
  const ends: number[] = [];
  const before: number[] = [];
  const byPlace = bisector((end: number) => places[end] ?? 0);
  for (const [index, place] of places.entries()) {
    const length = byPlace.left(ends, place);
    before.push(ends[length - 1] ?? -1);
    ends[length] = index;
  }
  const run: number[] = [];
  for (let index = ends.at(-1) ?? -1; index >= 0; index = before[index] ?? -1) run.push(index);
  return run.reverse();
}
