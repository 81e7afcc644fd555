import type { Observation } from '@/lib/observation/observation';
import { type Body, isPosted, type PostedBody, sizeOfBody } from '@/server/observe';
import type { EncodedRows } from '../blocks/encoded-rows';
import { RowEncoder } from '../blocks/row-encoder';
import type { PackKey } from '../bodies/held-bodies';
import type { Gap } from '../storage/state-stores';

export interface BroughtBody {
  readonly hash: string;
  readonly typeUrl: string;
  readonly seq: number;
  /** Range in WriteBatch.bodyBytes or, if `pack` is set, in that message, which the log thread holds. */
  readonly from: number;
  readonly to: number;
  readonly pack?: PackKey;
}

/** Observations for the worker thread, which shares the rows: they must not change before they are written. */
export interface WriteBatch extends EncodedRows {
  /** Bodies that may be new; all others that the observations name are stored. */
  readonly bodies: readonly BroughtBody[];
  readonly bodyBytes: Uint8Array<ArrayBuffer>;
  readonly gaps: readonly Gap[];
}

const firstSize = 128 * 1024;
/** A larger buffer is not reused for the next batch. */
const keptSize = 4 * 1024 * 1024;
/** Estimated size of an observation without its row and bodies. */
const overheadBytes = 200;

/**
 * Encodes observations one by one into a batch. Rows are in shared memory outside of the heap, so that thousands of
 * waiting observations cost the garbage collector little, and need not be copied for the thread.
 */
export class BatchBuilder {
  readonly #seqs: number[] = [];
  readonly #ends: number[] = [];
  readonly #bodies: { readonly seq: number; readonly body: Body | PostedBody }[] = [];
  readonly #encoder: RowEncoder;
  #bodyBytes = 0;
  #vocabulary: Uint8Array | undefined;

  /** `room` is the buffer of an earlier batch, from release(). */
  constructor(room: Buffer = sharedBuffer(firstSize)) {
    this.#encoder = new RowEncoder(room, sharedBuffer);
  }

  get count(): number {
    return this.#seqs.length;
  }

  /** Estimated size in memory. */
  get bytes(): number {
    const { length, vocabularyBytes } = this.#encoder;
    return length + vocabularyBytes + this.#bodyBytes + this.#seqs.length * overheadBytes;
  }

  get bodyBytes(): number {
    return this.#bodyBytes;
  }

  get firstSeq(): number | undefined {
    return this.#seqs[0];
  }

  get bodies(): readonly (Body | PostedBody)[] {
    return this.#bodies.map(({ body }) => body);
  }

  get isSealed(): boolean {
    return this.#vocabulary !== undefined;
  }

  /** An unsealed vocabulary is thousands of objects on the heap; a sealed one is bytes outside of it. */
  seal(): Uint8Array {
    this.#vocabulary ??= this.#encoder.seal();
    return this.#vocabulary;
  }

  /** The bytes of bodies must not change until the batch is written. */
  add(seq: number, observation: Observation, bodies: readonly (Body | PostedBody)[]): void {
    this.#encoder.add(observation);
    this.#seqs.push(seq);
    this.#ends.push(this.#encoder.length);
    for (const body of bodies) {
      this.#bodies.push({ seq, body });
      this.#bodyBytes += sizeOfBody(body);
    }
  }

  /** May be called again after a failed write. */
  finish(gaps: readonly Gap[]): WriteBatch {
    const brought = this.#bodies.flatMap(({ body }) => (isPosted(body) ? [] : [body.bytes]));
    const bodyBytes = new Uint8Array(brought.reduce((sum, { byteLength }) => sum + byteLength, 0));
    let end = 0;
    const bodies = this.#bodies.map(({ seq, body }): BroughtBody => {
      const { hash, typeUrl } = body;
      if (isPosted(body)) {
        const { from, to, pack } = body;
        return { hash, typeUrl, seq, from, to, pack: { channel: pack.channel, message: pack.message } };
      }
      const from = end;
      bodyBytes.set(body.bytes, from);
      end += body.bytes.byteLength;
      return { hash, typeUrl, seq, from, to: end };
    });
    const [seqs, ends] = [Float64Array.from(this.#seqs), Uint32Array.from(this.#ends)];
    return { seqs, rows: this.#encoder.rows(), ends, vocabulary: this.seal(), bodies, bodyBytes, gaps };
  }

  /** Returns the buffer for another batch after this one was written, or undefined if it is too large to be kept. */
  release(): Buffer | undefined {
    const { room } = this.#encoder;
    return room.length <= keptSize ? room : undefined;
  }
}

function sharedBuffer(size: number): Buffer {
  return Buffer.from(new SharedArrayBuffer(size));
}
