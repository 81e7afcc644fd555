import type { EpochMs } from '../xds/units';

/** The API's spelling of a moment. Out of the range that ISO 8601 can say (a hostile timestamp): the nearest end. */
export function formatIsoTime(at: EpochMs): string {
  const limit = 8.64e15;
  return new Date(Math.max(-limit, Math.min(limit, at))).toISOString();
}

export function formatIsoTimeOrNull(at: EpochMs | null): string | null {
  return at === null ? null : formatIsoTime(at);
}
