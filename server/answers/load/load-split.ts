import type { FailoverSimulation } from '@/lib/api/failover';
import type { LoadSplit } from '@/lib/api/load';
import { formatIsoTime, formatIsoTimeOrNull } from '@/lib/format/iso-time';
import { formatLocality } from '@/lib/format/locality';
import { compareSplit } from '@/lib/load/compare-split';
import { type ClientState, resourceKey } from '@/lib/observation/client-state';
import type { ResourceRow } from '@/lib/observation/resource-row';
import type { LoadSplitQuery } from '@/lib/questions/load-query';
import { CDS, EDS } from '@/lib/xds/resource-type';
import type { EpochMs } from '@/lib/xds/units';
import type { LoadReadQuestion } from '../../recorder/load/load-jobs';
import type { LoadRecorder } from '../../recorder/load/load-recorder';
import type { NowOf } from '../../subjects/now-of-client';
import { spanOf, type TimeOf } from './load-query';

export interface LoadSplitParts {
  readonly nowOf: NowOf;
  readonly loads: Pick<LoadRecorder, 'read'>;
  readonly timeOf: TimeOf;
  /** Returns the newest change of the client's resources for these clusters and their endpoints until a time. */
  readonly findChange: (names: readonly string[], until: EpochMs) => EpochMs | null;
  /** Simulates the cluster with all endpoints healthy at a time, by default now. */
  readonly simulate: (cluster: string, at?: string) => Promise<FailoverSimulation>;
}

/** This interval is assumed for reports that do not state theirs. */
const usualIntervalMs = 10_000;

/** Returns how the requests of a client to a cluster are split among localities, and which split is expected. */
export async function findLoadSplit(
  parts: LoadSplitParts,
  query: LoadSplitQuery,
  signal?: AbortSignal,
): Promise<LoadSplit> {
  const { client, cluster, rules } = query;
  const now = parts.nowOf(client);
  const { isPast, ...requested } = await spanOf(query, now, parts.timeOf);
  const { to: end } = requested;
  const at = isPast && end <= now ? (query.at ?? formatIsoTime(end)) : undefined;
  const simulation = await parts.simulate(cluster, at);
  const read = (span: LoadReadQuestion['span'], by: LoadReadQuestion['by']) =>
    parts.loads.read(
      { by, cluster, clientId: client, span, stepMs: null, measures: [], limit: 1_000 },
      signal,
    );

  const whole = await read(requested, 'cluster');
  const names = whole.groups.flatMap(({ key }) => [key.clusterServiceName ?? '', key.clusterName ?? '']);
  const changedAt = parts.findChange([cluster, ...names], end);
  const intervalMs = Math.max(0, ...whole.groups.map(({ totals }) => intervalOf(totals))) || usualIntervalMs;
  // A report covers the interval before it, so the first one after the change also covers time before the change.
  const begin = changedAt === null ? requested.from : Math.max(requested.from, changedAt + intervalMs);
  const { groups, span } = await read({ from: Math.min(begin, end - 1), to: end }, 'locality');
  const isIssuedReported = groups.every(({ totals }) => totals.issuedUnknown === 0);
  const measured = groups.map(({ key, totals: { issued, successful, errors } }) => ({
    name: formatLocality(key.locality ?? null),
    count: isIssuedReported ? Number(issued) : Number(successful) + Number(errors),
  }));
  return {
    ...{ clientId: client, cluster, rules },
    from: formatIsoTime(span.from),
    to: formatIsoTime(span.to),
    changedAt: formatIsoTimeOrNull(changedAt),
    counted: isIssuedReported ? 'issued' : 'ended',
    lines: compareSplit(expectedOf(simulation, rules), measured),
    notes: [...simulation.notes, ...(rules === 'envoy' ? simulation.envoyNotes : [])],
  };
}

function intervalOf({
  coveredUs,
  timedReports,
}: {
  coveredUs: number | bigint;
  timedReports: number | bigint;
}) {
  return Number(timedReports) === 0 ? 0 : Number(coveredUs) / 1_000 / Number(timedReports);
}

function expectedOf({ priorities, moments }: FailoverSimulation, rules: 'grpc' | 'envoy') {
  const shares = moments[0]?.[rules].localities ?? [];
  return priorities.flatMap(({ localities }, priority) =>
    localities.map(({ name }, locality) => ({ name, share: shares[priority]?.[locality] ?? 0 })),
  );
}

/** Returns the change by the reports of the client itself; see LoadSplitParts.findChange. */
export function findChange(client: ClientState, names: readonly string[], until: EpochMs): EpochMs | null {
  const keys = keysOf(names);
  const own = [...client.reports.values()].filter(({ side }) => side === 'client');
  return lastBefore(
    own.flatMap(({ resources }) => keys.flatMap((key) => resources.get(key)?.changedAt ?? [])),
    until,
  );
}

/** Returns the change by stored rows. */
export function findRowChange(
  rows: readonly ResourceRow[],
  names: readonly string[],
  until: EpochMs,
): EpochMs | null {
  const keys = new Set(keysOf(names));
  const times = rows.filter((row) => keys.has(resourceKey(row))).map(({ changedAt }) => changedAt);
  return lastBefore(times, until);
}

function keysOf(names: readonly string[]): string[] {
  return names.flatMap((name) => [CDS, EDS].map(({ typeUrl }) => resourceKey({ typeUrl, name })));
}

function lastBefore(times: readonly EpochMs[], until: EpochMs): EpochMs | null {
  const before = times.filter((at) => at < until);
  return before.length === 0 ? null : Math.max(...before);
}
