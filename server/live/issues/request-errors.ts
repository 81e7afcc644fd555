import { byDescending } from '@/lib/collections/compare';
import { type ErrorPeriod, findErrorPeriods, leastErrors } from '@/lib/issues/error-periods';
import type { FailingPlaces } from '@/lib/issues/shared-place';
import { floorTo } from '@/lib/load/plan-load-reading';
import type { ClientState } from '@/lib/observation/client-state';
import type { Connection } from '@/lib/observation/connection';
import {
  addTo,
  noRequests,
  type PackedRequests,
  type RequestCounts,
  type RequestMinute,
  requestMinuteMs,
  requestMinutesKept,
  unpackRequests,
} from '@/lib/observation/packed-requests';
import type { FoundErrors } from '@/lib/views/issues/build-load-issue';
import type { EpochMs } from '@/lib/xds/units';
import type { LiveState } from '../live-state';
import type { KnownErrors } from './known-errors';

interface RequestErrorsParts {
  readonly live: Pick<LiveState, 'world'>;
  /** The requests that a source counted; undefined: it counts none. */
  readonly requestsOf: (sourceId: string) => PackedRequests | undefined;
  readonly known: KnownErrors;
}

/** The requests of one client to one cluster or target. */
interface Series {
  readonly clientId: string;
  readonly minutes: readonly RequestMinute[];
  readonly restartedAt: EpochMs | undefined;
}

/** What sources count, by their vantage. */
interface Reporter {
  readonly by: 'channelz' | 'envoy-admin';
  readonly isOfConnections?: true | undefined;
}

const reporters: readonly Reporter[] = [
  { by: 'channelz' },
  { by: 'envoy-admin' },
  { by: 'envoy-admin', isOfConnections: true },
];

/** The severity follows from the end of a period. */
const measuredMs = 5 * 60_000;
const clientsListed = 20;
/** Pages, metrics and alerts share an answer for so long. */
const freshMs = 5_000;

/** The clusters and targets to which too many requests fail, by the counters of clients. */
export class RequestErrors {
  readonly #parts: RequestErrorsParts;
  #latest: { readonly at: EpochMs; readonly found: readonly FoundErrors[] } | undefined;

  constructor(parts: RequestErrorsParts) {
    this.#parts = parts;
  }

  /**
   * Finds the errors that last at this time, and those that ended within the hour before it. `isNow` means that the
   * time is the present.
   */
  find(at: EpochMs, isNow: boolean): readonly FoundErrors[] {
    if (!isNow) return this.#findAll(at);
    const fresh = floorTo(at, freshMs);
    if (this.#latest?.at !== fresh)
      this.#latest = { at: fresh, found: this.#parts.known.date(this.#findAll(at), at) };
    return this.#latest.found;
  }

  #findAll(at: EpochMs): FoundErrors[] {
    return reporters.flatMap((reporter) => this.#findOf(reporter, at));
  }

  #findOf(reporter: Reporter, at: EpochMs): FoundErrors[] {
    const { series, all } = this.#read(reporter);
    const from =
      Math.floor(at / requestMinuteMs) * requestMinuteMs - (requestMinutesKept - 1) * requestMinuteMs;
    const groups = [...series].map(([clusterName, some]) => {
      const failed = new Array<number>(requestMinutesKept).fill(0);
      const completed = [...failed];
      for (const { minutes } of some)
        for (const { from: begin, counts } of minutes) {
          const step = (begin - from) / requestMinuteMs;
          if (step < 0 || step >= requestMinutesKept) continue;
          failed[step] = (failed[step] ?? 0) + counts.failed;
          completed[step] = (completed[step] ?? 0) + counts.completed;
        }
      return {
        key: { clusterName },
        values: {
          errors: failed.map((count) => (count * 1_000) / requestMinuteMs),
          'error-ratio': failed.map((count, step) => count / (completed[step] || 1)),
        },
      };
    });
    return findErrorPeriods(groups, { from, at })
      .map((period) => measure(period, series.get(period.clusterName) ?? [], all, { at, reporter }))
      .map((errors) => ({ ...errors, places: this.#findPlaces(errors) }))
      .filter(({ measured: { errors } }) => errors >= leastErrors);
  }

  /** The hosts and subchannels of the cluster or target that the clients report as failing. */
  #findPlaces({ clusterName, clients }: FoundErrors): FailingPlaces {
    const addresses = clients.flatMap((clientId) => {
      const reports = this.#parts.live.world.get(clientId)?.reports.values() ?? [];
      return [...reports].flatMap(({ goneAt, connections = [] }) =>
        goneAt === null ? failingAddresses(connections, clusterName) : [],
      );
    });
    return { addresses: [...new Set(addresses)], localities: [] };
  }

  /** The process of a source may have several clients. */
  #read({ by, isOfConnections }: Reporter): {
    readonly series: ReadonlyMap<string, Series[]>;
    readonly all: Series[];
  } {
    const clients = new Map<string, ClientState[]>();
    for (const client of this.#parts.live.world.values()) {
      for (const { vantage, sourceId, goneAt } of client.reports.values())
        if (vantage === by && goneAt === null)
          clients.set(sourceId, [...(clients.get(sourceId) ?? []), client]);
    }
    const series = new Map<string, Series[]>();
    const all: Series[] = [];
    for (const [sourceId, some] of clients) {
      const packed = this.#parts.requestsOf(sourceId);
      const [first] = some;
      if (packed === undefined || first === undefined) continue;
      const counted = unpackRequests(packed);
      const { restartedAt, overTcp } = counted;
      const minutesOfAll = isOfConnections ? counted.allConnections : counted.all;
      all.push({ clientId: first.clientId, minutes: minutesOfAll, restartedAt });
      for (const [name, minutes] of counted.failing) {
        if (overTcp.has(name) !== (isOfConnections ?? false)) continue;
        const { clientId } = some.find(({ scope }) => isScopeOf(scope, name)) ?? first;
        const known = series.get(name) ?? [];
        known.push({ clientId, minutes, restartedAt });
        series.set(name, known);
      }
    }
    return { series, all };
  }
}

function failingAddresses(connections: readonly Connection[], name: string): string[] {
  const channels = new Set(
    connections.flatMap(({ id, kind, target }) => (kind === 'channel' && target === name ? [id] : [])),
  );
  return connections
    .filter(({ kind, cluster, failingSince, channels: used }) => {
      if (failingSince === undefined) return false;
      return kind === 'host'
        ? cluster === name
        : kind === 'subchannel' && used.some((id) => channels.has(id));
    })
    .map(({ target }) => target);
}

/** CSDS of C-core has "xds:/shop" where channelz has "xds:///shop". */
function isScopeOf(scope: string, target: string): boolean {
  const withoutScheme = (text: string): string => text.replace(/^xds:\/*/i, '');
  return scope !== '' && withoutScheme(scope) === withoutScheme(target);
}

function measure(
  period: ErrorPeriod,
  series: readonly Series[],
  all: readonly Series[],
  { at, reporter }: { readonly at: EpochMs; readonly reporter: Reporter },
): FoundErrors {
  const to = period.to ?? at;
  const span = { from: Math.max(period.from, to - measuredMs), to };
  const byClient = series.map(({ clientId, minutes }) => ({ clientId, counts: sum(minutes, span) }));
  const total = { ...noRequests };
  for (const { counts } of byClient) addTo(total, counts);
  const { failed: errors, completed, ...causes } = total;
  const failing = byClient
    .filter(({ counts }) => counts.failed > 0)
    .sort(byDescending(({ counts }) => counts.failed))
    .map(({ clientId }) => clientId);
  const first = series.flatMap(({ minutes }) =>
    minutes.flatMap(({ from, failedAt }) =>
      from === period.from && failedAt !== undefined ? [failedAt] : [],
    ),
  );
  return {
    ...period,
    // The counters of the poll before had no failure of this minute.
    from: first.length === 0 ? period.from : Math.min(...first),
    measured: { errors, completed, ofAll: countCompleted(all, span) },
    clients: failing.slice(0, clientsListed),
    moreClients: Math.max(0, failing.length - clientsListed),
    counted: { ...reporter, causes, restartedAt: findRestart(series, { from: period.from, to }) },
  };
}

/** The newest restart of one of the processes within this time. */
function findRestart(
  series: readonly Series[],
  { from, to }: { readonly from: EpochMs; readonly to: EpochMs },
): EpochMs | undefined {
  const restarts = series.flatMap(({ restartedAt }) =>
    restartedAt !== undefined && restartedAt >= from && restartedAt <= to ? [restartedAt] : [],
  );
  return restarts.length === 0 ? undefined : Math.max(...restarts);
}

interface Span {
  readonly from: EpochMs;
  readonly to: EpochMs;
}

function isWithin(minute: RequestMinute, { from, to }: Span): boolean {
  return minute.from >= from - (from % requestMinuteMs) && minute.from < to;
}

function sum(minutes: readonly RequestMinute[], span: Span): RequestCounts {
  const total = { ...noRequests };
  for (const minute of minutes) if (isWithin(minute, span)) addTo(total, minute.counts);
  return total;
}

function countCompleted(series: readonly Series[], span: Span): number {
  let count = 0;
  for (const { minutes } of series)
    for (const minute of minutes) if (isWithin(minute, span)) count += minute.counts.completed;
  return count;
}
