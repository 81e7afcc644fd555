import { storedKinds } from '../blocks/block-columns';
import type { LogBlock } from '../blocks/log-block';
import type { HistoryMark } from './history-query';

/** Marks on their way between the threads: numbers, and texts once. */
export class MarkColumns {
  readonly strings: string[] = [];
  readonly seqs: number[] = [];
  readonly ats: number[] = [];
  readonly kinds: number[] = [];
  /** Of `strings`; -1 is "none". */
  readonly sources: number[] = [];
  readonly clients: number[] = [];
  readonly streams: number[] = [];
  readonly types: number[] = [];
  readonly nonces: number[] = [];
  /** -1 is "not reported". */
  readonly took: number[] = [];
  #numbers = new Map<string, number>();

  add(block: LogBlock, index: number): void {
    this.seqs.push(block.seqAt(index));
    this.ats.push(block.atAt(index));
    this.kinds.push(block.columns.kinds[index] ?? 0);
    this.sources.push(this.#numberOf(block.textOf('sources', index)));
    this.clients.push(this.#numberOf(block.textOf('clients', index)));
    this.streams.push(this.#numberOf(block.textOf('streams', index)));
    this.types.push(this.#numberOf(block.typeAt(index)));
    this.nonces.push(block.columns.nonces[index] ?? 0);
    this.took.push(block.tookAt(index) ?? -1);
  }

  #numberOf(text: string | null): number {
    if (text === null) return -1;
    let number = this.#numbers.get(text);
    if (number === undefined) {
      number = this.strings.push(text) - 1;
      this.#numbers.set(text, number);
    }
    return number;
  }
}

/** What arrives of a MarkColumns: its fields. */
export type MarkTexts = Omit<MarkColumns, 'add'>;

/** Makes marks of columns that come oldest first, and pairs them as far as both are there. */
export class MarkPairing {
  readonly marks: { -readonly [K in keyof HistoryMark]: HistoryMark[K] }[] = [];
  /** Stream, type and nonce of a response -> its place in `marks`. */
  readonly #responses = new Map<string, number>();

  add(columns: MarkTexts): void {
    const { strings, seqs } = columns;
    const text = (list: readonly number[], index: number) => strings[list[index] ?? -1] ?? null;
    for (let index = 0; index < seqs.length; index++) {
      const took = columns.took[index] ?? -1;
      this.marks.push({
        seq: seqs[index] ?? 0,
        at: columns.ats[index] ?? 0,
        kind: storedKinds[columns.kinds[index] ?? 0] ?? 'lab-event',
        sourceId: text(columns.sources, index) ?? '',
        clientId: text(columns.clients, index),
        streamId: text(columns.streams, index),
        typeUrl: text(columns.types, index),
        tookMs: took < 0 ? null : took,
        pairSeq: null,
      });
      this.#pair(this.marks.length - 1, columns.nonces[index] ?? 0);
    }
  }

  #pair(place: number, nonce: number): void {
    const mark = this.marks[place];
    if (mark === undefined || nonce === 0) return;
    const key = `${mark.streamId}\u0000${mark.typeUrl}\u0000${nonce}`;
    if (mark.kind === 'response-received') {
      this.#responses.set(key, place);
    } else if (mark.kind === 'ack-sent' || mark.kind === 'nack-sent') {
      const response = this.marks[this.#responses.get(key) ?? -1];
      if (response === undefined) return;
      mark.pairSeq = response.seq;
      // A NACK that is reported again took no time.
      if (response.pairSeq === null) mark.tookMs ??= Math.max(0, mark.at - response.at);
      response.pairSeq ??= mark.seq;
    }
  }
}
