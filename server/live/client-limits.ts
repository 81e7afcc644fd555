export interface ClientLimits {
  /** The limit over all sources together. */
  readonly total: number;
  readonly perSource: number;
}

export interface ClientLimitNotice {
  /** The limit that was reached last. */
  readonly limit: 'source' | 'total';
  readonly expected: number;
  /** The number of clients that would have to be kept. */
  readonly actual: number;
  /** Clients that the source reports now and that are not observed. */
  readonly notAdmitted: number;
  /** Clients that no source reported and that were evicted for new ones, since the start of this process. */
  readonly evicted: number;
}

/** Returns the sentence for the notes of a source. */
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
