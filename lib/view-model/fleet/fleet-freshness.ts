import type { ClientSummary } from '../../api/schema';
import { formatCounted } from '../../format/count';

export interface FleetFreshness {
  /** ISO 8601; the newest word of any client; null when none spoke since the start. */
  readonly newestAt: string | null;
  /** "2 clients stale, 1 client gone"; empty when all are live. */
  readonly partial: string;
}

export function buildFleetFreshness(clients: readonly ClientSummary[]): FleetFreshness {
  let newestAt: string | null = null;
  const counts = { live: 0, stale: 0, gone: 0 };
  for (const { freshness, lastSeenAt } of clients) {
    counts[freshness] += 1;
    // ISO 8601 in UTC sorts as text.
    if (lastSeenAt !== null && (newestAt === null || lastSeenAt > newestAt)) newestAt = lastSeenAt;
  }
  const parts = [
    counts.stale > 0 ? `${formatCounted(counts.stale, 'client')} stale` : '',
    counts.gone > 0 ? `${formatCounted(counts.gone, 'client')} gone` : '',
  ];
  return { newestAt, partial: parts.filter((part) => part !== '').join(', ') };
}
