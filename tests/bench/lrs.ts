import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:http2';
import { performance } from 'node:perf_hooks';
import type { LoadReported } from '@/lib/observation/observation';
import type { LoadTotalsAnswer } from '@/lib/views/load/schema';
import { decodeLoadReport } from '@/server/collect/lrs/decode-load-report';
import { LoadRecorder } from '@/server/live/load/load-recorder';
import { grpcFrame } from '../support/builders/grpc-frame';
import { loadReported } from '../support/builders/load-samples';
import { encodeMessage } from '../support/builders/xds-wire';
import { getJson, startServer } from '../support/e2e-server';
import { freePort } from '../support/free-port';
import { ManualClock } from '../support/recorder-manual-clock';
import { childTask } from './in-own-process';
import { loadOfFleet } from './load-of-fleet';
import { measure, median, pause, print, printFigure, tempDir } from './measure';
import { cpuSeconds, memoryMb } from './process-figures';
import { scrapeOfFleet } from './scrape-of-fleet';

/** Each stream has its own connection. A smaller number makes a short run. */
const streams = Number(process.env.XDSCOPE_BENCH_STREAMS ?? 10_000);
const clustersPerStream = 10;
const localitiesPerCluster = 4;
const intervalMs = 10_000;
const measuredMs = 40_000;
const streamsPerProcess = 5_000;
const request = 'envoy.service.load_stats.v3.LoadStatsRequest';

function reportOf(clusters: number, localities: number): Buffer {
  return encodeMessage(request, {
    clusterStats: Array.from({ length: clusters }, (_, cluster) => ({
      clusterName: `cluster-${cluster}`,
      loadReportInterval: { seconds: intervalMs / 1_000 },
      upstreamLocalityStats: Array.from({ length: localities }, (_, locality) => ({
        locality: { region: 'eu', zone: `eu-${locality}` },
        ...{ totalSuccessfulRequests: 100 + locality, totalErrorRequests: 1 },
        ...{ totalIssuedRequests: 101 + locality, totalRequestsInProgress: 3 },
      })),
    })),
  });
}

/** The clusters of a report, as the server decodes them. */
function decodedClusters(clusters: number): LoadReported['clusters'] {
  const report = decodeLoadReport(reportOf(clusters, localitiesPerCluster));
  if (report.kind !== 'report') throw new Error(report.reason);
  return report.clusters;
}

/** The program of a process of clients, whose reports are spread over the interval. */
function serveClients({ origin, first, count }: { origin: string; first: number; count: number }): void {
  const report = grpcFrame(reportOf(clustersPerStream, localitiesPerCluster));
  let open = 0;
  let sent = 0;
  const begin = (index: number): void => {
    const session = connect(origin);
    session.on('error', (error) => process.stderr.write(`bench: ${error.message}\n`));
    const stream = session.request({
      ':method': 'POST',
      ':path': '/envoy.service.load_stats.v3.LoadReportingService/StreamLoadStats',
      'content-type': 'application/grpc',
      te: 'trailers',
    });
    stream.on('error', () => {});
    stream.write(
      grpcFrame(encodeMessage(request, { node: { id: `client-${first + index}`, userAgentName: 'bench' } })),
    );
    stream.once('data', () => {
      open += 1;
      stream.resume();
      setTimeout(
        () => {
          setInterval(() => {
            stream.write(report);
            sent += 1;
          }, intervalMs);
        },
        (index / count) * intervalMs,
      );
    });
  };
  // The listen backlog of the server is short.
  let index = 0;
  const timer = setInterval(() => {
    for (let more = 0; more < 20 && index < count; more++) begin(index++);
    if (index === count) clearInterval(timer);
  }, 10);
  process.on('message', () => process.send?.({ open, sent }));
}

interface Reported {
  readonly open: number;
  readonly sent: number;
}

async function queryClients(children: readonly ChildProcess[]): Promise<Reported> {
  const answers = await Promise.all(
    children.map(async (child) => {
      child.send('?');
      const [reported] = await once(child, 'message');
      return reported as Reported;
    }),
  );
  return answers.reduce((sum, { open, sent }) => ({ open: sum.open + open, sent: sum.sent + sent }));
}

async function manyStreams(): Promise<void> {
  print(
    `${streams} streams x ${clustersPerStream} clusters x ${localitiesPerCluster} localities each ${intervalMs / 1_000} s`,
  );
  const lrs = `127.0.0.1:${await freePort()}`;
  const server = await startServer(['--lrs-listen', lrs, '--data-dir', tempDir()]);
  const children: ChildProcess[] = [];
  try {
    const pid = server.process.pid ?? 0;
    await pause(3_000);
    const emptyMb = memoryMb(pid, 'VmRSS');
    for (let first = 0; first < streams; first += streamsPerProcess) {
      const count = Math.min(streamsPerProcess, streams - first);
      const task = JSON.stringify({ origin: `http://${lrs}`, first, count });
      children.push(fork(process.argv[1] ?? '', ['--child=clients', task]));
    }
    const openingAt = performance.now();
    while ((await queryClients(children)).open < streams) await pause(500);
    printFigure('all streams open after', `${((performance.now() - openingAt) / 1_000).toFixed(0)} s`);
    printFigure('resident', `${emptyMb.toFixed(0)} MiB before, ${memoryMb(pid, 'VmRSS').toFixed(0)} after`);
    await pause(2 * intervalMs);
    const [from, sentBefore, cpuBefore] = [
      performance.now(),
      (await queryClients(children)).sent,
      cpuSeconds(pid),
    ];
    await pause(measuredMs);
    const seconds = (performance.now() - from) / 1_000;
    const sent = (await queryClients(children)).sent - sentBefore;
    const cpu = cpuSeconds(pid) - cpuBefore;
    printFigure('reports a second', (sent / seconds).toFixed(0));
    printFigure('processor, all threads (aim 1 core)', `${(cpu / seconds).toFixed(2)} cores`);
    const kib = ((memoryMb(pid, 'VmRSS') - emptyMb) * 1024) / streams;
    printFigure(
      'memory a stream (aim 80 KiB)',
      `${kib.toFixed(0)} KiB (${memoryMb(pid, 'VmRSS').toFixed(0)} MiB resident)`,
    );
    for (const search of [
      'by=cluster',
      'by=cluster',
      'by=locality&cluster=cluster-0',
      'by=client&cluster=cluster-0',
    ]) {
      const { result, wallMs } = await measure(() =>
        getJson<LoadTotalsAnswer>(`${server.url}/api/v1/load/totals?${search}`),
      );
      printFigure(`GET load/totals?${search}`, `${wallMs.toFixed(0)} ms, ${result.groups.length} lines`);
    }
    const { result, wallMs } = await measure(async () => (await fetch(`${server.url}/metrics`)).text());
    printFigure('GET /metrics', `${wallMs.toFixed(0)} ms, ${result.length} bytes`);
  } finally {
    for (const child of children) child.kill('SIGKILL');
    await server.stop('SIGKILL');
  }
}

async function flood(): Promise<void> {
  print('A flood, decoded and recorded in this process');
  const clock = new ManualClock();
  const recorder = await LoadRecorder.open({ dataDir: tempDir(), clock });
  const message = reportOf(1, localitiesPerCluster);
  const reports = 300_000;
  const [from, cpu] = [performance.now(), process.cpuUsage()];
  for (let index = 0; index < reports; index++) {
    const report = decodeLoadReport(message);
    if (report.kind !== 'report') throw new Error(report.reason);
    const client = { clientId: `c${index % 1_000}`, streamId: `s${index % 1_000}` };
    recorder.observe(loadReported(clock.now(), report.clusters, client));
    // 15,000 a second.
    if (index % 15 === 14) clock.advance(1);
    if (index % 1_500 === 0) await new Promise(setImmediate);
  }
  await recorder.flushed();
  const seconds = (performance.now() - from) / 1_000;
  const { user, system } = process.cpuUsage(cpu);
  printFigure('reports a second (aim 15,000)', (reports / seconds).toFixed(0));
  printFigure(
    'processor, all threads',
    `${((user + system) / reports).toFixed(0)} us a report of 4 localities`,
  );
  const span = { from: clock.now() - 60_000, to: clock.now() + 1 };
  const { groups } = await recorder.read({
    ...{ by: 'cluster', span, stepMs: null, measures: [], limit: 10 },
  });
  const sum = groups.reduce((total, { totals }) => total + Number(totals.successful), 0);
  const expected = reports * (100 + 101 + 102 + 103);
  printFigure(
    'sum of successful requests',
    sum === expected ? `exact: ${sum}` : `WRONG: ${sum}, expected ${expected}`,
  );
  await recorder.close();
}

/** 24 h of 50 clients with 4 localities each. */
async function chart(): Promise<void> {
  const clock = new ManualClock();
  const recorder = await LoadRecorder.open({ dataDir: tempDir(), clock });
  const clusters = decodedClusters(1);
  const from = clock.now();
  const everyMs = 30_000;
  for (let round = 0; round < 86_400_000 / everyMs; round++) {
    for (let client = 0; client < 50; client++) {
      const ids = { clientId: `c${client}`, streamId: `s${client}` };
      recorder.observe(loadReported(clock.now() + client, clusters, ids));
    }
    clock.advance(everyMs);
    if (round % 60 === 0) await recorder.flushed();
  }
  await recorder.tidy();
  print('A chart over 24 h of 200 series (aim 200 ms)');
  for (const [name, stepMs] of Object.entries({ '5 min': 300_000, '1 h': 3_600_000 })) {
    const times: number[] = [];
    let reported = '';
    for (let turn = 0; turn < 9; turn++) {
      const startedAt = performance.now();
      const answer = await recorder.read({
        ...{ by: 'client-locality', cluster: 'cluster-0', span: { from, to: from + 86_400_000 }, stepMs },
        ...{ measures: ['requests', 'error-ratio', 'in-flight'], limit: 200 },
      });
      const body = JSON.stringify(answer.groups.map(({ values }) => values));
      times.push(performance.now() - startedAt);
      reported = `${answer.groups.length} series, ${(body.length / 1e6).toFixed(1)} MB of JSON`;
    }
    printFigure(
      `steps of ${name}`,
      `median ${median(times).toFixed(0)} ms, max ${Math.max(...times).toFixed(0)} ms; ${reported}`,
    );
  }
  await recorder.close();
}

const fleet = () => loadOfFleet(streams, decodedClusters(clustersPerStream));

const measures = { flood, chart, fleet, scrape: scrapeOfFleet, streams: manyStreams };
/** The selected parts, such as "flood,streams". */
const parts = (process.env.XDSCOPE_BENCH_PARTS ?? Object.keys(measures).join(',')).split(',').map((name) => {
  if (name in measures) return name as keyof typeof measures;
  throw new Error(`bench: expected parts of ${Object.keys(measures).join(', ')}, got ${name}`);
});

if (childTask() === 'clients') serveClients(JSON.parse(process.argv.at(-1) ?? '{}'));
else {
  for (const part of parts) await measures[part]();
}
