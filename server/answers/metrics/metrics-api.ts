import type { Steps } from '@/lib/cooperative/steps';
import type { Health } from '@/lib/views/health/schema';
import type { IssuePage } from '@/lib/views/issues/schema';
import type { LoadTable } from '@/lib/views/load/load-table';
import type { EpochMs } from '@/lib/xds/units';
import type { FleetIndex } from '../../live/fleet/fleet-index';
import { type FleetSums, sumFleet } from '../../live/fleet/fleet-sums';
import type { LoadReader } from '../../live/load/load-reader';
import type { Clock } from '../../observe';
import { takeSteps } from '../../workers/threads/take-steps';
import { formatExposition, type MetricFamily, type MetricSample, maxLinesPerMetric } from './exposition';
import type { LoadCounters } from './load-counters';

interface MetricsApiParts {
  /** False in a web process: the log of a shared store has a part of the reports, and the collectors count all of theirs. */
  readonly countsLoad: boolean;
  readonly counters: Pick<LoadCounters, 'families'>;
  readonly load: Pick<LoadTable, 'inFlight' | 'beyond'>;
  readonly clock: Pick<Clock, 'now'>;
  readonly loads: Pick<LoadReader, 'stats'>;
  readonly fleet: Pick<FleetIndex, 'find'>;
  readonly startedAt: EpochMs;
  readonly health: () => Health;
  /** The open and muted issues, the worst first; a bounded number of them. */
  readonly listIssues: () => Promise<Pick<IssuePage, 'items' | 'total' | 'counts'>>;
}

/** The metrics for Prometheus: load, the answers of clients to resources, and xdscope itself. */
export class MetricsApi {
  readonly #parts: MetricsApiParts;
  #making: Promise<string> | undefined;

  constructor(parts: MetricsApiParts) {
    this.#parts = parts;
  }

  /** Concurrent scrapes share one answer. */
  text(): Promise<string> {
    this.#making ??= this.#make().finally(() => {
      this.#making = undefined;
    });
    return this.#making;
  }

  async #make(): Promise<string> {
    const { members } = await this.#parts.fleet.find();
    const sums = await takeSteps(sumFleet(members));
    return takeSteps(this.#format(await this.#parts.listIssues(), sums));
  }

  *#format(issues: Awaited<ReturnType<MetricsApiParts['listIssues']>>, sums: FleetSums): Steps<string> {
    const { clock, countsLoad, counters, load } = this.#parts;
    const inFlight = countsLoad ? yield* inFlightFamilies(load, clock.now()) : [];
    yield;
    return yield* formatExposition([
      ...(countsLoad ? counters.families() : []),
      ...inFlight,
      ...fleetFamilies(sums),
      ...issueFamilies(issues),
      ...this.#ownFamilies(),
    ]);
  }

  #ownFamilies(): MetricFamily[] {
    const { recorder, sources, eventLoop, version } = this.#parts.health();
    const { reports, missed, leftOut, problem } = this.#parts.loads.stats;
    const { user, system } = process.cpuUsage();
    const one = (name: string, type: MetricFamily['type'], help: string, value: number): MetricFamily => ({
      ...{ name, type, help },
      samples: [{ value }],
    });
    return [
      {
        ...{ name: 'xdscope_info', type: 'gauge', help: 'The version that runs.' },
        samples: [{ labels: { version }, value: 1 }],
      },
      one(
        'xdscope_recording',
        'gauge',
        '1 while observations reach the disk.',
        Number(recorder.state === 'recording'),
      ),
      one('xdscope_observations', 'gauge', 'Observations in the log.', recorder.observations),
      one('xdscope_recording_bytes', 'gauge', 'Size of the log.', recorder.sizeBytes),
      one(
        'xdscope_missed_observations_total',
        'counter',
        'Observations that did not reach the log.',
        recorder.missed,
      ),
      one('xdscope_load_recording', 'gauge', '1 while load reaches the disk.', Number(problem === '')),
      one(
        'xdscope_load_recorded_reports_total',
        'counter',
        'Reports on a cluster that were to be recorded.',
        reports,
      ),
      one(
        'xdscope_load_missed_reports_total',
        'counter',
        'Of them, those that the disk had no room for.',
        missed,
      ),
      one(
        'xdscope_load_series_left_out_total',
        'counter',
        'Lines of reports that were one series too many.',
        leftOut,
      ),
      one(
        'xdscope_load_rows_beyond_limit_total',
        'counter',
        'Clusters, localities and drop categories of reports that were added up as one cluster beyond the limit.',
        this.#parts.load.beyond.rows,
      ),
      one(
        'xdscope_load_reports_beyond_limit_total',
        'counter',
        'Reports of clients beyond the limit, which are left out.',
        this.#parts.load.beyond.reports,
      ),
      {
        ...{ name: 'xdscope_sources', type: 'gauge', help: 'Sources by kind and state.' },
        samples: sources.kinds.map(({ kind, state, count }) => ({ labels: { kind, state }, value: count })),
      },
      {
        ...{ name: 'xdscope_event_loop_delay_seconds', type: 'gauge', help: 'How late it was lately.' },
        samples: [
          { labels: { quantile: '0.5' }, value: eventLoop.p50Ms / 1_000 },
          { labels: { quantile: '0.99' }, value: eventLoop.p99Ms / 1_000 },
          { labels: { quantile: '1' }, value: eventLoop.maxMs / 1_000 },
        ],
      },
      one('process_start_time_seconds', 'gauge', 'Unix time of the start.', this.#parts.startedAt / 1_000),
      one('process_cpu_seconds_total', 'counter', 'Processor time, of all threads.', (user + system) / 1e6),
      one('process_resident_memory_bytes', 'gauge', 'Resident memory.', process.memoryUsage.rss()),
    ];
  }
}

function fleetFamilies({ clients, byState, byConfigStatus, bySync }: FleetSums): MetricFamily[] {
  const byType = (sums: FleetSums['byState']): MetricSample[] =>
    [...sums].flatMap(([type, statuses]) =>
      [...statuses].map(([status, value]) => ({ labels: { type, status }, value })),
    );
  return [
    {
      ...{ name: 'xdscope_clients', type: 'gauge', help: 'Clients by how fresh the reports on them are.' },
      samples: [...clients].map(([freshness, value]) => ({ labels: { freshness }, value })),
    },
    {
      ...{ name: 'xdscope_resources', type: 'gauge', samples: byType(byState) },
      help: 'Resources of all clients, by type and state (ACKED, NACKED, ...).',
    },
    {
      ...{ name: 'xdscope_sent_resources', type: 'gauge', samples: byType(byConfigStatus) },
      help: 'The same by the config status that control planes report (SYNCED, STALE, ...).',
    },
    {
      ...{ name: 'xdscope_synced_clients', type: 'gauge', samples: byType(bySync) },
      help: 'Clients by the status of each whole type that istiod reports (SYNCED, STALE, ...).',
    },
  ];
}

/** Requests in flight by the newest load reports. */
export function* inFlightFamilies(load: Pick<LoadTable, 'inFlight'>, now: EpochMs): Steps<MetricFamily[]> {
  const { lines, dropped, silent } = yield* load.inFlight(now, maxLinesPerMetric);
  return [
    {
      ...{ name: 'xdscope_load_requests_in_flight', type: 'gauge', dropped },
      help: 'Requests in progress, by the newest report of each client; of clients that missed three reports, and were silent for a minute, nothing.',
      samples: lines.map(({ sourceId, clusterName, locality, priority, inFlight }) => ({
        labels: {
          ...{ source: sourceId, cluster: clusterName, region: locality.region, zone: locality.zone },
          ...{ sub_zone: locality.subZone, priority: String(priority) },
        },
        value: inFlight,
      })),
    },
    {
      ...{ name: 'xdscope_load_silent_clusters', type: 'gauge' },
      help: 'Clusters of clients that are left out of the requests in flight, since their newest report is too old.',
      samples: [{ value: silent }],
    },
  ];
}

/**
 * The issues that last. Labels are the id and what is fixed for it, with the name of one resource; clients are counted, so that
 * the number of lines is that of the listed issues.
 */
function issueFamilies({
  items,
  total,
  counts,
}: Pick<IssuePage, 'items' | 'total' | 'counts'>): MetricFamily[] {
  const dropped = Math.max(0, total - items.length);
  return [
    {
      ...{ name: 'xdscope_issues', type: 'gauge', help: 'Issues that last, by state (open, muted).' },
      samples: [
        { labels: { state: 'open' }, value: counts.open },
        { labels: { state: 'muted' }, value: counts.muted },
      ],
    },
    {
      ...{ name: 'xdscope_issue', type: 'gauge', dropped },
      help: '1 for each issue that lasts: what it does to RPCs (impact), and the severity that follows from it.',
      samples: items.map(({ id, kind, state, severity, impact, resource }) => ({
        labels: {
          ...{ issue: id, kind, state, severity, impact: impact.level },
          ...{ type: resource?.service ?? '', resource: resource?.name ?? '' },
        },
        value: 1,
      })),
    },
    {
      ...{ name: 'xdscope_issue_start_time_seconds', type: 'gauge', dropped },
      help: 'Unix time of the onset of each issue that lasts, if it is known.',
      samples: items.flatMap(({ id, since }) =>
        since === undefined ? [] : [{ labels: { issue: id }, value: since / 1_000 }],
      ),
    },
    {
      ...{ name: 'xdscope_issue_clients', type: 'gauge', dropped },
      help: 'Clients that have the issue, without probes of xdscope.',
      samples: items.map(({ id, clients }) => ({
        labels: { issue: id },
        value: clients.total - clients.probes,
      })),
    },
  ];
}
