import { by, byDescending, inTurn } from '../../collections/compare';
import type { ClientState } from '../../observation/client-state';
import type { Connection } from '../../observation/connection';
import type { Vantage } from '../../observation/observation';
import type { PackedFigures } from '../../observation/packed-figures';
import type { EpochMs } from '../../xds/units';
import { compareFreshness, type Freshness, type FreshnessOf } from './choose-report';

/** The connections of a client, as reported by the freshest source that reports any. */
export interface ReportedConnections {
  readonly sourceId: string;
  readonly vantage: Vantage;
  readonly freshness: Freshness;
  readonly reason: string;
  readonly changedAt: EpochMs;
  /** The time at which the figures were read; undefined: each is of the connection's own last change. */
  readonly countedAt?: EpochMs | undefined;
  /** The connections with the figures of their last changes. */
  readonly connections: readonly Connection[];
  /** The figures of the newest poll; null: not known. */
  readonly figures: PackedFigures | null;
  /** Addresses of the client's management servers, and its own addresses of its streams to them. */
  readonly serverAddresses: readonly string[];
}

/** The figures of the newest poll of a source; undefined: it has none. */
export type FiguresOf = (
  sourceId: string,
) => { readonly at: EpochMs; readonly figures: PackedFigures } | undefined;

/** undefined if no source reports connections of the client. */
export function findConnections(
  { clientId, reports }: ClientState,
  freshnessOf: FreshnessOf,
  figuresOf: FiguresOf = () => undefined,
): ReportedConnections | undefined {
  const [chosen] = [...reports.values()]
    .flatMap(({ connections, ...report }) => {
      if (connections === undefined) return [];
      const { freshness, reason } = freshnessOf({ ...report, connections }, clientId);
      return [{ ...report, connections, freshness, reason }];
    })
    .sort(
      inTurn(
        by(({ freshness }) => freshness, compareFreshness),
        byDescending(({ lastChangedAt }) => lastChangedAt),
      ),
    );
  if (chosen === undefined) return undefined;
  const { sourceId, vantage, freshness, reason, lastChangedAt: changedAt, connections } = chosen;
  const counted = figuresOf(sourceId);
  return {
    ...{ sourceId, vantage, freshness, reason, changedAt, countedAt: counted?.at },
    ...{ connections, figures: counted?.figures ?? null },
    serverAddresses: serverAddressesOf(reports.values(), clientId, freshnessOf),
  };
}

function serverAddressesOf(
  reports: Iterable<ClientState['reports'] extends Map<string, infer Report> ? Report : never>,
  clientId: string,
  freshnessOf: FreshnessOf,
): string[] {
  const addresses = new Set<string>();
  for (const report of reports) {
    for (const { peer } of report.streams ?? []) addresses.add(peer);
    const { source } = freshnessOf(report, clientId);
    if (source?.server === undefined) continue;
    addresses.add(source.server);
    if (source.kind === 'tap') addresses.add(source.target);
  }
  return [...addresses];
}
