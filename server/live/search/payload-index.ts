import { by, inTurn } from '@/lib/collections/compare';
import { holds } from '@/lib/filter/match-filter';
import type { FilterCondition } from '@/lib/filter/parse-filter';
import { rankMatch } from '@/lib/filter/rank-match';
import { CDS, EDS, LDS, normaliseTypeUrl, RDS, VHDS } from '@/lib/xds/resource-type';
import type { PayloadTexts } from './payload-texts';
import { PostingTable } from './posting-table';
import type { IndexState } from './search-jobs';
import { TextIndex } from './text-index';

const kinds = { address: 0, domain: 1 } as const;
const withTexts: ReadonlySet<string> = new Set([LDS, RDS, VHDS, CDS, EDS].map(({ typeUrl }) => typeUrl));
const mostRead = 8_000_000;
const mostRanked = 1_000;
/** A payload that is not stored yet is tried again; one that is not stored any more is given up. */
const mostTries = 5;

interface Waiting {
  readonly typeUrl: string;
  readonly tries: number;
}

/** Addresses and domains of payloads, each of which is read once. */
export class PayloadIndex {
  readonly #mostPayloads: number;
  #texts = new TextIndex();
  /** The owner of a posting is a payload. */
  #postings = new PostingTable();
  readonly #numbers = new Map<string, number>();
  #hashes: string[] = [];
  readonly #waiting = new Map<string, Waiting>();
  #leftOut = 0;

  constructor(mostPayloads: number) {
    this.#mostPayloads = mostPayloads;
  }

  get state(): Pick<IndexState, 'payloads' | 'payloadsWaiting' | 'payloadsLeftOut' | 'payloadBytes'> {
    return {
      payloads: this.#hashes.length - this.#waiting.size,
      payloadsWaiting: this.#waiting.size,
      payloadsLeftOut: this.#leftOut,
      payloadBytes: this.#texts.bytes + this.#postings.bytes,
    };
  }

  add(hash: string, typeUrl: string): void {
    if (!withTexts.has(normaliseTypeUrl(typeUrl)) || this.#numbers.has(hash)) return;
    if (this.#hashes.length >= this.#mostPayloads) {
      this.#leftOut += 1;
      return;
    }
    this.#numbers.set(hash, this.#hashes.push(hash) - 1);
    this.#waiting.set(hash, { typeUrl, tries: 0 });
  }

  get isFull(): boolean {
    return this.#hashes.length >= this.#mostPayloads;
  }

  /** Forgets the payloads that are not in use, so that others have room. */
  keep(isUsed: (hash: string) => boolean): void {
    const [hashes, texts, postings] = [this.#hashes, this.#texts, this.#postings];
    this.#hashes = hashes.filter(isUsed);
    this.#numbers.clear();
    for (const [number, hash] of this.#hashes.entries()) this.#numbers.set(hash, number);
    for (const hash of this.#waiting.keys()) if (!this.#numbers.has(hash)) this.#waiting.delete(hash);
    this.#texts = new TextIndex();
    this.#postings = new PostingTable();
    this.#leftOut = 0;
    for (let text = 0; text < texts.count; text++) {
      for (const { owner } of postings.postingsOf(text)) {
        const number = this.#numbers.get(hashes[owner] ?? '');
        if (number !== undefined) this.#put(texts.kindOf(text), texts.textOf(text), number);
      }
    }
  }

  /** The hashes of payloads to read, with their types. */
  next(most: number): Map<string, string> {
    const some = new Map<string, string>();
    for (const [hash, { typeUrl }] of this.#waiting) {
      if (some.size === most) break;
      some.set(hash, typeUrl);
    }
    return some;
  }

  /** `found` is undefined if the payload is not stored. */
  read(hash: string, found: PayloadTexts | undefined): void {
    const waiting = this.#waiting.get(hash);
    if (waiting === undefined) return;
    this.#waiting.delete(hash);
    if (found === undefined) {
      if (waiting.tries + 1 < mostTries) this.#waiting.set(hash, { ...waiting, tries: waiting.tries + 1 });
      return;
    }
    const owner = this.#numbers.get(hash) ?? 0;
    for (const address of found.addresses) this.#put(kinds.address, address, owner);
    for (const domain of found.domains) this.#put(kinds.domain, domain, owner);
  }

  #put(kind: number, text: string, owner: number): void {
    const id = this.#texts.add(kind, text);
    if (id !== undefined) this.#postings.set(id, { owner, mark: 0, tag: 0 });
  }

  /** The best matches, each with the payloads that contain it. Without words and conditions there are none. */
  search(
    kind: keyof typeof kinds,
    words: readonly string[],
    conditions: readonly FilterCondition[],
    limit: number,
  ): { readonly text: string; readonly hashes: readonly string[] }[] {
    if (words.length + conditions.length === 0) return [];
    const positive = conditions.filter(({ operator }) => operator === '~' || operator === '=');
    const { ids } = this.#texts.search({
      words: [...words, ...positive.map(({ value }) => value)],
      isWanted: (id) =>
        this.#texts.kindOf(id) === kinds[kind] &&
        conditions.every((condition) => holds(condition, [this.#texts.textOf(id)])),
      most: mostRanked,
      mostBytes: mostRead,
    });
    const word = words[0] ?? positive[0]?.value ?? '';
    return ids
      .map((id) => ({ id, text: this.#texts.textOf(id) }))
      .map((each) => ({ ...each, rank: rankMatch(each.text.toLowerCase(), word) }))
      .sort(
        inTurn(
          by(({ rank }) => rank),
          by(({ text }) => text),
        ),
      )
      .slice(0, limit)
      .map(({ id, text }) => ({
        text,
        hashes: [...this.#postings.postingsOf(id)].map(({ owner }) => this.#hashes[owner] ?? ''),
      }));
  }
}
