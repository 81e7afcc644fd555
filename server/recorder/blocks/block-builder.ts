import { churnEntryOf } from '@/lib/churn/churn-entry';
import type { Recorded } from '@/lib/observation/observation';
import { deflateBytes } from '../deflate';
import type { NewBlock } from '../storage/immutable-stores';
import { ChurnWriter } from './block-churn';
import { encodeColumns, encodeHashes, encodeTerms } from './block-encoding';
import { joinParts, partOrder } from './block-parts';
import { ColumnBuilder } from './column-builder';
import type { EncodedRows } from './encoded-rows';
import { RowEncoder } from './row-encoder';

/** Reading one observation of a block decodes all of its columns and its vocabulary, so blocks are limited. */
export const maxBlockRows = 2048;

/** Builds a block row by row, so that at most one observation has to be in memory as an object. */
export class BlockBuilder {
  readonly #encoded?: Omit<EncodedRows, 'seqs'>;

  readonly #columns: ColumnBuilder;
  readonly #churn = new ChurnWriter();
  /** Absent if the rows were encoded by the caller. */
  readonly #encoder: RowEncoder | undefined;
  readonly #ends: number[] = [];

  /** `encoded` contains exactly the rows that will be added; its bytes must not change until finish(). */
  constructor(maxRows: number, encoded?: Omit<EncodedRows, 'seqs'>) {
    this.#encoded = encoded;

    this.#columns = new ColumnBuilder(maxRows);
    if (encoded === undefined) this.#encoder = new RowEncoder();
  }

  get count(): number {
    return this.#columns.count;
  }

  /** Precondition: rows are added by seq. */
  add(row: Recorded): void {
    this.#columns.add(row);
    if (this.#encoder !== undefined) {
      this.#encoder.add(row);
      this.#ends.push(this.#encoder.length);
    }
    const churn = churnEntryOf(row);
    if (churn !== undefined) this.#churn.add(churn);
  }

  finish(): NewBlock {
    const { columns, terms } = this.#columns.finish();
    const encoded = this.#encoded ?? this.#ownRows();
    const { counts, parts } = joinParts(encoded, partOrder(columns));
    let kinds = 0;
    for (const kind of columns.kinds) kinds |= 1 << kind;
    return {
      meta: {
        firstSeq: columns.seqs[0] ?? 0,
        lastSeq: columns.seqs.at(-1) ?? 0,
        count: columns.count,
        fromAt: columns.ats.reduce((least, at) => Math.min(least, at), Number.MAX_SAFE_INTEGER),
        toAt: columns.ats.reduce((most, at) => Math.max(most, at), -Number.MAX_SAFE_INTEGER),
        kinds,
      },
      partCounts: counts,
      pieces: {
        columns: deflateBytes(encodeColumns(columns)),
        terms: deflateBytes(encodeTerms(terms)),
        hashes: encodeHashes(terms),
        churn: deflateBytes(this.#churn.finish()),
        vocabulary: deflateBytes(encoded.vocabulary),
      },
      parts: parts.map(deflateBytes),
    };
  }

  #ownRows(): Omit<EncodedRows, 'seqs'> {
    const encoder = this.#encoder ?? new RowEncoder();
    return { rows: encoder.rows(), ends: Uint32Array.from(this.#ends), vocabulary: encoder.vocabulary() };
  }
}
