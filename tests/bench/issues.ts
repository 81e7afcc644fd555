import { ControlPlaneFold } from '@/lib/control-planes/control-plane-fold';
import { ServerNames } from '@/lib/issues/server-names';
import { foldObservation, type World } from '@/lib/observation/fold';
import type { Observation } from '@/lib/observation/observation';
import { noRequests, packRequests } from '@/lib/observation/packed-requests';
import type { Source } from '@/lib/views/sources/schema';
import { LDS } from '@/lib/xds/resource-type';
import { IssuesApi, type IssuesApiParts } from '@/server/answers/issues/issues-api';
import { OwnIssues } from '@/server/answers/issues/own-issues';
import { TapOutages } from '@/server/answers/issues/tap-outages';
import { IssueStore } from '@/server/live/issues/issue-store';
import { KnownErrors, loadErrorsEntry, requestErrorsEntry } from '@/server/live/issues/known-errors';
import { LoadErrors } from '@/server/live/issues/load-errors';
import { Mutes, mutesEntry } from '@/server/live/issues/mutes';
import { RequestErrors } from '@/server/live/issues/request-errors';
import { LoadRecorder } from '@/server/live/load/load-recorder';
import { clusterLoad, loadReported, localityLoad } from '../support/builders/load-samples';
import { sampleReport, sampleResource } from '../support/builders/observation-samples';
import { ManualClock } from '../support/recorder-manual-clock';
import { openKept } from '../support/test-state';
import { measure, percentile, print, printFigure, tempDir, verdict } from './measure';

const clients = 1_000;
const clustersOfClient = 20;
const failingClusters = 5;
const minutes = 10;
const turns = 15;
const minuteMs = 60_000;
const aimMs = 100;

const clock = new ManualClock();
const dataDir = tempDir();
const loads = await LoadRecorder.open({ dataDir, clock });
const store = new IssueStore({ clock, publish: () => undefined });
const world: World = new Map();
let seq = 0;
const observe = (observation: Observation): void => {
  seq += 1;
  foldObservation(world, { ...observation, seq });
  store.fold({ ...observation, seq });
};

const names = Array.from({ length: clients }, (_, index) => `c${index}`);
const start = clock.now();
const absent = sampleResource({
  ...{ typeUrl: LDS.typeUrl, name: 'shop', clientStatus: 'DOES_NOT_EXIST', hash: null },
});
for (const clientId of names) {
  const at = start;
  observe(sampleReport({ at, clientId, sourceId: `csds:${clientId}`, changed: [absent, sampleResource()] }));
  observe(sampleReport({ at, clientId, vantage: 'tap', sourceId: 'tap:t', changed: [sampleResource()] }));
  const admin = { vantage: 'envoy-admin', sourceId: `envoy-admin:${clientId}` } as const;
  observe(sampleReport({ at, clientId, ...admin, changed: [sampleResource()] }));
}
const problem = { code: 'CONNECTION_REFUSED', message: 'connection refused', hint: '' };
observe({ kind: 'source-down', at: start, vantage: 'tap', sourceId: 'tap:t', problem });

const clusters = Array.from({ length: clustersOfClient }, (_, index) => {
  const errors = index < failingClusters ? '50' : '0';
  const localities = ['a', 'b'].map((zone) => localityLoad(zone, { successful: '100', errors }));
  return clusterLoad(localities, { clusterName: `cluster-${index}`, intervalMs: minuteMs });
});
for (let minute = 0; minute < minutes; minute += 1) {
  clock.advance(minuteMs);
  for (const clientId of names)
    loads.observe(loadReported(clock.now() - 1, clusters, { clientId, streamId: clientId }));
  await loads.flushed();
}

const counted = Array.from({ length: minutes }, (_, index) => ({
  from: Math.floor(clock.now() / minuteMs) * minuteMs - (minutes - 1 - index) * minuteMs,
  counts: { ...noRequests, completed: 100, failed: 50 },
  failedAt: start,
}));
const failing = Array.from({ length: failingClusters }, (_, index) => [`counted-${index}`, counted] as const);
const requests = packRequests({
  failing: new Map(failing),
  served: new Map(),
  all: counted,
  overTcp: new Set(),
  allConnections: [],
});

/** The kinds that a run includes beside those that sources report of resources. */
interface Kinds {
  readonly tap?: true;
  readonly load?: true;
  readonly counters?: true;
}

async function makeApi({ tap, load, counters }: Kinds): Promise<IssuesApi> {
  const live = {
    ...{ world, clientCountOf: () => clients },
    clientsOfSource: (id: string) =>
      [...world].flatMap(([clientId, { reports }]) => (reports.has(id) ? [clientId] : [])),
  };
  const server = { address: '10.0.0.1:1', listen: '10.0.0.1:1', upstream: 'xds:1' };
  const registry = { find: (id: string) => ({ id, label: id, kind: 'tap', tap: server }) as Source };
  const parts = {
    ...{ live, issues: store, mutes: new Mutes(await openKept(mutesEntry, tempDir())), registry },
    recorder: { stats: () => ({ state: 'recording' }) } as IssuesApiParts['recorder'],
  };
  const serverNames = new ServerNames((key) => key);
  const all = new TapOutages({ ...parts, serverNames });
  const none = { find: () => [], records: () => [], isOfClients: () => true };
  const taps = tap === undefined ? none : all;
  const dir = tempDir();
  return new IssuesApi({
    ...{ ...parts, clock, taps, serverNames },
    isOfRun: () => false,
    own: new OwnIssues({
      ...{ ...parts, taps, serverNames, runs: { hasSource: () => false } },
      variants: { list: async () => ({ pairs: [], items: [], total: 0, at: 0 }) },
      controlPlanes: { read: async () => new ControlPlaneFold(() => []) },
      loadErrors:
        load === undefined
          ? { find: async () => [] }
          : new LoadErrors(loads, new KnownErrors(await openKept(loadErrorsEntry, dir))),
      requestErrors:
        counters === undefined
          ? { find: () => [] }
          : new RequestErrors({
              live,
              known: new KnownErrors(await openKept(requestErrorsEntry, dir)),
              requestsOf: (id) => (id.startsWith('envoy-admin') ? requests : undefined),
            }),
    }),
    checks: {
      findAt: async () => [],
      records: () => [],
      isJudged: () => false,
      progress: { checked: 0, total: 0, partly: { total: 0, items: [] } },
    },
    certificates: { findAt: async () => [], records: async () => [] },
    assessor: { assess: async () => undefined },
    measured: { find: async () => undefined },
    findTime: async () => 0,
  });
}

const cases: readonly (readonly [name: string, kinds: Kinds])[] = [
  ['what sources report of resources alone', {}],
  ['... with a management server that a tap cannot reach', { tap: true }],
  ['... with requests that fail by load reports', { load: true }],
  ['... with requests that fail by counters', { counters: true }],
  ['all of them', { tap: true, load: true, counters: true }],
];

print(
  `${clients} clients x ${clustersOfClient} clusters, of which ${failingClusters} fail, ${minutes} min of load`,
);
const base: number[] = [];
for (const [name, kinds] of cases) {
  const api = await makeApi(kinds);
  const times: number[] = [];
  const busy: number[] = [];
  let items = 0;
  for (let turn = 0; turn < turns; turn += 1) {
    // An answer about failed requests applies for five seconds.
    clock.advance(5_000);
    const { result, cpuMs, busyMs } = await measure(() => api.list({ state: 'current', limit: 100 }));
    items = result.items.length;
    times.push(cpuMs);
    busy.push(busyMs);
  }
  const median = percentile(times, 0.5);
  base.push(median);
  const ratio = median / (base[0] ?? median);
  const ofThread = verdict(percentile(busy, 0.5), aimMs, 'ms');
  printFigure(
    name,
    `main thread ${ofThread}; all threads ${median.toFixed(0)} ms, ${ratio.toFixed(1)} times the first; ${items} issues`,
  );
}
await loads.close();
