import type { Observation } from '@/lib/observation/observation';
import type { Body } from '@/server/observe';
import type { EncodedRows } from '../blocks/encoded-rows';
import { RowEncoder } from '../blocks/row-encoder';
import type { Gap } from '../storage/state-stores';

/** A body that came with an observation. */
export interface BroughtBody {
  readonly hash: string;
  readonly typeUrl: string;
  readonly seq: number;
  /** In WriteBatch.bodyBytes. */
  readonly from: number;
  readonly to: number;
}

/** Observations on their way to the disk, as the worker gets them. Its rows are shared: nobody changes them before it is written. */
export interface WriteBatch extends EncodedRows {
  /** Those that observations name and that may be new; what they name besides is there. */
  readonly bodies: readonly BroughtBody[];
  readonly bodyBytes: Uint8Array<ArrayBuffer>;
  readonly gaps: readonly Gap[];
}

const firstSize = 128 * 1024;
/** Room that is larger is not kept for the next batch. */
const keptSize = 4 * 1024 * 1024;
/** What an observation that waits costs beside its row and bodies. */
const overheadBytes = 200;

/**
 * Gathers observations into a batch. They are rows already, outside of the heap and shared with the thread: while
 * thousands wait, the collector has little to carry about, and nothing is copied for the thread.
 */
export class BatchBuilder {
  readonly #seqs: number[] = [];
  readonly #ends: number[] = [];
  readonly #bodies: { readonly seq: number; readonly body: Body }[] = [];
  readonly #encoder: RowEncoder;
  #bodyBytes = 0;
  #vocabulary: Uint8Array | undefined;

  /** `room`: what an earlier batch left (see release()). */
  constructor(room: Buffer = sharedBuffer(firstSize)) {
    this.#encoder = new RowEncoder(room, sharedBuffer);
  }

  get count(): number {
    return this.#seqs.length;
  }

  /** About what it holds in memory. */
  get bytes(): number {
    const { length, vocabularyBytes } = this.#encoder;
    return length + vocabularyBytes + this.#bodyBytes + this.#seqs.length * overheadBytes;
  }

  /** Of the bodies alone. */
  get bodyBytes(): number {
    return this.#bodyBytes;
  }

  get firstSeq(): number | undefined {
    return this.#seqs[0];
  }

  get bodies(): readonly Body[] {
    return this.#bodies.map(({ body }) => body);
  }

  /** Nothing may be added any more. */
  get isSealed(): boolean {
    return this.#vocabulary !== undefined;
  }

  /** A vocabulary in use is thousands of objects for the collector, a sealed one is bytes outside of its heap. */
  seal(): Uint8Array {
    this.#vocabulary ??= this.#encoder.seal();
    return this.#vocabulary;
  }

  /** The bodies must stay as they are until the batch is written. */
  add(seq: number, observation: Observation, bodies: readonly Body[]): void {
    this.#encoder.add(observation);
    this.#seqs.push(seq);
    this.#ends.push(this.#encoder.length);
    for (const body of bodies) {
      this.#bodies.push({ seq, body });
      this.#bodyBytes += body.bytes.byteLength;
    }
  }

  /** May be asked for again, after a failure. */
  finish(gaps: readonly Gap[]): WriteBatch {
    const bodyBytes = new Uint8Array(this.#bodyBytes);
    let to = 0;
    const bodies = this.#bodies.map(({ seq, body: { hash, typeUrl, bytes } }) => {
      const from = to;
      bodyBytes.set(bytes, from);
      to += bytes.byteLength;
      return { hash, typeUrl, seq, from, to };
    });
    const [seqs, ends] = [Float64Array.from(this.#seqs), Uint32Array.from(this.#ends)];
    return { seqs, rows: this.#encoder.rows(), ends, vocabulary: this.seal(), bodies, bodyBytes, gaps };
  }

  /** After it is written: room for another one's rows. undefined: too much to keep. */
  release(): Buffer | undefined {
    const { room } = this.#encoder;
    return room.length <= keptSize ? room : undefined;
  }
}

function sharedBuffer(size: number): Buffer {
  return Buffer.from(new SharedArrayBuffer(size));
}
