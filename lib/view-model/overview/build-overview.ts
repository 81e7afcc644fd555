import type { FleetClient, FleetLineRow, FleetPage } from '../../api/fleet';
import type { Divergence, Divergences } from '../../api/propagation';
import type { ClientSummary, Health, NotableEvent, Source } from '../../api/schema';
import { countTargets, type TargetCounts } from '../sources/count-targets';

export interface OverviewFacts {
  /** The clients in trouble, worst first and as many as are read, with the counts of all. */
  readonly fleet: Pick<FleetPage, 'items' | 'total'>;
  readonly sources: readonly Source[];
  /** In the order of the log. */
  readonly events: readonly NotableEvent[];
  readonly health: Health | undefined;
  /** undefined: not known yet. */
  readonly divergences: Divergences | undefined;
}

/** Something that is wrong now, with the reason and the way to the evidence. */
export type Trouble =
  | {
      readonly kind: 'client';
      readonly client: ClientSummary;
      /** When the newest trouble of the client was reported, as far as `events` reach back. */
      readonly reportedAt: string | null;
    }
  | { readonly kind: 'source'; readonly source: Source }
  /** The first that two probes of one server were reported differently, and how many there are of it. */
  | { readonly kind: 'divergence'; readonly first: Divergence; readonly total: number }
  | { readonly kind: 'recorder'; readonly reason: string };

export interface Overview {
  /**
   * - `unknown`: nothing is observed, so nothing can be said: not the same as fine.
   * - `partial`: nothing is wrong in what is seen, but some of it is old, silent or not heard yet.
   */
  readonly verdict: 'trouble' | 'partial' | 'fine' | 'unknown';
  readonly clients: {
    readonly total: number;
    readonly live: number;
    /** Reported by files alone: nobody expects them to be live. */
    readonly ofFiles: number;
    readonly inTrouble: number;
  };
  /** Resources that their client NACKs now, and how many clients that are. */
  readonly nacked: { readonly resources: number; readonly clients: number };
  /** Of lists the targets that they found. */
  readonly sources: TargetCounts & { readonly total: number };
  /** By the time when they happened, newest first; sources tell with different delays. */
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
  const reportedAt = new Map<string | null, string>();
  for (const { clientId, isTrouble, at } of sorted) {
    if (isTrouble && !reportedAt.has(clientId)) reportedAt.set(clientId, at);
  }
  const down = sources.filter(({ state, members }) => state === 'down' || (members?.down ?? 0) > 0);
  const counts = countTargets(sources);
  const clients = withoutSaidTwice(fleet.items);
  const others: Trouble[] = [
    ...(isStopped ? [{ kind: 'recorder' as const, reason: health.recorder.reason }] : []),
    ...down.map((source) => ({ kind: 'source' as const, source })),
    ...divergentServers(divergences),
  ];
  const troubles: Trouble[] = [
    ...others,
    ...clients.map((client) => ({
      kind: 'client' as const,
      client,
      reportedAt: reportedAt.get(client.id) ?? null,
    })),
  ];
  return {
    verdict: validate(troubles.length > 0, total, counts),
    clients: {
      total: total.clients,
      live: total.live,
      ofFiles: total.ofFiles,
      inTrouble: Math.max(total.inTrouble, clients.length),
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
 * Of a process that CSDS reports by scopes, without the whole that the wire reports: each would count twice. Unless the
 * wire alone knows of trouble.
 */
function withoutSaidTwice(lines: readonly FleetLineRow[]): FleetClient[] {
  const clients = lines.flatMap((line) => (line.kind === 'client' ? [line.client] : []));
  const named = new Set(
    clients.flatMap(({ scopesReported, nodeId }) => (scopesReported === null ? [nodeId] : [])),
  );
  return clients.filter(({ scopesReported, nodeId }) => scopesReported === null || !named.has(nodeId));
}

function validate(
  isTrouble: boolean,
  { clients, live, ofFiles }: Pick<FleetPage['total'], 'clients' | 'live' | 'ofFiles'>,
  { connecting }: TargetCounts,
): Overview['verdict'] {
  if (isTrouble) return 'trouble';
  if (live + ofFiles === 0) return 'unknown';
  return live + ofFiles < clients || connecting > 0 ? 'partial' : 'fine';
}
