import type { EpochMs } from '../xds/units';

/** ECMA-262: a Date reaches this far from 1970 in both directions. */
const limit = 8.64e15;

/** The API's spelling of a moment. A moment out of the range of a Date (a hostile timestamp) becomes the nearest end. */
export function formatIsoTime(at: EpochMs): string {
  return new Date(Math.max(-limit, Math.min(limit, at))).toISOString();
}

export function formatIsoTimeOrNull(at: EpochMs | null): string | null {
  return at === null ? null : formatIsoTime(at);
}
