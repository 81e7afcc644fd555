import type { Body } from '@/server/observe';

/** One observation on its way to the disk. */
export interface ObservationRow {
  readonly seq: number;
  readonly json: string;
  /** Those that it names and that may be new; what it names besides is there. */
  readonly bodies: readonly Body[];
}

/** Observations that could not be recorded, both ends included. */
export interface Gap {
  readonly fromSeq: number;
  readonly toSeq: number;
  readonly fromAt: number;
  readonly toAt: number;
  readonly reason: string;
}

export interface ObservationBatch {
  readonly observations: readonly ObservationRow[];
  readonly gaps: readonly Gap[];
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

/**
 * A batch as the worker gets it: some large buffers, which are handed over, and not thousands of strings and objects,
 * which would be copied one by one.
 */
export interface WriteBatch {
  readonly seqs: Float64Array<ArrayBuffer>;
  /** The observations' JSON as UTF-8, one after the other. */
  readonly texts: Uint8Array<ArrayBuffer>;
  /** Where each ends in `texts`. */
  readonly ends: Uint32Array<ArrayBuffer>;
  readonly bodies: readonly BroughtBody[];
  readonly bodyBytes: Uint8Array<ArrayBuffer>;
  readonly gaps: readonly Gap[];
}

export function encodeBatch({ observations, gaps }: ObservationBatch): WriteBatch {
  const seqs = new Float64Array(observations.length);
  const ends = new Uint32Array(observations.length);
  let textSize = 0;
  let bodySize = 0;
  for (const [index, { seq, json, bodies }] of observations.entries()) {
    seqs[index] = seq;
    textSize += Buffer.byteLength(json);
    ends[index] = textSize;
    for (const { bytes } of bodies) bodySize += bytes.byteLength;
  }
  const texts = Buffer.from(new ArrayBuffer(textSize));
  const bodyBytes = new Uint8Array(bodySize);
  const brought: BroughtBody[] = [];
  let from = 0;
  for (const [index, { seq, json, bodies }] of observations.entries()) {
    texts.write(json, ends[index - 1] ?? 0);
    for (const { hash, typeUrl, bytes } of bodies) {
      const to = from + bytes.byteLength;
      bodyBytes.set(bytes, from);
      brought.push({ hash, typeUrl, seq, from, to });
      from = to;
    }
  }
  return { seqs, texts, ends, bodies: brought, bodyBytes, gaps };
}

/** What postMessage() is to hand over instead of copying it. */
export function buffersOf({ seqs, texts, ends, bodyBytes }: WriteBatch): ArrayBuffer[] {
  return [seqs.buffer, texts.buffer, ends.buffer, bodyBytes.buffer];
}
