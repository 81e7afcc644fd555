import { by, byDescending, inTurn } from '@/lib/collections/compare';
import { holds } from '@/lib/filter/match-filter';
import type { FilterCondition } from '@/lib/filter/parse-filter';
import { rankMatch } from '@/lib/filter/rank-match';
import { compareNames } from '@/lib/format/compare-names';
import { compareTypeUrls, findResourceType, formatResourceType } from '@/lib/xds/resource-type';
import { states } from '@/lib/xds/status';
import { PayloadIndex } from './payload-index';
import { goneMark, isHeldMark, isProbeMark, stateIndexOf } from './posting-mark';
import { PostingTable } from './posting-table';
import type { FoundResource, IndexState, RowBatch, SearchInput, SearchOutput } from './search-jobs';
import { TextIndex } from './text-index';

interface IndexLimits {
  /** Bytes of names, postings and tables; beyond it, new rows are left out. */
  readonly mostBytes: number;
  readonly mostPayloads: number;
}

const usualLimits: IndexLimits = { mostBytes: 265_000_000, mostPayloads: 50_000 };

/** Matches that are ranked; there may be more. */
const mostRanked = 2_000;
/** Names that are read for one search, which takes some milliseconds. */
const mostBytesRead = 8_000_000;
/** A kind is one byte. */
const mostTypes = 255;
/** Texts may be those of payloads that no client has any more: as many more are read. */
const oldTexts = 3;
const hexPattern = /^[0-9a-f]{6,64}$/;

/** Finds which clients have which resources, by parts of names and of payloads. */
export class ResourceIndex {
  readonly #limits: IndexLimits;
  #names = new TextIndex();
  #postings = new PostingTable();
  #types: readonly string[] = [];
  #rowsLeftOut = 0;
  #rowsSinceSweep = 0;
  readonly payloads: PayloadIndex;

  constructor(limits: IndexLimits = usualLimits) {
    this.#limits = limits;
    this.payloads = new PayloadIndex(limits.mostPayloads);
  }

  get state(): Omit<IndexState, 'worker'> {
    return {
      resources: this.#names.count,
      postings: this.#postings.count,
      rowsLeftOut: this.#rowsLeftOut,
      bytes: this.#bytes,
      ...this.payloads.state,
    };
  }

  apply({ types, owners, kinds, names, marks, hashes }: RowBatch): void {
    this.#types = types.slice(0, mostTypes);
    const isFull = this.#bytes >= this.#limits.mostBytes;
    this.#rowsSinceSweep += owners.length;
    if (this.payloads.isFull && this.#rowsSinceSweep >= this.#limits.mostPayloads) this.#forgetPayloads();
    for (let at = 0; at < owners.length; at++) {
      const [owner = 0, kind = 0, name = '', mark = goneMark] = [owners[at], kinds[at], names[at], marks[at]];
      if (mark === goneMark) {
        const text = this.#names.find(kind, name);
        if (text !== undefined) this.#postings.remove(text, owner);
        continue;
      }
      const text =
        kind >= mostTypes ? undefined : isFull ? this.#names.find(kind, name) : this.#names.add(kind, name);
      if (text === undefined) {
        this.#rowsLeftOut += 1;
        continue;
      }
      const hash = hashes[at] ?? null;
      this.#postings.set(text, { owner, mark, tag: tagOf(hash) });
      if (hash !== null) this.payloads.add(hash, this.#types[kind] ?? '');
    }
  }

  drop(owners: readonly number[]): void {
    this.#postings.removeOwners(new Set(owners));
    this.#compactIfNeeded();
  }

  search({ words, conditions, limit }: SearchInput): Omit<SearchOutput, 'state'> {
    const ofPayload = (field: 'address' | 'domain') => conditions.filter((each) => each.field === field);
    const rest = conditions.filter(
      ({ field }) => field !== 'address' && field !== 'domain' && field !== 'hash',
    );
    const prefix = hashPrefixOf(words, conditions);
    const isOfPayload = ofPayload('address').length + ofPayload('domain').length > 0 || hasHash(conditions);
    const { ids, isComplete } = isOfPayload ? { ids: [], isComplete: true } : this.#findNames(words, rest);
    const texts = (kind: 'address' | 'domain') => {
      // A condition of the other field, or of a hash, excludes these.
      if (isOfPayload && ofPayload(kind).length === 0) return [];
      const found = this.payloads.search(kind, words, ofPayload(kind), limit * oldTexts);
      if (found.length === 0) return [];
      const tags = new Set(found.flatMap(({ hashes }) => hashes.map(tagOf)));
      const byTag = this.#postings.textsByTag(Array.from(tags, highBitsOf), (tag) => tags.has(tag));
      const used = found.flatMap(({ text, hashes }) => {
        const all = new Set(hashes.flatMap((hash) => [...(byTag.get(tagOf(hash)) ?? [])]));
        const ids = this.#passing(all, [], rest);
        return ids.length === 0 ? [] : [{ text, resources: this.#top(ids, [], limit) }];
      });
      return used.slice(0, limit);
    };
    return {
      resources: this.#top(ids, words, limit),
      total: ids.length,
      isComplete,
      endpoints: texts('address'),
      domains: texts('domain'),
      byHash: prefix === undefined ? [] : this.#findByHash(prefix, rest, limit),
    };
  }

  get #bytes(): number {
    return this.#names.bytes + this.#postings.bytes;
  }

  #findNames(words: readonly string[], conditions: readonly FilterCondition[]) {
    const parts = conditions.filter(({ field, operator }) => field === 'name' && operator === '~');
    const allWords = [...words, ...parts.map(({ value }) => value)];
    const wantedState = conditions.find(({ field, operator }) => field === 'status' && operator === '=');
    // Few resources are in most states, so that these are found first.
    if (wantedState !== undefined) {
      const state = states.findIndex((each) => each.toLowerCase() === wantedState.value);
      const marks = Uint8Array.from({ length: 256 }, (_, mark) => Number(stateIndexOf(mark) === state));
      const inState = this.#postings.textsWithMark(marks);
      const ids = this.#passing(inState, allWords, conditions);
      return { ids: ids.slice(0, mostRanked), isComplete: ids.length <= mostRanked };
    }
    if (allWords.length + conditions.length === 0) return { ids: [], isComplete: true };
    const found = this.#names.search({
      words: allWords,
      isWanted: (id) => this.#postings.countOf(id) > 0 && this.#fulfils(id, conditions),
      most: mostRanked,
      mostBytes: mostBytesRead,
    });
    if (found.isComplete) return found;
    // The name itself is found, even if there are too many others.
    const whole = words.join(' ');
    const exact = this.#types.flatMap((_, kind) => this.#names.find(kind, whole) ?? []);
    const ids = new Set([...this.#passing(exact, [], conditions), ...found.ids]);
    return { ids: [...ids], isComplete: false };
  }

  #findByHash(prefix: string, conditions: readonly FilterCondition[], limit: number): FoundResource[] {
    const digits = prefix.slice(0, 8);
    const from = Number.parseInt(digits.padEnd(8, '0'), 16);
    const to = Number.parseInt(digits.padEnd(8, 'f'), 16);
    const isWanted = (tag: number): boolean => tag >= from && tag <= to;
    const [first, last] = [highBitsOf(from), highBitsOf(to)];
    const highBits = Array.from({ length: last - first + 1 }, (_, at) => first + at);
    const found = new Set(
      [...this.#postings.textsByTag(highBits, isWanted).values()].flatMap((ids) => [...ids]),
    );
    return this.#top(this.#passing(found, [], conditions), [], limit, isWanted);
  }

  #passing(
    ids: Iterable<number>,
    words: readonly string[],
    conditions: readonly FilterCondition[],
  ): number[] {
    return [...ids].filter((id) => {
      if (this.#postings.countOf(id) === 0 || !this.#fulfils(id, conditions)) return false;
      const name = words.length === 0 ? '' : this.#names.textOf(id).toLowerCase();
      return words.every((word) => name.includes(word));
    });
  }

  #fulfils(id: number, conditions: readonly FilterCondition[]): boolean {
    return conditions.every((condition) => holds(condition, this.#valuesOf(id, condition.field)));
  }

  #valuesOf(id: number, field: string): string[] {
    if (field === 'name') return [this.#names.textOf(id)];
    if (field === 'type') {
      const typeUrl = this.#types[this.#names.kindOf(id)] ?? '';
      return [typeUrl, formatResourceType(typeUrl), findResourceType(typeUrl)?.noun ?? ''];
    }
    const found = new Set<string>();
    for (const { mark } of this.#postings.postingsOf(id)) found.add(states[stateIndexOf(mark)] ?? '');
    return [...found];
  }

  /** The best matches first, then those of most clients. */
  #top(
    ids: readonly number[],
    words: readonly string[],
    limit: number,
    isWanted: (tag: number) => boolean = () => true,
  ): FoundResource[] {
    const [word = ''] = words;
    const ranked = ids.map((id) => {
      const name = this.#names.textOf(id);
      const rank = word === '' ? 0 : rankMatch(name.toLowerCase(), word);
      return {
        id,
        name,
        rank,
        clients: this.#postings.countOf(id),
        typeUrl: this.#types[this.#names.kindOf(id)] ?? '',
      };
    });
    ranked.sort(
      inTurn(
        by(({ rank }) => rank),
        byDescending(({ clients }) => clients),
        by(({ typeUrl }) => typeUrl, compareTypeUrls),
        by(({ name }) => name, compareNames),
      ),
    );
    return ranked.slice(0, limit).map(({ id, name, typeUrl }) => {
      const counts = new Array<number>(states.length).fill(0);
      let [clients, holders, probes, owner] = [0, 0, 0, 0];
      for (const { mark, tag, owner: each } of this.#postings.postingsOf(id)) {
        if (isWanted(tag)) owner = each;
        if (isProbeMark(mark)) {
          probes += 1;
          continue;
        }
        const state = stateIndexOf(mark);
        counts[state] = (counts[state] ?? 0) + 1;
        clients += 1;
        if (isHeldMark(mark)) holders += 1;
      }
      return { typeUrl, name, clients, holders, probes, states: counts, owner };
    });
  }

  /** Payloads are replaced by later ones, and no client has the old ones any more. */
  #forgetPayloads(): void {
    this.#rowsSinceSweep = 0;
    const used = this.#postings.tags();
    this.payloads.keep((hash) => used.has(tagOf(hash)));
  }

  /** Names that no client has any more take space until they are half of all. */
  #compactIfNeeded(): void {
    const { count } = this.#names;
    let live = 0;
    for (let id = 0; id < count; id++) if (this.#postings.countOf(id) > 0) live += 1;
    if (count - live < 10_000 || live > count / 2) return;
    const [names, postings] = [this.#names, this.#postings];
    this.#names = new TextIndex();
    this.#postings = new PostingTable();
    for (let id = 0; id < count; id++) {
      if (postings.countOf(id) === 0) continue;
      const text = this.#names.add(names.kindOf(id), names.textOf(id));
      if (text === undefined) continue;
      for (const posting of postings.postingsOf(id)) this.#postings.set(text, posting);
    }
    this.#rowsLeftOut = 0;
  }
}

/** The first 32 bits; 0 without a hash. */
function tagOf(hash: string | null): number {
  return hash === null ? 0 : Number.parseInt(hash.slice(0, 8), 16) >>> 0;
}

function highBitsOf(tag: number): number {
  return tag >>> 16;
}

function hasHash(conditions: readonly FilterCondition[]): boolean {
  return conditions.some(({ field }) => field === 'hash');
}

function hashPrefixOf(words: readonly string[], conditions: readonly FilterCondition[]): string | undefined {
  const [word, ...others] = hasHash(conditions)
    ? conditions.filter(({ field }) => field === 'hash').map(({ value }) => value)
    : words;
  return word !== undefined && others.length === 0 && hexPattern.test(word) ? word : undefined;
}
