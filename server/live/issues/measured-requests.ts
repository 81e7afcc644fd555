import { group } from 'd3';
import {
  type Breaker,
  type Breakers,
  connectionLimit,
  type FailingLoad,
  leastRequests,
} from '@/lib/facts/failing-endpoints';
import { type MeasuredRequests, measuredMinutes } from '@/lib/facts/measured-requests';
import { formatLocality } from '@/lib/format/locality';
import { addLoadTotals } from '@/lib/load/load-question';
import { floorTo, minuteMs } from '@/lib/load/plan-load-reading';
import { localityKey } from '@/lib/model/endpoints';
import {
  addCounts,
  noRequests,
  type PackedRequests,
  type RequestCounts,
  type RequestMinute,
  unpackRequests,
} from '@/lib/observation/packed-requests';
import type { EpochMs } from '@/lib/xds/units';
import type { Clock } from '../../observe';
import { KeptWork } from '../../workers/kept-work';
import type { LiveState } from '../live-state';
import type { LoadAnswer, LoadReadQuestion } from '../load/load-jobs';
import type { LoadReader } from '../load/load-reader';

interface MeasuredParts {
  readonly clock: Pick<Clock, 'now'>;
  readonly live: Pick<LiveState, 'world'>;
  readonly loads: Pick<LoadReader, 'read'>;
  readonly requestsOf: (sourceId: string) => PackedRequests | undefined;
}

type Found = ReadonlyMap<string, MeasuredRequests>;

const freshMs = 5_000;
/** The current minute and the one before it. */
const breakerMinutes = 2;
const mostClusters = 1_000;
const mostClustersWithPlaces = 20;
const mostPlaces = 100;
const mostKept = 200;

/** What the load reports of a client, or else its counters, show of its requests of late. */
export class MeasuredRequestsReader {
  readonly #parts: MeasuredParts;
  readonly #known = new KeptWork<Found>(mostKept);

  constructor(parts: MeasuredParts) {
    this.#parts = parts;
  }

  /** The requests by cluster; of gRPC's channels, none: they are of targets. */
  find(clientId: string, signal?: AbortSignal): Promise<Found> {
    const at = this.#parts.clock.now();
    return this.#known.run(`${clientId} ${floorTo(at, freshMs)}`, signal, async (stop) => {
      const counted = this.#readCounters(clientId, at);
      const reported = await this.#readLoad(clientId, at, stop);
      return new Map([...counted, ...reported]);
    });
  }

  /** The clusters whose circuit breaker rejects requests, by the gauges and counters of the Envoy. */
  findBreakers(clientId: string): Breakers {
    const from = this.#parts.clock.now() - breakerMinutes * minuteMs;
    const breakers = new Map<string, Breaker>();
    for (const { packed } of this.#countedBy(clientId)) {
      const { failing, overTcp } = unpackRequests(packed);
      for (const [cluster, minutes] of failing)
        if (minutes.some(({ from: begin, counts }) => begin > from && counts.overflow > 0))
          breakers.set(cluster, { limits: [], ...(overTcp.has(cluster) && { isOfConnections: true }) });
      for (const [cluster, limits] of packed.reachedLimits ?? []) {
        // Requests that were rejected lately matter to more clusters than a limit of connections.
        const isOfConnections = limits.every((limit) => limit.startsWith(connectionLimit));
        if (!isOfConnections || !breakers.has(cluster)) breakers.set(cluster, { limits });
      }
    }
    return breakers;
  }

  /** Why the Envoy serves no request, whatever its config is; undefined: nothing shows that it does not. */
  findStandstill(clientId: string): string | undefined {
    const reported = [...this.#countedBy(clientId)].map(({ packed }) => packed.standstill);
    return reported.find((each) => each !== undefined);
  }

  async #readLoad(clientId: string, at: EpochMs, signal: AbortSignal): Promise<Found> {
    const [recent, all] = await Promise.all(
      [1, measuredMinutes].map((minutes) => this.#readSpan({ clientId, at, minutes }, signal)),
    );
    const found = new Map<string, MeasuredRequests>();
    for (const [cluster, { errors, completed, lastAt: newest, addresses, localities }] of all ?? []) {
      if (completed === 0) continue;
      // What has changed within the minute is not in the sum of the last ones.
      const failing = findFailingLoad(recent?.get(cluster)) ?? findFailingLoad(all?.get(cluster));
      const namesOf = (places: readonly Place[]) => places.map(({ name }) => name);
      found.set(cluster, {
        ...{ by: 'lrs', errors, completed, at: newest },
        ...{ addresses: namesOf(addresses), localities: namesOf(localities) },
        ...(failing && { failing }),
      });
    }
    return found;
  }

  /** The clusters with requests; the places to which every request failed are those of the clusters with the most errors. */
  async #readSpan(
    { clientId, at, minutes }: { readonly clientId: string; readonly at: EpochMs; readonly minutes: number },
    signal: AbortSignal,
  ): Promise<ReadonlyMap<string, SpanOfCluster>> {
    const base = {
      ...{ clientId, span: { from: at - minutes * minuteMs, to: at }, stepMs: null, measures: [] },
      sort: 'errors' as const,
    };
    const { groups } = await this.#parts.loads.read({ ...base, by: 'cluster', limit: mostClusters }, signal);
    const found = new Map<string, SpanOfCluster>();
    // A cluster may be reported with several EDS service names.
    for (const [cluster, own] of group(groups, ({ key: { clusterName = '' } }) => clusterName)) {
      const { errors, successful, lastAt } = addLoadTotals(own.map(({ totals }) => totals));
      const isRead = Number(errors) > 0 && found.size < mostClustersWithPlaces;
      const places = isRead
        ? await this.#readPlaces({ ...base, cluster, limit: mostPlaces }, signal)
        : { addresses: [], localities: [] };
      const completed = Number(errors) + Number(successful);
      found.set(cluster, { minutes, errors: Number(errors), completed, lastAt, ...places });
    }
    return found;
  }

  async #readPlaces(base: Omit<LoadReadQuestion, 'by'>, signal: AbortSignal) {
    const [byEndpoint, byLocality] = await Promise.all([
      this.#parts.loads.read({ ...base, by: 'endpoint' }, signal),
      this.#parts.loads.read({ ...base, by: 'locality' }, signal),
    ]);
    return {
      addresses: failingOf(byEndpoint).flatMap(({ key: { address: name }, errors }) =>
        name === undefined ? [] : [{ key: name, name, errors }],
      ),
      localities: failingOf(byLocality).map(({ key: { locality = null }, errors }) => ({
        ...{ key: localityKey(locality), name: formatLocality(locality), errors },
      })),
    };
  }

  #readCounters(clientId: string, at: EpochMs): Found {
    const found = new Map<string, MeasuredRequests>();
    for (const { packed, vantage } of this.#countedBy(clientId)) {
      const { failing, served, overTcp } = unpackRequests(packed);
      // These are no requests: what is known of their hosts is in Connections.
      const isOfRequests = ([cluster]: readonly [string, unknown]): boolean => !overTcp.has(cluster);
      const isRecent = ({ from }: RequestMinute) => from > at - measuredMinutes * minuteMs;
      const base = { by: vantage, addresses: [], localities: [] };
      for (const [cluster, minute] of [...served].filter(isOfRequests)) {
        const { completed } = minute.counts;
        if (isRecent(minute) && completed > 0)
          found.set(cluster, { ...base, errors: 0, completed, at: minute.from, isOfOneMinute: true });
      }
      for (const [cluster, minutes] of [...failing].filter(isOfRequests)) {
        const recent = minutes.filter(isRecent);
        const { failed: errors, completed } = sumOf(recent);
        const failing = findUnanswered(recent, measuredMinutes) ?? findUnanswered(recent.slice(-1), 1);
        if (completed > 0)
          found.set(cluster, { ...base, errors, completed, at, ...(failing && { failing }) });
      }
    }
    return found;
  }

  /** What each source counted that reports the client as an Envoy. */
  *#countedBy(clientId: string) {
    const reports = this.#parts.live.world.get(clientId)?.reports.values() ?? [];
    for (const { sourceId, vantage, goneAt } of reports) {
      const packed = goneAt === null ? this.#parts.requestsOf(sourceId) : undefined;
      if (packed !== undefined && vantage === 'envoy-admin') yield { packed, vantage };
    }
  }
}

interface Place {
  readonly key: string;
  readonly name: string;
  readonly errors: number;
}

interface SpanOfCluster {
  readonly minutes: number;
  readonly errors: number;
  readonly completed: number;
  readonly lastAt: EpochMs;
  /** The places to which every completed request failed. */
  readonly addresses: readonly Place[];
  readonly localities: readonly Place[];
}

function failingOf({ groups }: LoadAnswer) {
  return groups.flatMap(({ key, totals }) => {
    const errors = Number(totals.errors);
    return errors === 0 || Number(totals.successful) > 0 ? [] : [{ key, errors }];
  });
}

function sumOf(minutes: readonly RequestMinute[]): RequestCounts {
  return minutes.map(({ counts }) => counts).reduce(addCounts, noRequests);
}

/** Set if so many requests ended without an answer that none is known to get one; undefined: some may. */
function findUnanswered(some: readonly RequestMinute[], minutes: number): FailingLoad | undefined {
  const { completed, unanswered } = sumOf(some);
  return unanswered === completed && completed >= leastRequests
    ? { minutes, isWhole: true, addresses: [], localities: [], isUnanswered: true }
    : undefined;
}

/** What so many requests failed to that each is known to fail; undefined: nothing. */
function findFailingLoad(span: SpanOfCluster | undefined): FailingLoad | undefined {
  if (span === undefined) return undefined;
  const { minutes, errors, completed } = span;
  const isWhole = errors === completed && errors >= leastRequests;
  const [addresses = [], localities = []] = [span.addresses, span.localities].map((places) =>
    places.flatMap((place) => (place.errors >= leastRequests ? [place.key] : [])),
  );
  return isWhole || addresses.length + localities.length > 0
    ? { minutes, isWhole, addresses, localities }
    : undefined;
}
