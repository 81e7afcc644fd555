/** How many clients are kept in the live state. */
export interface ClientLimits {
  /** Of all sources together. */
  readonly total: number;
  readonly perSource: number;
}

/** That a limit applies to a source. */
export interface ClientLimitNotice {
  /** Which limit was reached last. */
  readonly limit: 'source' | 'total';
  /** Expected: at most so many clients. */
  readonly expected: number;
  /** Actual: so many would have to be kept for nothing to be left out. */
  readonly actual: number;
  /** Clients that the source reports now and that are not observed. */
  readonly notAdmitted: number;
  /** Clients that were no longer reported and made room for new ones, since the start of this process. */
  readonly evicted: number;
}

/** In words, for the notes of a source. */
export function describeClientLimit({
  limit,
  expected,
  actual,
  notAdmitted,
  evicted,
}: ClientLimitNotice): string {
  const of = limit === 'source' ? 'of one source (--max-clients-per-source)' : 'in total (--max-clients)';
  const left = notAdmitted > 0 ? ` ${notAdmitted} are not observed.` : '';
  const made = evicted > 0 ? ` ${evicted} that were no longer reported made room for new ones.` : '';
  return `The limit of clients ${of} applies: expected at most ${expected}, got ${actual}.${left}${made}`;
}
