import { type ChildProcess, fork, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { type ClientHttp2Session, connect } from 'node:http2';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { performance } from 'node:perf_hooks';
import type { LoadTotalsAnswer } from '@/lib/api/load';
import { decodeLoadReport } from '@/server/lrs/decode-load-report';
import { LoadRecorder } from '@/server/recorder/load/load-recorder';
import { ManualClock } from '../support/recorder-manual-clock';
import { encodeMessage } from '../support/xds-wire';
import { loadOfFleet } from './load-of-fleet';
import { median, pause } from './measure';
import { cpuSeconds, memoryMb } from './process-figures';
import { scrapeOfFleet } from './scrape-of-fleet';

/** 10,000 streams, each of a connection of its own; another number is a quick look. */
const streams = Number(process.env.XDSCOPE_BENCH_STREAMS ?? 10_000);
const clustersPerStream = 10;
const localitiesPerCluster = 4;
const intervalMs = 10_000;
const measuredMs = 40_000;
const streamsPerProcess = 5_000;
const request = 'envoy.service.load_stats.v3.LoadStatsRequest';

function say(what: string, value: string): void {
  process.stdout.write(`  ${what.padEnd(58)} ${value}\n`);
}

function reportOf(clusters: number, localities: number): Buffer {
  return encodeMessage(request, {
    clusterStats: Array.from({ length: clusters }, (_, cluster) => ({
      clusterName: `cluster-${cluster}`,
      loadReportInterval: { seconds: intervalMs / 1_000 },
      upstreamLocalityStats: Array.from({ length: localities }, (_, locality) => ({
        locality: { region: 'eu', zone: `eu-${locality}` },
        ...{
          totalSuccessfulRequests: 100 + locality,
          totalErrorRequests: 1,
          totalIssuedRequests: 101 + locality,
        },
        totalRequestsInProgress: 3,
      })),
    })),
  });
}

/** gRPC: a byte for compression, four for the length. */
function framed(message: Buffer): Buffer {
  const head = Buffer.alloc(5);
  head.writeUInt32BE(message.length, 1);
  return Buffer.concat([head, message]);
}

/** One process of clients: reports at its own time within each interval. */
function serveClients({ origin, first, count }: { origin: string; first: number; count: number }): void {
  const report = framed(reportOf(clustersPerStream, localitiesPerCluster));
  let open = 0;
  let sent = 0;
  const sessions: ClientHttp2Session[] = [];
  const begin = (index: number): void => {
    const session = connect(origin);
    sessions.push(session);
    session.on('error', (error) => process.stderr.write(`bench: ${error.message}\n`));
    const stream = session.request({
      ':method': 'POST',
      ':path': '/envoy.service.load_stats.v3.LoadReportingService/StreamLoadStats',
      'content-type': 'application/grpc',
      te: 'trailers',
    });
    stream.on('error', () => {});
    stream.write(
      framed(encodeMessage(request, { node: { id: `client-${first + index}`, userAgentName: 'bench' } })),
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
  // Not all at once: a server's queue of connections is short.
  let index = 0;
  const timer = setInterval(() => {
    for (let more = 0; more < 20 && index < count; more++) begin(index++);
    if (index === count) clearInterval(timer);
  }, 10);
  process.on('message', () => process.send?.({ open, sent }));
}

/** At the same time, so that they are different. */
async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer());
  const ports = await Promise.all(
    servers.map(
      (server) =>
        new Promise<number>((resolve) => {
          server.listen(0, '127.0.0.1', () => {
            const address = server.address();
            resolve(typeof address === 'object' && address !== null ? address.port : 0);
          });
        }),
    ),
  );
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports;
}

interface Reported {
  readonly open: number;
  readonly sent: number;
}

async function ask(children: readonly ChildProcess[]): Promise<Reported> {
  const answers = await Promise.all(
    children.map(
      (child) =>
        new Promise<Reported>((resolve) => {
          child.once('message', (reported) => resolve(reported as Reported));
          child.send('?');
        }),
    ),
  );
  return answers.reduce((sum, { open, sent }) => ({ open: sum.open + open, sent: sum.sent + sent }));
}

async function untilUp(origin: string): Promise<void> {
  const isUp = () =>
    fetch(`${origin}/api/v1/health`).then(
      ({ ok }) => ok,
      () => false,
    );
  for (let tries = 0; tries < 300; tries++) {
    if (await isUp()) return;
    await pause(200);
  }
  throw new Error('bench: expected the server to be up within a minute');
}

async function manyStreams(): Promise<void> {
  process.stdout.write(
    `${streams} streams x ${clustersPerStream} clusters x ${localitiesPerCluster} localities each ${intervalMs / 1_000} s\n`,
  );
  const folder = mkdtempSync(path.join(tmpdir(), 'xdscope-bench-'));
  const [port, lrs] = await freePorts(2);
  const words = JSON.parse(readFileSync('package.json', 'utf8')).scripts.start.split(' ').slice(1, -1);
  const flags = ['--lrs-listen', `127.0.0.1:${lrs}`, '--port', String(port), '--data-dir', folder];
  const [command = 'node', ...startWords] = words as string[];
  const server = spawn(command, [...startWords, '.build/main.mjs', ...flags], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, NODE_ENV: 'production' },
  });
  const children: ChildProcess[] = [];
  try {
    const pid = server.pid ?? 0;
    const origin = `http://127.0.0.1:${port}`;
    await untilUp(origin);
    await pause(3_000);
    const emptyMb = memoryMb(pid, 'VmRSS');
    for (let first = 0; first < streams; first += streamsPerProcess) {
      const count = Math.min(streamsPerProcess, streams - first);
      children.push(
        fork(process.argv[1] ?? '', [
          '--child=clients',
          JSON.stringify({ origin: `http://127.0.0.1:${lrs}`, first, count }),
        ]),
      );
    }
    const openingAt = performance.now();
    while ((await ask(children)).open < streams) await pause(500);
    say('all streams open after', `${((performance.now() - openingAt) / 1_000).toFixed(0)} s`);
    say('resident', `${emptyMb.toFixed(0)} MiB before, ${memoryMb(pid, 'VmRSS').toFixed(0)} after`);
    await pause(2 * intervalMs);
    const [from, sentBefore, cpuBefore] = [performance.now(), (await ask(children)).sent, cpuSeconds(pid)];
    await pause(measuredMs);
    const seconds = (performance.now() - from) / 1_000;
    const sent = (await ask(children)).sent - sentBefore;
    const cpu = cpuSeconds(pid) - cpuBefore;
    say('reports a second', (sent / seconds).toFixed(0));
    say('processor, all threads (aim 1 core)', `${(cpu / seconds).toFixed(2)} cores`);
    const kib = ((memoryMb(pid, 'VmRSS') - emptyMb) * 1024) / streams;
    say(
      'memory a stream (aim 80 KiB)',
      `${kib.toFixed(0)} KiB (${memoryMb(pid, 'VmRSS').toFixed(0)} MiB resident)`,
    );
    for (const search of [
      'by=cluster',
      'by=cluster',
      'by=locality&cluster=cluster-0',
      'by=client&cluster=cluster-0',
    ]) {
      const startedAt = performance.now();
      const answer = await fetch(`${origin}/api/v1/load/totals?${search}`);
      const { groups } = (await answer.json()) as LoadTotalsAnswer;
      say(
        `GET load/totals?${search}`,
        `${(performance.now() - startedAt).toFixed(0)} ms, ${groups.length} lines`,
      );
    }
    const startedAt = performance.now();
    const metrics = await (await fetch(`${origin}/metrics`)).text();
    say('GET /metrics', `${(performance.now() - startedAt).toFixed(0)} ms, ${metrics.length} bytes`);
  } finally {
    for (const child of [...children, server]) child.kill('SIGKILL');
    await pause(500);
    rmSync(folder, { recursive: true, force: true });
  }
}

async function flood(): Promise<void> {
  process.stdout.write('A flood, decoded and recorded in this process\n');
  const folder = mkdtempSync(path.join(tmpdir(), 'xdscope-bench-'));
  const clock = new ManualClock();
  const recorder = await LoadRecorder.open({ dataDir: folder, clock });
  const message = reportOf(1, localitiesPerCluster);
  const reports = 300_000;
  const [from, cpu] = [performance.now(), process.cpuUsage()];
  for (let index = 0; index < reports; index++) {
    const report = decodeLoadReport(message);
    if (report.kind !== 'report') throw new Error(report.reason);
    recorder.observe({
      ...{ kind: 'load-reported', vantage: 'lrs', at: clock.now(), sourceId: 'lrs', scope: '' },
      ...{ clientId: `c${index % 1_000}`, streamId: `s${index % 1_000}`, clusters: report.clusters },
      node: {
        ...{ id: '', cluster: '', locality: null, userAgentName: '', userAgentVersion: '' },
        ...{ clientFeatures: [], metadata: {} },
      },
    });
    // 15,000 a second.
    if (index % 15 === 14) clock.advance(1);
    if (index % 1_500 === 0) await new Promise(setImmediate);
  }
  await recorder.flushed();
  const seconds = (performance.now() - from) / 1_000;
  const { user, system } = process.cpuUsage(cpu);
  say('reports a second (aim 15,000)', (reports / seconds).toFixed(0));
  say('processor, all threads', `${((user + system) / reports).toFixed(0)} us a report of 4 localities`);
  const span = { from: clock.now() - 60_000, to: clock.now() + 1 };
  const { groups } = await recorder.read({
    ...{ by: 'cluster', span, stepMs: null, measures: [], limit: 10 },
  });
  const sum = groups.reduce((total, { totals }) => total + Number(totals.successful), 0);
  const expected = reports * (100 + 101 + 102 + 103);
  say(
    'sum of successful requests',
    sum === expected ? `exact: ${sum}` : `WRONG: ${sum}, expected ${expected}`,
  );
  await recorder.close();
  rmSync(folder, { recursive: true, force: true });
}

/** 24 h of 50 clients with 4 localities each. */
async function chart(): Promise<void> {
  const folder = mkdtempSync(path.join(tmpdir(), 'xdscope-bench-'));
  const clock = new ManualClock();
  const recorder = await LoadRecorder.open({ dataDir: folder, clock });
  const report = decodeLoadReport(reportOf(1, localitiesPerCluster));
  if (report.kind !== 'report') throw new Error(report.reason);
  const from = clock.now();
  const everyMs = 30_000;
  for (let round = 0; round < 86_400_000 / everyMs; round++) {
    for (let client = 0; client < 50; client++) {
      recorder.observe({
        ...{ kind: 'load-reported', vantage: 'lrs', at: clock.now() + client, sourceId: 'lrs', scope: '' },
        ...{ clientId: `c${client}`, streamId: `s${client}`, clusters: report.clusters },
        node: {
          ...{ id: '', cluster: '', locality: null, userAgentName: '', userAgentVersion: '' },
          ...{ clientFeatures: [], metadata: {} },
        },
      });
    }
    clock.advance(everyMs);
    if (round % 60 === 0) await recorder.flushed();
  }
  await recorder.tidy();
  process.stdout.write('A chart over 24 h of 200 series (aim 200 ms)\n');
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
    say(
      `steps of ${name}`,
      `median ${median(times).toFixed(0)} ms, max ${Math.max(...times).toFixed(0)} ms; ${reported}`,
    );
  }
  await recorder.close();
  rmSync(folder, { recursive: true, force: true });
}

async function fleet(): Promise<void> {
  const report = decodeLoadReport(reportOf(clustersPerStream, localitiesPerCluster));
  if (report.kind !== 'report') throw new Error(report.reason);
  await loadOfFleet(streams, report.clusters, say);
}

const scrape = () => scrapeOfFleet(say);

const measures = { flood, chart, fleet, scrape, streams: manyStreams };
/** "flood,streams": those alone. */
const parts = (process.env.XDSCOPE_BENCH_PARTS ?? Object.keys(measures).join(',')).split(',').map((name) => {
  if (name in measures) return name as keyof typeof measures;
  throw new Error(`bench: expected parts of ${Object.keys(measures).join(', ')}, got ${name}`);
});

const child = process.argv.find((argument) => argument === '--child=clients');
if (child !== undefined) serveClients(JSON.parse(process.argv.at(-1) ?? '{}'));
else {
  for (const part of parts) await measures[part]();
}
