import type { Observation } from '@/lib/observation/observation';
import { type BlockColumns, type BlockTerms, storedKinds, storedVantages } from './block-columns';
import { partOrder } from './block-parts';
import { lowerBound } from './hash-text';

/** Reads the larger parts of a block from the storage, or from rows that are not in a block yet. */
interface BlockSource {
  readonly terms: () => BlockTerms;
  /** Returns a new object without its seq. */
  readonly observation: (index: number, block: LogBlock) => Observation;
}

export class LogBlock {
  readonly #source: BlockSource;
  readonly #termsBytes: number;

  #terms: BlockTerms | undefined;
  #numbers: Map<string, number> | undefined;
  #places: { readonly parts: Uint32Array; readonly indices: Uint32Array } | undefined;

  constructor(
    readonly columns: BlockColumns,
    /** Number of observations in each part; empty for rows in memory. */
    readonly partCounts: readonly number[],
    source: BlockSource,
    /** Estimated size of the terms once they are decoded. */
    termsBytes = 0,
  ) {
    this.#source = source;
    this.#termsBytes = termsBytes;
  }

  get count(): number {
    return this.columns.count;
  }

  get terms(): BlockTerms {
    this.#terms ??= this.#source.terms();
    return this.#terms;
  }

  placeOf(index: number): { readonly part: number; readonly index: number } {
    this.#places ??= this.#findPlaces();
    return { part: this.#places.parts[index] ?? 0, index: this.#places.indices[index] ?? 0 };
  }

  /** The returned observation has no seq. */
  observation(index: number): Observation {
    return this.#source.observation(index, this);
  }

  text(index: number): string {
    return JSON.stringify(this.observation(index));
  }

  /** Returns undefined if no column of this block contains the text. */
  numberOf(text: string): number | undefined {
    if (this.#numbers === undefined) {
      this.#numbers = new Map();
      for (const [number, known] of this.columns.strings.entries()) {
        if (number > 0) this.#numbers.set(known, number);
      }
    }
    return this.#numbers.get(text);
  }

  textOf(column: 'sources' | 'clients' | 'streams' | 'types' | 'errors', index: number): string | null {
    const number = this.columns[column][index] ?? 0;
    return number === 0 ? null : (this.columns.strings[number] ?? null);
  }

  /** Returns null if the observation is about no type, or about several. */
  typeAt(index: number): string | null {
    const types = this.textOf('types', index);
    return types === null || types.includes('\u0000') ? null : types;
  }

  seqAt(index: number): number {
    return this.columns.seqs[index] ?? 0;
  }

  atAt(index: number): number {
    return this.columns.ats[index] ?? 0;
  }

  kindAt(index: number) {
    return storedKinds[this.columns.kinds[index] ?? 0] ?? 'lab-event';
  }

  vantageAt(index: number) {
    return storedVantages[this.columns.vantages[index] ?? 0] ?? 'lab';
  }

  tookAt(index: number): number | null {
    const took = this.columns.took[index] ?? 0;
    return took === 0 ? null : (took - 1) / 1000;
  }

  firstAfter(seq: number): number {
    return lowerBound(this.count, (index) => this.seqAt(index) <= seq);
  }

  /** Estimated size in memory. */
  get sizeBytes(): number {
    const strings = this.columns.strings.length * 120;
    return 1000 + 60 * this.count + strings + this.#termsBytes;
  }

  #findPlaces() {
    const order = partOrder(this.columns);
    const parts = new Uint32Array(this.count);
    const indices = new Uint32Array(this.count);
    let next = 0;
    for (const [part, held] of this.partCounts.entries()) {
      for (let place = 0; place < held; place++) {
        const index = order[next++] ?? 0;
        parts[index] = part;
        indices[index] = place;
      }
    }
    return { parts, indices };
  }
}
