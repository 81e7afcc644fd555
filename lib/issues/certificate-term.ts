import type { EpochMs } from '../xds/units';

interface Term {
  /** Absent if it is not reported. */
  readonly validFrom?: EpochMs | undefined;
  readonly expiresAt?: EpochMs | undefined;
}

interface JudgedTerm {
  readonly isExpired: boolean;
  /** Since when: the expiry, or the beginning of the time in which a renewed certificate was due. */
  readonly from: EpochMs;
}

/**
 * A certificate is to be renewed before less than this share of its lifetime and less than this time are left. Certificates of
 * meshes live a day and are renewed at half of it; those of web servers live for 90 days or longer.
 */
const leastShare = 1 / 5;
const leastLeftMs = 14 * 24 * 3_600_000;

/** Returns undefined if the certificate is valid long enough at this time, or if its term is not reported in full. */
export function judgeTerm({ validFrom, expiresAt }: Term, at: EpochMs): JudgedTerm | undefined {
  if (expiresAt === undefined) return undefined;
  if (expiresAt <= at) return { isExpired: true, from: expiresAt };
  if (validFrom === undefined) return undefined;
  const from = expiresAt - Math.min((expiresAt - validFrom) * leastShare, leastLeftMs);
  return from < at ? { isExpired: false, from } : undefined;
}
