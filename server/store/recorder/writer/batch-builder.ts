import type { Observation } from '@/lib/observation/observation';
import type { Body } from '@/server/observe';
import { type PackedBodies, packBodies } from '@/server/packed-bodies';
import type { Gap } from '../../ranges';

/** Observations for the thread of the store, which shares `lines`: they must not change before they are written. */
export interface WriteBatch {
  readonly seqs: Float64Array;
  /** The JSON of the observations in UTF-8, each followed by a line feed. */
  readonly lines: Uint8Array;
  /** Bodies that may be new; all others that the observations name are stored. */
  readonly bodies: PackedBodies;
  readonly gaps: readonly Gap[];
}

const firstSize = 256 * 1024;
/** A larger buffer is not reused for the next batch. */
const keptSize = 4 * 1024 * 1024;
/** Estimated size of an observation without its line and bodies. */
const overheadBytes = 100;
/** UTF-8 has at most this many bytes for a UTF-16 unit. */
const mostBytesPerUnit = 3;

/**
 * Formats observations one by one into a batch. Lines are in shared memory outside of the heap, so that thousands of
 * waiting observations cost the garbage collector little, and need not be copied for the thread.
 */
export class BatchBuilder {
  readonly #seqs: number[] = [];
  readonly #bodies: Body[] = [];
  #room: Buffer;
  #length = 0;
  #bodyBytes = 0;

  /** `room` is the buffer of an earlier batch, from release(). */
  constructor(room: Buffer = sharedBuffer(firstSize)) {
    this.#room = room;
  }

  get count(): number {
    return this.#seqs.length;
  }

  /** Estimated size in memory. */
  get bytes(): number {
    return this.#length + this.#bodyBytes + this.#seqs.length * overheadBytes;
  }

  get bodyBytes(): number {
    return this.#bodyBytes;
  }

  get firstSeq(): number | undefined {
    return this.#seqs[0];
  }

  get bodies(): readonly Body[] {
    return this.#bodies;
  }

  /** The bytes of bodies must not change until the batch is written. */
  add(seq: number, observation: Observation, bodies: readonly Body[]): void {
    const line = `${JSON.stringify(observation)}\n`;
    const most = this.#length + line.length * mostBytesPerUnit;
    if (most > this.#room.length) {
      const larger = sharedBuffer(Math.max(2 * this.#room.length, most));
      larger.set(this.#room.subarray(0, this.#length));
      this.#room = larger;
    }
    this.#length += this.#room.write(line, this.#length);
    this.#seqs.push(seq);
    for (const body of bodies) {
      this.#bodies.push(body);
      this.#bodyBytes += body.bytes.byteLength;
    }
  }

  /** May be called again after a failed write. */
  finish(gaps: readonly Gap[]): WriteBatch {
    const lines = this.#room.subarray(0, this.#length);
    return { seqs: Float64Array.from(this.#seqs), lines, bodies: packBodies(this.#bodies), gaps };
  }

  /** Returns the buffer for another batch after this one was written, or undefined if it is too large to be kept. */
  release(): Buffer | undefined {
    return this.#room.length <= keptSize ? this.#room : undefined;
  }
}

function sharedBuffer(size: number): Buffer {
  return Buffer.from(new SharedArrayBuffer(size));
}
