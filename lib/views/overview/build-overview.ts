import { byDescending, inTurn } from '../../collections/compare';
import { formatCount, formatCounted } from '../../format/count';
import type { NotableEvent } from '../events/schema';
import type { FleetClient, FleetLineRow, FleetPage } from '../fleet/schema';
import { countTargets, type TargetCounts } from '../sources/count-targets';
import type { Source } from '../sources/schema';

export interface OverviewFacts {
  /** The first clients in trouble, worst first, with the counts of all clients. */
  readonly fleet: Pick<FleetPage, 'items' | 'total'>;
  readonly sources: readonly Source[];
  /** The events in the order of the log. */
  readonly events: readonly NotableEvent[];
}

export interface Overview {
  /**
   * The extent of what is observed. `unknown`: no client. `partial`: some clients are stale, or sources do not
   * report. Issues are not part of it.
   */
  readonly coverage: 'partial' | 'full' | 'unknown';
  readonly clients: {
    readonly total: number;
    readonly live: number;
    /** Clients that only files report. */
    readonly ofFiles: number;
    readonly inTrouble: number;
    /** Clients with a resource that warms or a response without an answer. */
    readonly waiting: number;
  };
  readonly nacked: { readonly resources: number; readonly clients: number };
  /** Lists are counted by their targets. */
  readonly sources: TargetCounts & { readonly total: number };
  /** Sorted by time, newest first; sources report with different delays. */
  readonly events: readonly NotableEvent[];
}

export function buildOverview({ fleet, sources, events }: OverviewFacts): Overview {
  const { total } = fleet;
  const sorted = [...events].sort(
    inTurn(
      byDescending(({ at }) => at),
      byDescending(({ seq }) => seq),
    ),
  );
  const counts = countTargets(sources);
  return {
    coverage: coverageOf(total, counts),
    clients: {
      total: total.clients,
      live: total.live,
      ofFiles: total.ofFiles,
      inTrouble: Math.max(total.inTrouble, withoutWholeProcesses(fleet.items).length),
      waiting: total.waiting,
    },
    nacked: { resources: total.nackedResources, clients: total.nackedClients },
    sources: { ...counts, total: counts.connecting + counts.up + counts.down + counts.paused },
    events: sorted,
  };
}

/** Describes what is observed, for a list without issues: as in "7 clients, 11 of 11 sources report". */
export function describeCoverage({ coverage, clients, sources }: Overview): string {
  const { total, live, ofFiles } = clients;
  const reporting = `${formatCount(sources.up)} of ${formatCounted(sources.total, 'source')} ${sources.total === 1 ? 'reports' : 'report'}`;
  if (coverage === 'unknown') {
    return total === 0
      ? `No client is observed, so that the state of the mesh is not known; ${reporting}`
      : `None of ${formatCounted(total, 'client')} is live, so that the data may be out of date; ${reporting}`;
  }
  const stale = total - live - ofFiles;
  const clientsText = `${formatCounted(total, 'client')}${stale > 0 ? `, ${formatCount(stale)} of them not live` : ''}`;
  const ofContent = ofFiles > 0 ? '. Of a file, only what it contains is checked' : '';
  return `${clientsText}, ${reporting}${ofContent}`;
}

/**
 * Leaves out whole processes whose scopes are in trouble as well, which would count twice.
 */
function withoutWholeProcesses(lines: readonly FleetLineRow[]): FleetClient[] {
  const clients = lines.flatMap((line) => (line.kind === 'client' ? [line.client] : []));
  const named = new Set(
    clients.flatMap(({ scopesReported, nodeId }) => (scopesReported === undefined ? [nodeId] : [])),
  );
  return clients.filter(({ scopesReported, nodeId }) => scopesReported === undefined || !named.has(nodeId));
}

function coverageOf(
  { clients, live, ofFiles }: Pick<FleetPage['total'], 'clients' | 'live' | 'ofFiles'>,
  { connecting, down }: TargetCounts,
): Overview['coverage'] {
  if (live + ofFiles === 0) return 'unknown';
  return live + ofFiles < clients || connecting + down > 0 ? 'partial' : 'full';
}
