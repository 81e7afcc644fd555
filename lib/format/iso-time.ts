import type { EpochMs } from '../xds/units';

/** ECMA-262: a Date reaches this far from 1970 in both directions. */
const limit = 8.64e15;

/** A time for URLs, CSV and texts. Hostile timestamps out of the range of a Date become the nearest valid time. */
export function formatIsoTime(at: EpochMs): string {
  return new Date(Math.max(-limit, Math.min(limit, at))).toISOString();
}

/** Reads a time in a text that a person or a file wrote; undefined: it is not a time. */
export function findTime(text: string): EpochMs | undefined {
  const at = Date.parse(text);
  return Number.isNaN(at) ? undefined : at;
}
