import type { Observation } from '@/lib/observation/observation';
import type { UserType } from '../codec/codec';
import type { Body, Sighting } from '../observe';
import type { SourceStatus } from '../source-status';
import type { ProbeSettings } from './probe-settings';
import type { XdsNode } from './xds-node';

/** What the main thread tells the thread of the probes. `probe` is a number that is never used twice. */
export type ProbeCommand =
  | {
      readonly kind: 'open';
      readonly probe: number;
      readonly sourceId: string;
      readonly settings: ProbeSettings;
      readonly node: XdsNode;
    }
  | { readonly kind: 'start' | 'pause' | 'close'; readonly probe: number }
  | { readonly kind: 'types'; readonly types: readonly UserType[] }
  /** The newest news is dealt with: there is room for the next. */
  | { readonly kind: 'taken' };

/** What the thread of the probes tells, in the order in which it came about, one at a time until it is taken. */
export type ProbeNews =
  | {
      readonly kind: 'sighting';
      readonly probe: number;
      readonly observation: Observation;
      readonly bodies: PackedBodies;
    }
  | { readonly kind: 'status'; readonly probe: number; readonly status: SourceStatus }
  | { readonly kind: 'closed'; readonly probe: number };

/** Bodies one after the other in a buffer of their own, which is handed over and not copied. */
export interface PackedBodies {
  readonly bytes: ArrayBuffer;
  readonly entries: readonly (Omit<Body, 'bytes'> & { readonly sizeBytes: number })[];
}

/** A body may be a small view of a message of 119 MB, which must not cross whole. */
export function packBodies(bodies: Sighting['bodies']): PackedBodies {
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
