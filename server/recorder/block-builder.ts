import { churnEntryOf } from '@/lib/view-model/churn/churn-entry';
import { ChurnWriter } from './block-churn';
import { encodeColumns, encodeHashes, encodeTerms } from './block-encoding';
import type { BlockMeta } from './block-meta';
import { joinParts, partOrder } from './block-parts';
import { ColumnBuilder } from './column-builder';
import type { LogRow } from './log-row';

/** All that the file holds of a block; `pieces` are to be stored deflated. */
export interface BlockDraft {
  readonly meta: Omit<BlockMeta, 'isPinned'>;
  /** How many observations each part of the texts holds. */
  readonly partCounts: readonly number[];
  readonly hashes: Uint8Array;
  /** Columns, terms and churn, then the parts of the texts. */
  readonly pieces: readonly Uint8Array[];
}

/** Makes a block row by row, so that no more than one observation has to be in memory as an object. */
export class BlockBuilder {
  readonly #columns: ColumnBuilder;
  readonly #churn = new ChurnWriter();
  readonly #texts: Uint8Array[] = [];

  constructor(maxRows: number) {
    this.#columns = new ColumnBuilder(maxRows);
  }

  get count(): number {
    return this.#texts.length;
  }

  /** Rows come by seq. Their texts must stay as they are until finish(). */
  add(row: LogRow): void {
    this.#columns.add(row);
    this.#texts.push(row.text);
    const churn = churnEntryOf(row.observation);
    if (churn !== undefined) this.#churn.add(churn);
  }

  finish(): BlockDraft {
    const { columns, terms } = this.#columns.finish();
    const { counts, texts } = joinParts(this.#texts, partOrder(columns));
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
      hashes: encodeHashes(terms),
      pieces: [encodeColumns(columns), encodeTerms(terms), this.#churn.finish(), ...texts],
    };
  }
}
