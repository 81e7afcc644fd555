import type { EpochMs } from '../../xds/units';
import type { ClientSummary } from './schema';

/**
 * The last time at which a client is known to wait. null: it waits now. `one-moment`: a document shows that it waits, and not for
 * how long.
 */
export type KnownUntil = EpochMs | null | 'one-moment';

interface ClientTimes extends Pick<ClientSummary, 'freshness' | 'lastSeenAt'> {
  readonly reports: readonly Pick<ClientSummary['reports'][number], 'vantage' | 'originalVantage'>[];
  readonly moment?: { readonly at: EpochMs } | undefined;
}

/** `snapshotAt`: the moment of a permalink. */
export function knownUntil(
  { freshness, lastSeenAt, reports, moment }: ClientTimes,
  snapshotAt: EpochMs | null = null,
): KnownUntil {
  const isOfDocument = (report: ClientTimes['reports'][number]): boolean =>
    report.vantage === 'dump' && report.originalVantage === undefined;
  if (reports.length > 0 && reports.every(isOfDocument)) return 'one-moment';
  const shownAt = moment?.at ?? snapshotAt;
  if (shownAt !== null) return shownAt;
  return freshness === 'live' ? null : (lastSeenAt ?? null);
}
