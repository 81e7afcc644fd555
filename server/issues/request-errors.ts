import { byDescending } from '@/lib/collections/compare';
import { type ErrorPeriod, findErrorPeriods, leastErrors } from '@/lib/issues/error-periods';
import type { ClientState } from '@/lib/observation/client-state';
import {
  addCounts,
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
import type { LiveState } from '../live/live-state';

interface RequestErrorsParts {
  readonly live: Pick<LiveState, 'world'>;
  /** The requests that a source counted; undefined: it counts none. */
  readonly requestsOf: (sourceId: string) => PackedRequests | undefined;
}

/** The requests of one client to one cluster or target. */
interface Series {
  readonly clientId: string;
  readonly minutes: readonly RequestMinute[];
}

/** The vantages whose sources count requests. */
const reporters = ['channelz', 'envoy-admin'] as const;
type Reporter = (typeof reporters)[number];

/** The severity follows from the end of a period. */
const measuredMs = 5 * 60_000;
const clientsListed = 20;

/** The clusters and targets to which too many requests fail, by the counters of clients: of the last hour of this process. */
export class RequestErrors {
  readonly #parts: RequestErrorsParts;

  constructor(parts: RequestErrorsParts) {
    this.#parts = parts;
  }

  /** Finds the errors that last at this time, and those that ended within the hour before it. */
  find(at: EpochMs): FoundErrors[] {
    return reporters.flatMap((reporter) => this.#findOf(reporter, at));
  }

  #findOf(reporter: Reporter, at: EpochMs): FoundErrors[] {
    const { series, all } = this.#read(reporter);
    const from =
      Math.floor(at / requestMinuteMs) * requestMinuteMs - (requestMinutesKept - 1) * requestMinuteMs;
    const groups = [...series].map(([clusterName, some]) => {
      const steps = Array.from({ length: requestMinutesKept }, (_, step) => {
        const begin = from + step * requestMinuteMs;
        return sum(some, { from: begin, to: begin + requestMinuteMs });
      });
      return {
        key: { clusterName },
        values: {
          errors: steps.map(({ failed }) => (failed * 1_000) / requestMinuteMs),
          'error-ratio': steps.map(({ failed, completed }) => (completed === 0 ? 0 : failed / completed)),
        },
      };
    });
    return findErrorPeriods(groups, { from, at })
      .map((period) => measure(period, series.get(period.clusterName) ?? [], all, { at, reporter }))
      .filter(({ measured: { errors } }) => errors >= leastErrors);
  }

  /** The process of a source may have several clients. */
  #read(reporter: Reporter): { readonly series: ReadonlyMap<string, Series[]>; readonly all: Series[] } {
    const clients = new Map<string, ClientState[]>();
    for (const client of this.#parts.live.world.values()) {
      for (const { vantage, sourceId, goneAt } of client.reports.values())
        if (vantage === reporter && goneAt === null)
          clients.set(sourceId, [...(clients.get(sourceId) ?? []), client]);
    }
    const series = new Map<string, Series[]>();
    const all: Series[] = [];
    for (const [sourceId, some] of clients) {
      const packed = this.#parts.requestsOf(sourceId);
      const [first] = some;
      if (packed === undefined || first === undefined) continue;
      const counted = unpackRequests(packed);
      all.push({ clientId: first.clientId, minutes: counted.all });
      for (const [name, minutes] of counted.failing) {
        const { clientId } = some.find(({ scope }) => isScopeOf(scope, name)) ?? first;
        series.set(name, [...(series.get(name) ?? []), { clientId, minutes }]);
      }
    }
    return { series, all };
  }
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
  const { failed: errors, completed, ...causes } = sum(series, span);
  const failing = series
    .map(({ clientId, minutes }) => ({ clientId, failed: sum([{ clientId, minutes }], span).failed }))
    .filter(({ failed }) => failed > 0)
    .sort(byDescending(({ failed }) => failed))
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
    measured: { errors, completed, ofAll: sum(all, span).completed },
    clients: failing.slice(0, clientsListed),
    moreClients: Math.max(0, failing.length - clientsListed),
    counted: { by: reporter, causes },
  };
}

function sum(
  series: readonly Series[],
  { from, to }: { readonly from: EpochMs; readonly to: EpochMs },
): RequestCounts {
  let total = noRequests;
  for (const { minutes } of series)
    for (const minute of minutes)
      if (minute.from >= from - (from % requestMinuteMs) && minute.from < to)
        total = addCounts(total, minute.counts);
  return total;
}
