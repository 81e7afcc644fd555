import type { Observation, Vantage } from '@/lib/observation/observation';

/** The positions are part of the file format, so new kinds are appended. */
export const storedKinds: readonly Observation['kind'][] = [
  'source-up',
  'source-down',
  'client-config-changed',
  'client-gone',
  'stream-opened',
  'stream-closed',
  'request-sent',
  'response-received',
  'ack-sent',
  'nack-sent',
  'copies-dropped',
  'timer-expired',
  'server-switched',
  'cache-changed',
  'load-reported',
  'lab-event',
  'source-declared',
  'connections-changed',
  'rpcs-counted',
  'rpc-block-counted',
  'test-client-configured',
  'test-server-set',
  'interop-step',
];
export const storedVantages: readonly Vantage[] = [
  'probe',
  'tap',
  'csds',
  'lrs',
  'dump',
  'lab',
  'istiod',
  'envoy-admin',
  'channelz',
  'interop',
];

/**
 * Fields that observations are filtered by, column by column: element i of each column is of observation i, by seq.
 * Texts are positions in `strings`; 0 means "none".
 */
export interface BlockColumns {
  readonly count: number;
  readonly strings: readonly string[];
  readonly seqs: Float64Array;
  /** Whole milliseconds. */
  readonly ats: Float64Array;
  readonly kinds: Uint8Array;
  readonly vantages: Uint8Array;
  readonly sources: Uint32Array;
  readonly clients: Uint32Array;
  readonly streams: Uint32Array;
  /** Several types are one text, joined by NUL. */
  readonly types: Uint32Array;
  /** All error texts of the observation, joined by line feeds and cut to maxErrorChars. */
  readonly errors: Uint32Array;
  /** hashText(nonce). */
  readonly nonces: Uint32Array;
  /** Microseconds + 1; 0 means "none". */
  readonly took: Float64Array;
}

/** Hashes of names and versions. Those of observation i are `hashes` at ids[offsets[i]] to ids[offsets[i + 1] - 1]. */
export interface BlockTerms {
  /** Sorted. */
  readonly hashes: Uint32Array;
  readonly offsets: Uint32Array;
  readonly ids: Uint32Array;
}

export const maxErrorChars = 2000;

export function emptyColumns(count: number): BlockColumns {
  return {
    count,
    strings: [''],
    seqs: new Float64Array(count),
    ats: new Float64Array(count),
    kinds: new Uint8Array(count),
    vantages: new Uint8Array(count),
    sources: new Uint32Array(count),
    clients: new Uint32Array(count),
    streams: new Uint32Array(count),
    types: new Uint32Array(count),
    errors: new Uint32Array(count),
    nonces: new Uint32Array(count),
    took: new Float64Array(count),
  };
}
