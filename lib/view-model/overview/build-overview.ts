import type { FleetClient, FleetLineRow, FleetPage } from '../../api/fleet';
import type { Divergence, Divergences } from '../../api/propagation';
import type { ClientSummary, Health, NotableEvent, Source } from '../../api/schema';
import { countTargets, type TargetCounts } from '../sources/count-targets';

export interface OverviewFacts {
  /** The first clients in trouble, worst first, with the counts of all clients. */
  readonly fleet: Pick<FleetPage, 'items' | 'total'>;
  readonly sources: readonly Source[];
  /** In the order of the log. */
  readonly events: readonly NotableEvent[];
  readonly health: Health | undefined;
  /** undefined until it is known. */
  readonly divergences: Divergences | undefined;
}

export type Trouble =
  | {
      readonly kind: 'client';
      readonly client: ClientSummary;
    }
  | { readonly kind: 'source'; readonly source: Source }
  /** The first difference between two probes of one server, and the number of its differences. */
  | { readonly kind: 'divergence'; readonly first: Divergence; readonly total: number }
  | { readonly kind: 'recorder'; readonly reason: string };

export interface Overview {
  /**
   * - `unknown`: no client is observed.
   * - `partial`: no problem is observed, but some clients are stale, or sources are not connected yet.
   */
  readonly verdict: 'trouble' | 'partial' | 'fine' | 'unknown';
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
  /** Worst first: the recorder, sources, then clients by their worst status, most trouble, name. */
  readonly troubles: readonly Trouble[];
  /** With the clients in trouble that are not in `troubles`. */
  readonly troublesTotal: number;
}

export function buildOverview({ fleet, sources, events, health, divergences }: OverviewFacts): Overview {
  const { total } = fleet;
  const isStopped = health?.recorder.state === 'stopped';
  const sorted = [...events].sort((a, b) => (a.at < b.at ? 1 : a.at > b.at ? -1 : b.seq - a.seq));
  const down = sources.filter(({ state, members }) => state === 'down' || (members?.down ?? 0) > 0);
  const counts = countTargets(sources);
  const clients = withoutWholeProcesses(fleet.items);
  const others: Trouble[] = [
    ...(isStopped ? [{ kind: 'recorder' as const, reason: health.recorder.reason }] : []),
    ...down.map((source) => ({ kind: 'source' as const, source })),
    ...divergentServers(divergences),
  ];
  const troubles: Trouble[] = [...others, ...clients.map((client) => ({ kind: 'client' as const, client }))];
  return {
    verdict: decideVerdict(troubles.length > 0, total, counts),
    clients: {
      total: total.clients,
      live: total.live,
      ofFiles: total.ofFiles,
      inTrouble: Math.max(total.inTrouble, clients.length),
      waiting: total.waiting,
    },
    nacked: { resources: total.nackedResources, clients: total.nackedClients },
    sources: { ...counts, total: counts.connecting + counts.up + counts.down + counts.paused },
    events: sorted,
    troubles,
    troublesTotal: Math.max(troubles.length, others.length + total.inTrouble),
  };
}

function divergentServers(reported: Divergences | undefined): Trouble[] {
  return (reported?.pairs ?? []).flatMap(({ target, divergences: total }) => {
    const first = reported?.items.find((each) => each.target === target);
    return first === undefined ? [] : [{ kind: 'divergence', first, total }];
  });
}

/**
 * Leaves out whole processes whose scopes are in trouble as well, which would count twice.
 */
function withoutWholeProcesses(lines: readonly FleetLineRow[]): FleetClient[] {
  const clients = lines.flatMap((line) => (line.kind === 'client' ? [line.client] : []));
  const named = new Set(
    clients.flatMap(({ scopesReported, nodeId }) => (scopesReported === null ? [nodeId] : [])),
  );
  return clients.filter(({ scopesReported, nodeId }) => scopesReported === null || !named.has(nodeId));
}

function decideVerdict(
  isTrouble: boolean,
  { clients, live, ofFiles }: Pick<FleetPage['total'], 'clients' | 'live' | 'ofFiles'>,
  { connecting }: TargetCounts,
): Overview['verdict'] {
  if (isTrouble) return 'trouble';
  if (live + ofFiles === 0) return 'unknown';
  return live + ofFiles < clients || connecting > 0 ? 'partial' : 'fine';
}
