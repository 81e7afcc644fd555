import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { performance } from 'node:perf_hooks';
import { finished } from 'node:stream/promises';
import type { Page } from 'playwright-core';
import type { FileImport } from '@/lib/api/imports';
import { projectRoot } from '@/server/project-root';
import { largeDump, makeConfigDump } from '../support/big-dump';
import { launchBrowser } from '../support/e2e-browser';
import { getJson, startServer } from '../support/e2e-server';
import { pause, print, verdict } from './measure';
import { cpuSeconds, memoryMb } from './process-figures';

/** What was aimed at. */
const aims = { pictureMs: 5_000, blockMs: 200, memoryMb: 1_536 };

async function writeDump(file: string): Promise<number> {
  const out = createWriteStream(file);
  for (const piece of makeConfigDump(largeDump)) {
    if (!out.write(piece)) await once(out, 'drain');
  }
  out.end();
  await finished(out);
  return statSync(file).size;
}

/** Longest tasks of the page's main thread, as the browser reports them. */
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

/** The same question by the tool that people have at hand. */
async function measureJq(file: string): Promise<void> {
  const program =
    '[.configs[]|select(."@type"|endswith("EndpointsConfigDump"))|.dynamic_endpoint_configs[].endpoint_config|{key:.cluster_name,value:([.endpoints[]?.lb_endpoints[]?]|length)}]|from_entries|length';
  const startedAt = performance.now();
  const jq = spawn('jq', [program, file], { stdio: ['ignore', 'pipe', 'inherit'] });
  let peakMb = 0;
  const watch = setInterval(() => {
    if (jq.pid === undefined) return;
    const residentMb = memoryMb(jq.pid, 'VmHWM');
    // Not a number once it has ended.
    if (residentMb > peakMb) peakMb = residentMb;
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
    const idleMb = memoryMb(pid, 'VmHWM');
    const cpuBefore = cpuSeconds(pid);
    const startedAt = performance.now();
    const since = (): number => performance.now() - startedAt;
    const stages = watchStages(server.url, since);
    await page.locator('input[type=file]').first().setInputFiles(file);
    await page.getByRole('link', { name: 'Open its graph' }).first().click();
    const linkMs = since();
    await page
      .getByRole('button', { name: /^(?:cluster|route)/i })
      .first()
      .waitFor();
    const pictureMs = since();
    await page
      .getByRole('button', { name: /^route/i })
      .first()
      .waitFor();
    const routesMs = since();
    const imported = await untilDone(server.url);
    const doneMs = since();
    const cpu = cpuSeconds(pid) - cpuBefore;
    // The page that is loaded anew counts its own.
    const taskMs = await longestTask();
    await page.reload();
    await page
      .getByRole('button', { name: /^endpoint|^locality|^priority/i })
      .first()
      .waitFor();
    print(
      `a config dump of ${(sizeBytes / 1e6).toFixed(0)} MB (${largeDump.clusters} clusters, ${largeDump.routes} routes, ${largeDump.endpoints} endpoints), chosen in Chromium`,
    );
    print(
      `  first picture    ${verdict(pictureMs, aims.pictureMs, 'ms')}, its link after ${linkMs.toFixed(0)} ms: what had come by then, marked as such`,
    );
    print(`  with its routes  ${verdict(routesMs, aims.pictureMs, 'ms')}`);
    print(`  stages           ${(await stages).join(', ')}`);
    print(
      `  all of it        ${doneMs.toFixed(0)} ms, ${imported.resources} resources, ${imported.problems} problems; ${cpu.toFixed(1)} s of the processor`,
    );
    print(
      `  browser          longest task of the main thread ${verdict(taskMs, aims.blockMs, 'ms')}, of the page loaded anew ${verdict(await longestTask(), aims.blockMs, 'ms')}`,
    );
    print(
      `  server           ${idleMb.toFixed(0)} MB before, peak ${verdict(memoryMb(pid, 'VmHWM'), aims.memoryMb, 'MB')}`,
    );
  } finally {
    await browser.close();
    await server.stop();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

/** When the import came to what, until it has ended: asked all the time. */
async function watchStages(url: string, since: () => number): Promise<string[]> {
  const stages = new Map<string, number>();
  for (;;) {
    const { items } = await getJson<{ items: FileImport[] }>(`${url}/api/v1/imports`);
    const [imported] = items;
    const reached = imported && (imported.resources > 0 ? 'first resources' : imported.state);
    for (const stage of [reached, imported?.endedAt && 'done']) {
      if (typeof stage === 'string' && !stages.has(stage)) stages.set(stage, since());
    }
    if (stages.has('done')) return [...stages].map(([stage, ms]) => `${stage} ${ms.toFixed(0)} ms`);
    await pause(100);
  }
}

async function untilDone(url: string): Promise<FileImport> {
  for (;;) {
    const { items } = await getJson<{ items: FileImport[] }>(`${url}/api/v1/imports`);
    const [imported] = items;
    if (imported !== undefined && imported.endedAt !== null) return imported;
    await pause(100);
  }
}

if (!existsSync(path.join(projectRoot, '.next', 'BUILD_ID'))) {
  throw new Error('bench: expected the pages to be built: npm run build');
}
const folder = mkdtempSync(path.join(os.tmpdir(), 'xdscope-bench-dump-'));
try {
  const given = process.env.XDSCOPE_BENCH_FILE;
  const file = given ?? path.join(folder, 'config_dump.json');
  const sizeBytes = given === undefined ? await writeDump(file) : statSync(file).size;
  print(`machine: ${os.cpus().length} x ${os.cpus()[0]?.model.trim()}, load ${os.loadavg()[0]?.toFixed(1)}`);
  await measure(file, sizeBytes);
  await measureJq(file);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
