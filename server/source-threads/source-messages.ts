import type { Observation } from '@/lib/observation/observation';
import type { UserType } from '../codec/codec';
import type { Body, Emission } from '../observe';
import type { Confirmation, SourceStatus } from '../source-status';

/**
 * What the main thread reports a thread of sources. `source` is a number that is never used twice; `setup` is what the
 * source is made of, apart from its id.
 */
export type SourceCommand<Setup> =
  | { readonly kind: 'open'; readonly source: number; readonly sourceId: string; readonly setup: Setup }
  | { readonly kind: 'start' | 'pause' | 'close'; readonly source: number }
  | { readonly kind: 'types'; readonly types: readonly UserType[] }
  /** The newest news is dealt with: there is room for the next. */
  | { readonly kind: 'taken' };

/** What a thread of sources reports, in the order in which it came about, one at a time until it is taken. */
export type SourceNews =
  | {
      readonly kind: 'emission';
      readonly source: number;
      readonly observation: Observation;
      readonly bodies: PackedBodies;
    }
  | { readonly kind: 'statuses'; readonly statuses: readonly SourceStatusNews[] }
  | { readonly kind: 'confirmed'; readonly values: Float64Array }
  | { readonly kind: 'closed'; readonly source: number };

export interface SourceStatusNews {
  readonly source: number;
  readonly status: SourceStatus;
}

/** Four numbers for each: there are a thousand a second. */
export function packConfirmation(source: number, { askedAt, at, latencyMs }: Confirmation): number[] {
  return [source, askedAt, at, latencyMs];
}

export function* unpackConfirmations(
  values: Float64Array,
): Generator<readonly [source: number, confirmation: Confirmation]> {
  for (let index = 0; index < values.length; index += 4) {
    const [source = 0, askedAt = 0, at = 0, latencyMs = 0] = values.subarray(index, index + 4);
    yield [source, { askedAt, at, latencyMs }];
  }
}

/** Bodies one after the other in a buffer of their own, which is handed over and not copied. */
export interface PackedBodies {
  readonly bytes: ArrayBuffer;
  readonly entries: readonly (Omit<Body, 'bytes'> & { readonly sizeBytes: number })[];
}

/** A body may be a small view of a message of 119 MB, which must not cross whole. */
export function packBodies(bodies: Emission['bodies']): PackedBodies {
  const packed = new Uint8Array(bodies.reduce((sum, { bytes }) => sum + bytes.length, 0));
  let offset = 0;
  const entries = bodies.map(({ hash, typeUrl, bytes }) => {
    packed.set(bytes, offset);
    offset += bytes.length;
    return { hash, typeUrl, sizeBytes: bytes.length };
  });
  return { bytes: packed.buffer, entries };
}

export function unpackBodies({ bytes, entries }: PackedBodies): Body[] {
  let offset = 0;
  return entries.map(({ hash, typeUrl, sizeBytes }) => {
    const body = { hash, typeUrl, bytes: new Uint8Array(bytes, offset, sizeBytes) };
    offset += sizeBytes;
    return body;
  });
}
