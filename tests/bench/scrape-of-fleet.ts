import { monitorEventLoopDelay, performance } from 'node:perf_hooks';
import { buildFleetMember, type FleetMember } from '@/lib/views/fleet/fleet-member';
import { LoadTable } from '@/lib/views/load/load-table';
import { LoadCounters } from '@/server/answers/metrics/load-counters';
import { MetricsApi } from '@/server/answers/metrics/metrics-api';
import { clientSummary, health, typeSummary } from '../support/builders/fleet-fixtures';
import { clusterLoad, loadReported, localityLoad } from '../support/builders/load-samples';
import { pause, print, printFigure } from './measure';

const clients = 25_000;
const clustersPerClient = 10;
const localitiesPerCluster = 2;
/** The number of clusters in the fleet, which is more than the limit of a scrape. */
const clusters = 5_000;
const scrapes = 20;

/**
 * Measures how long scrapes of a large fleet block the event loop: each client reports load, and has three types of
 * resources.
 */
export async function scrapeOfFleet(): Promise<void> {
  print(
    `A scrape of ${clients} clients x ${clustersPerClient} clusters x ${localitiesPerCluster} localities`,
  );
  const [load, counters] = [new LoadTable(), new LoadCounters()];
  const members: FleetMember[] = [];
  const now = 1_000_000;
  const localities = Array.from({ length: localitiesPerCluster }, (_, zone) =>
    localityLoad(`z${zone}`, { inProgress: '3' }),
  );
  for (let client = 0; client < clients; client++) {
    const report = Array.from({ length: clustersPerClient }, (_, index) =>
      clusterLoad(localities, { clusterName: `cluster-${(client * clustersPerClient + index) % clusters}` }),
    );
    const fitted = load.fold(loadReported(now, report, { clientId: `c${client}` }));
    if (fitted !== undefined) counters.observe(fitted);
    const types = ['LDS', 'CDS', 'EDS'].map((service) => typeSummary({ service, byState: { ACKED: 20 } }));
    members.push(buildFleetMember(clientSummary({ id: `c${client}`, types }), { metadata: {} }));
  }
  const api = new MetricsApi({
    countsLoad: true,
    ...{ counters, load, clock: { now: () => now }, startedAt: now },
    loads: { stats: { reports: 0, missed: 0, leftOut: 0, problem: '', damage: '' } },
    fleet: { find: async () => ({ revision: 1, members }) },
    health: () => health(),
    listIssues: async () => ({ items: [], total: 0, counts: { open: 0, muted: 0 } }),
  });
  await api.text();
  await pause(1_000);
  const delays = monitorEventLoopDelay({ resolution: 1 });
  delays.enable();
  const [cpu, from] = [process.cpuUsage(), performance.now()];
  let bytes = 0;
  for (let turn = 0; turn < scrapes; turn++) {
    bytes = (await api.text()).length;
    await pause(20);
  }
  const { user, system } = process.cpuUsage(cpu);
  delays.disable();
  const tookMs = (performance.now() - from) / scrapes - 20;
  printFigure(
    'a scrape',
    `${tookMs.toFixed(0)} ms, ${((user + system) / 1_000 / scrapes).toFixed(0)} ms of the processor, ${bytes} bytes`,
  );
  printFigure(
    'the event loop was held for',
    `p50 ${(delays.percentile(50) / 1e6).toFixed(1)}, p99 ${(delays.percentile(99) / 1e6).toFixed(1)}, at most ${(delays.max / 1e6).toFixed(1)} ms`,
  );
}
