import type { ClientReport, ClientState } from '../../observation/client-state';
import type { Side, Vantage } from '../../observation/observation';
import { findOriginalVantage } from '../../observation/vantage';
import type { EpochMs } from '../../xds/units';

export type Freshness = 'live' | 'stale' | 'gone';

/** How current one source's word on one client is. Known to the server only: an unchanged poll is no observation. */
export interface ReportFreshness {
  readonly freshness: Freshness;
  /** In words; empty when live. */
  readonly reason: string;
  readonly lastSeenAt: EpochMs | null;
  /** As the source is declared; absent: it is not, or nobody needs it. */
  readonly target?: string | undefined;
}

export type FreshnessOf = (report: ClientReport, clientId: string) => ReportFreshness;

const rank: Record<Freshness, number> = { live: 0, stale: 1, gone: 2 };

export function compareFreshness(a: Freshness, b: Freshness): number {
  return rank[a] - rank[b];
}

/**
 * Of several that speak of one client at the same time the one that knows most, always the same: Envoy's admin interface
 * reports hosts and stages that no CSDS has, istiod keeps books of whole types alone, and a tap concludes from a stream
 * (which knows of no timer, say).
 */
const vantageRank: Partial<Readonly<Record<Vantage, number>>> = { 'envoy-admin': 0, istiod: 2, tap: 3 };

function rankOfVantage(report: ClientReport): number {
  return vantageRank[findOriginalVantage(report)] ?? 1;
}

/**
 * Which source counts for one side of a client: the freshest; of these the kind that knows most; then the
 * one with the newest change. Load reports say nothing of resources and are never chosen, nor are those of a file.
 */
export function chooseReport(
  client: ClientState,
  side: Side,
  freshnessOf: FreshnessOf,
): ClientReport | undefined {
  return listReports(client, side).sort(
    (a, b) =>
      compareFreshness(
        freshnessOf(a, client.clientId).freshness,
        freshnessOf(b, client.clientId).freshness,
      ) ||
      rankOfVantage(a) - rankOfVantage(b) ||
      b.lastChangedAt - a.lastChangedAt ||
      (a.sourceId < b.sourceId ? -1 : 1),
  )[0];
}

export function listReports(client: ClientState, side: Side): ClientReport[] {
  return [...client.reports.values()].filter(
    (report) => report.side === side && findOriginalVantage(report) !== 'lrs',
  );
}
