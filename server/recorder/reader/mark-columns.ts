import type { HistoryMark } from '@/lib/views/history/build-history-marks';
import { storedKinds } from '../blocks/block-columns';
import { Interner } from '../blocks/interner';
import type { LogBlock } from '../blocks/log-block';

/** Marks in the form in which they are sent between threads: columns of numbers, and each text once. */
export class MarkColumns {
  readonly #texts = new Interner();
  readonly strings = this.#texts.texts;
  readonly seqs: number[] = [];
  readonly ats: number[] = [];
  readonly kinds: number[] = [];
  /** Positions in `strings`; 0 means "none". */
  readonly sources: number[] = [];
  readonly clients: number[] = [];
  readonly streams: number[] = [];
  readonly types: number[] = [];
  readonly nonces: number[] = [];
  /** -1 means "not reported". */
  readonly took: number[] = [];

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
    return text === null ? 0 : this.#texts.add(text);
  }
}

/** A MarkColumns after it was sent has only its fields. */
type MarkTexts = Omit<MarkColumns, 'add'>;

/** Decodes marks, which must be added oldest first, and pairs them. */
export class MarkPairing {
  readonly marks: { -readonly [K in keyof HistoryMark]: HistoryMark[K] }[] = [];
  /** The key is composed of stream, type and nonce of a response, the value is its position in `marks`. */
  readonly #responses = new Map<string, number>();

  add(columns: MarkTexts): void {
    const { strings, seqs } = columns;
    const text = (list: readonly number[], index: number) =>
      list[index] ? (strings[list[index] ?? 0] ?? null) : null;
    for (let index = 0; index < seqs.length; index++) {
      const took = columns.took[index] ?? -1;
      this.marks.push({
        seq: seqs[index] ?? 0,
        at: columns.ats[index] ?? 0,
        kind: storedKinds[columns.kinds[index] ?? 0] ?? 'lab-event',
        sourceId: text(columns.sources, index) ?? '',
        clientId: text(columns.clients, index) ?? undefined,
        streamId: text(columns.streams, index) ?? undefined,
        typeUrl: text(columns.types, index) ?? undefined,
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
      // A repeated NACK has no duration.
      if (response.pairSeq === null) mark.tookMs ??= Math.max(0, mark.at - response.at);
      response.pairSeq ??= mark.seq;
    }
  }
}
