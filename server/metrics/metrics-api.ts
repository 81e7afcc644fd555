import type { Health } from '@/lib/api/schema';
import type { FleetMember } from '@/lib/view-model/fleet/fleet-member';
import type { LoadTable } from '@/lib/view-model/load/load-table';
import type { Clock } from '../observe';
import type { LoadRecorder } from '../recorder/load/load-recorder';
import { formatExposition, type MetricFamily, type MetricSample } from './exposition';
import { inFlightFamilies } from './in-flight';
import type { LoadCounters } from './load-counters';

export interface MetricsApiParts {
  readonly counters: Pick<LoadCounters, 'families'>;
  readonly load: Pick<LoadTable, 'inFlight'>;
  readonly clock: Pick<Clock, 'now'>;
  readonly loads: Pick<LoadRecorder, 'stats'>;
  readonly fleet: { find(): Promise<{ readonly members: readonly FleetMember[] }> };
  readonly health: () => Health;
}

/** What Prometheus scrapes: load, what clients make of what they are sent, and how xdscope is itself. */
export class MetricsApi {
  constructor(private readonly parts: MetricsApiParts) {}

  async text(): Promise<string> {
    const { clock, counters, fleet, load } = this.parts;
    const { members } = await fleet.find();
    return formatExposition([
      ...counters.families(),
      ...inFlightFamilies(load, clock.now()),
      ...fleetFamilies(members),
      ...this.ownFamilies(),
    ]);
  }

  private ownFamilies(): MetricFamily[] {
    const { recorder, sources, eventLoop, startedAt, version } = this.parts.health();
    const { reports, missed, leftOut, problem } = this.parts.loads.stats;
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
      {
        ...{ name: 'xdscope_sources', type: 'gauge', help: 'Sources by state.' },
        samples: [
          { labels: { state: 'up' }, value: sources.up },
          { labels: { state: 'down' }, value: sources.down },
          { labels: { state: 'other' }, value: sources.total - sources.up - sources.down },
        ],
      },
      {
        ...{ name: 'xdscope_event_loop_delay_seconds', type: 'gauge', help: 'How late it was lately.' },
        samples: [
          { labels: { quantile: '0.5' }, value: eventLoop.p50Ms / 1_000 },
          { labels: { quantile: '0.99' }, value: eventLoop.p99Ms / 1_000 },
          { labels: { quantile: '1' }, value: eventLoop.maxMs / 1_000 },
        ],
      },
      one('process_start_time_seconds', 'gauge', 'Unix time of the start.', Date.parse(startedAt) / 1_000),
      one('process_cpu_seconds_total', 'counter', 'Processor time, of all threads.', (user + system) / 1e6),
      one('process_resident_memory_bytes', 'gauge', 'Resident memory.', process.memoryUsage.rss()),
    ];
  }
}

function fleetFamilies(members: readonly FleetMember[]): MetricFamily[] {
  const clients = new Tally();
  const held = new Tally();
  const sent = new Tally();
  for (const { summary } of members) {
    if (summary.isProbe) continue;
    clients.add({ freshness: summary.freshness }, 1);
    for (const { service: type, byClientStatus, byConfigStatus } of summary.types) {
      for (const [status, count] of Object.entries(byClientStatus)) held.add({ type, status }, count ?? 0);
      for (const [status, count] of Object.entries(byConfigStatus)) sent.add({ type, status }, count ?? 0);
    }
  }
  return [
    {
      ...{ name: 'xdscope_clients', type: 'gauge', help: 'Clients by how fresh the word on them is.' },
      samples: clients.samples,
    },
    {
      ...{ name: 'xdscope_resources', type: 'gauge', samples: held.samples },
      help: 'Resources of all clients, by type and what the clients say of them (ACKED, NACKED, ...).',
    },
    {
      ...{ name: 'xdscope_sent_resources', type: 'gauge', samples: sent.samples },
      help: 'The same by what control planes say of them (SYNCED, STALE, ...).',
    },
  ];
}

/** Sums by labels. */
class Tally {
  readonly #samples = new Map<string, { labels: Readonly<Record<string, string>>; value: number }>();

  add(labels: Readonly<Record<string, string>>, value: number): void {
    const key = JSON.stringify(labels);
    const sample = this.#samples.get(key) ?? { labels, value: 0 };
    sample.value += value;
    this.#samples.set(key, sample);
  }

  get samples(): readonly MetricSample[] {
    return [...this.#samples.values()];
  }
}
