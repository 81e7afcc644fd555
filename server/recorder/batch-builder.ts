import type { Body } from '@/server/observe';

/** Observations that could not be recorded, both ends included. */
export interface Gap {
  readonly fromSeq: number;
  readonly toSeq: number;
  readonly fromAt: number;
  readonly toAt: number;
  readonly reason: string;
}

/** A body that came with an observation. */
export interface BroughtBody {
  readonly hash: string;
  readonly typeUrl: string;
  readonly seq: number;
  /** In WriteBatch.bodyBytes. */
  readonly from: number;
  readonly to: number;
}

/** Observations on their way to the disk, as the worker gets them. */
export interface WriteBatch {
  readonly seqs: Float64Array;
  /** The observations' JSON as UTF-8, one after the other. Shared: nobody changes it before the batch is written. */
  readonly texts: Uint8Array;
  /** Where each ends in `texts`. */
  readonly ends: Uint32Array;
  /** Those that observations name and that may be new; what they name besides is there. */
  readonly bodies: readonly BroughtBody[];
  readonly bodyBytes: Uint8Array<ArrayBuffer>;
  readonly gaps: readonly Gap[];
}

const firstSize = 64 * 1024;
/** Room that is larger is not kept for the next batch. */
const keptSize = 4 * 1024 * 1024;
/** What an observation that waits costs beside its JSON and bodies. */
const overheadBytes = 200;

/**
 * Gathers observations into a batch. They are texts already, outside of the heap and shared with the thread: while
 * thousands wait, the collector has nothing to carry about, and nothing is copied for the thread.
 */
export class BatchBuilder {
  readonly #seqs: number[] = [];
  readonly #ends: number[] = [];
  readonly #bodies: { readonly seq: number; readonly body: Body }[] = [];
  #texts: Buffer;
  #size = 0;
  #bytes = 0;

  /** `room`: what an earlier batch left (see release()). */
  constructor(room?: Buffer) {
    this.#texts = room ?? sharedBuffer(firstSize);
  }

  get count(): number {
    return this.#seqs.length;
  }

  /** About what it holds in memory. */
  get bytes(): number {
    return this.#bytes;
  }

  get firstSeq(): number | undefined {
    return this.#seqs[0];
  }

  get bodies(): readonly Body[] {
    return this.#bodies.map(({ body }) => body);
  }

  /** The bodies must stay as they are until the batch is written. */
  add(seq: number, json: string, bodies: readonly Body[]): void {
    const size = Buffer.byteLength(json);
    if (this.#size + size > this.#texts.length) this.#grow(size);
    this.#size += this.#texts.write(json, this.#size);
    this.#seqs.push(seq);
    this.#ends.push(this.#size);
    for (const body of bodies) this.#bodies.push({ seq, body });
    this.#bytes += sizeOf(json, bodies);
  }

  finish(gaps: readonly Gap[]): WriteBatch {
    const bodyBytes = new Uint8Array(this.#bodies.reduce((sum, { body }) => sum + body.bytes.byteLength, 0));
    let to = 0;
    const bodies = this.#bodies.map(({ seq, body: { hash, typeUrl, bytes } }) => {
      const from = to;
      bodyBytes.set(bytes, from);
      to += bytes.byteLength;
      return { hash, typeUrl, seq, from, to };
    });
    const texts = this.#texts.subarray(0, this.#size);
    const [seqs, ends] = [Float64Array.from(this.#seqs), Uint32Array.from(this.#ends)];
    return { seqs, texts, ends, bodies, bodyBytes, gaps };
  }

  /** After it is written: room for another one's texts. undefined: too much to keep. */
  release(): Buffer | undefined {
    return this.#texts.length <= keptSize ? this.#texts : undefined;
  }

  #grow(by: number): void {
    const grown = sharedBuffer(Math.max(this.#texts.length * 2, this.#size + by));
    grown.set(this.#texts.subarray(0, this.#size));
    this.#texts = grown;
  }
}

/** What an observation costs while it waits. */
export function sizeOf(json: string, bodies: readonly Body[]): number {
  return bodies.reduce((sum, { bytes }) => sum + bytes.byteLength, json.length + overheadBytes);
}

function sharedBuffer(size: number): Buffer {
  return Buffer.from(new SharedArrayBuffer(size));
}
