import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { performance } from 'node:perf_hooks';
import { finished } from 'node:stream/promises';
import type { Browser, Page } from 'playwright-core';
import type { FileImport } from '@/lib/api/imports';
import { projectRoot } from '@/server/project-root';
import { largeDump, makeConfigDump } from '../support/big-dump';
import { launchBrowser } from '../support/e2e-browser';
import { getJson, startServer } from '../support/e2e-server';

/** What was aimed at. */
const aims = { pictureMs: 5_000, blockMs: 200, memoryMb: 1_536 };

const verdict = (figure: number, aim: number, unit: string): string =>
  `${figure.toFixed(0)} ${unit} (${figure < aim ? 'aim met' : 'AIM NOT MET'}: under ${aim} ${unit})`;
const print = (text: string): void => {
  process.stdout.write(`${text}\n`);
};

async function writeDump(file: string): Promise<number> {
  const out = createWriteStream(file);
  for (const piece of makeConfigDump(largeDump)) {
    if (!out.write(piece)) await once(out, 'drain');
  }
  out.end();
  await finished(out);
  return statSync(file).size;
}

/** The most that a process had in memory, all of its threads; undefined where the system does not tell, or it is gone. */
function peakMbOf(pid: number): number | undefined {
  const status = `/proc/${pid}/status`;
  if (!existsSync(status)) return undefined;
  const found = /VmHWM:\s+(\d+) kB/.exec(readFileSync(status, 'utf8'))?.[1];
  return found === undefined ? undefined : Number(found) / 1024;
}

/** Seconds of the processor, all threads. */
function cpuSecondsOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

/** Longest tasks of the page's main thread, as the browser tells them. */
async function watchTasks(page: Page): Promise<() => Promise<number>> {
  await page.addInitScript(() => {
    const tasks: number[] = [];
    Reflect.set(window, 'longTasks', tasks);
    new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) tasks.push(duration);
    }).observe({ type: 'longtask', buffered: true });
  });
  return () =>
    page.evaluate(() => {
      const tasks: unknown = Reflect.get(window, 'longTasks');
      return Array.isArray(tasks) ? Math.max(0, ...tasks) : 0;
    });
}

interface TraceEvent {
  readonly name: string;
  readonly pid: number;
  readonly tid: number;
  /** Microseconds by the clock, and of a processor. */
  readonly dur?: number;
  readonly tdur?: number;
  readonly args?: { readonly name?: string };
}

/** The longest task of a page's main thread in ms of a processor: on a busy machine the clock tells of others. */
async function longestOwnTask(browser: Browser): Promise<number> {
  const { traceEvents } = JSON.parse((await browser.stopTracing()).toString()) as {
    traceEvents: readonly TraceEvent[];
  };
  const threads = traceEvents
    .filter(({ name, args }) => name === 'thread_name' && args?.name === 'CrRendererMain')
    .map(({ pid, tid }) => `${pid} ${tid}`);
  return traceEvents
    .filter(({ name, pid, tid }) => name.endsWith('::RunTask') && threads.includes(`${pid} ${tid}`))
    .reduce((most, { tdur = 0 }) => Math.max(most, tdur / 1_000), 0);
}

/** The same question by the tool that people have at hand. */
async function measureJq(file: string): Promise<void> {
  const program =
    '[.configs[]|select(."@type"|endswith("EndpointsConfigDump"))|.dynamic_endpoint_configs[].endpoint_config|{key:.cluster_name,value:([.endpoints[]?.lb_endpoints[]?]|length)}]|from_entries|length';
  const startedAt = performance.now();
  const jq = spawn('jq', [program, file], { stdio: ['ignore', 'pipe', 'inherit'] });
  let peakMb = 0;
  const watch = setInterval(() => {
    peakMb = Math.max(peakMb, (jq.pid === undefined ? undefined : peakMbOf(jq.pid)) ?? 0);
  }, 50);
  let printed = '';
  jq.stdout.on('data', (chunk: Buffer) => {
    printed += chunk.toString();
  });
  const code = await new Promise<number | null>((resolve) => {
    jq.once('error', () => resolve(null));
    jq.once('exit', resolve);
  });
  clearInterval(watch);
  if (code === null) print('  jq               not found');
  else {
    const tookMs = performance.now() - startedAt;
    print(
      `  jq               ${tookMs.toFixed(0)} ms for "clusters with their endpoint counts" (${printed.trim()} clusters), peak ${peakMb.toFixed(0)} MB`,
    );
  }
}

async function measure(file: string, sizeBytes: number): Promise<void> {
  const dataDir = mkdtempSync(path.join(os.tmpdir(), 'xdscope-bench-'));
  const [server, browser] = await Promise.all([startServer(['--data-dir', dataDir]), launchBrowser()]);
  const pid = server.process.pid ?? 0;
  try {
    const page = await (await browser.newContext({ viewport: { width: 1440, height: 900 } })).newPage();
    const longestTask = await watchTasks(page);
    page.setDefaultTimeout(120_000);
    await page.goto(`${server.url}/sources`);
    await page.getByRole('button', { name: 'Import' }).waitFor();
    // The pages are compiled by the server when they are first asked for.
    await (await fetch(`${server.url}/clients/none/graph`)).text();
    await browser.startTracing(page, { categories: ['toplevel'] });
    const idleMb = peakMbOf(pid) ?? 0;
    const cpuBefore = cpuSecondsOf(pid);
    const startedAt = performance.now();
    const since = (): number => performance.now() - startedAt;
    await page.locator('input[type=file]').first().setInputFiles(file);
    await page.getByRole('link', { name: 'Open its graph' }).first().click();
    const linkMs = since();
    await page
      .getByRole('button', { name: /^(?:cluster|route)/i })
      .first()
      .waitFor();
    const pictureMs = since();
    const imported = await untilDone(server.url);
    const doneMs = since();
    const cpuSeconds = cpuSecondsOf(pid) - cpuBefore;
    const ownTaskMs = await longestOwnTask(browser);
    await page.reload();
    await page
      .getByRole('button', { name: /^endpoint|^locality|^priority/i })
      .first()
      .waitFor();
    print(
      `a config dump of ${(sizeBytes / 1e6).toFixed(0)} MB (${largeDump.clusters} clusters, ${largeDump.routes} routes, ${largeDump.endpoints} endpoints), chosen in Chromium`,
    );
    print(
      `  first picture    ${verdict(pictureMs, aims.pictureMs, 'ms')}, its link after ${linkMs.toFixed(0)} ms`,
    );
    print(
      `  all of it        ${doneMs.toFixed(0)} ms, ${imported.resources} resources, ${imported.problems} problems; ${cpuSeconds.toFixed(1)} s of the processor`,
    );
    print(
      `  browser          longest task of the main thread ${verdict(await longestTask(), aims.blockMs, 'ms')}; ${ownTaskMs.toFixed(0)} ms of a processor`,
    );
    print(
      `  server           ${idleMb.toFixed(0)} MB before, peak ${verdict(peakMbOf(pid) ?? 0, aims.memoryMb, 'MB')}`,
    );
  } finally {
    await browser.close();
    await server.stop();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

async function untilDone(url: string): Promise<FileImport> {
  for (;;) {
    const { items } = await getJson<{ items: FileImport[] }>(`${url}/api/v1/imports`);
    const [imported] = items;
    if (imported !== undefined && imported.endedAt !== null) return imported;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

if (!existsSync(path.join(projectRoot, '.next', 'BUILD_ID'))) {
  throw new Error('bench: expected the pages to be built: npm run build');
}
const folder = mkdtempSync(path.join(os.tmpdir(), 'xdscope-bench-dump-'));
try {
  const file = path.join(folder, 'config_dump.json');
  const sizeBytes = await writeDump(file);
  print(`machine: ${os.cpus().length} x ${os.cpus()[0]?.model.trim()}, load ${os.loadavg()[0]?.toFixed(1)}`);
  await measure(file, sizeBytes);
  await measureJq(file);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
