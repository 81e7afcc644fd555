import { spawn } from 'node:child_process';
import { statSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { performance } from 'node:perf_hooks';
import type { Page } from 'playwright-core';
import type { FileImport } from '@/lib/views/recording/import-schema';
import { largeDump, makeConfigDump } from '../support/builders/big-dump';
import { launchBrowser } from '../support/e2e-browser';
import { getJson, startServer } from '../support/e2e-server';
import { pause, print, tempDir, verdict } from './measure';
import { cpuSeconds, memoryMb } from './process-figures';

const aims = { pictureMs: 5_000, blockMs: 200, memoryMb: 1_536 };

/** Returns a function that returns the longest task of the page's main thread so far, ms. */
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

/** Waits until no node was added to the graph for a second. */
async function untilDrawn(page: Page): Promise<void> {
  for (let before = -1; ; await pause(1_000)) {
    const drawn = await page.locator('svg [data-id]').count();
    if (drawn === before) return;
    before = drawn;
  }
}

/** Answers the same question with jq, for comparison. */
async function measureJq(file: string): Promise<void> {
  const program =
    '[.configs[]|select(."@type"|endswith("EndpointsConfigDump"))|.dynamic_endpoint_configs[].endpoint_config|{key:.cluster_name,value:([.endpoints[]?.lb_endpoints[]?]|length)}]|from_entries|length';
  const startedAt = performance.now();
  const jq = spawn('jq', [program, file], { stdio: ['ignore', 'pipe', 'inherit'] });
  let peakMb = 0;
  const watch = setInterval(() => {
    if (jq.pid === undefined) return;
    const residentMb = memoryMb(jq.pid, 'VmHWM');
    // The value is NaN once the process has ended.
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
  // A reader's browser does not share its processors with the server: here it goes first. At 19 all threads of the server
  // would have the same priority.
  const [server, browser] = await Promise.all([
    startServer(['--data-dir', tempDir()], ['nice', '-n', '5']),
    launchBrowser(),
  ]);
  const pid = server.process.pid ?? 0;
  try {
    const page = await (await browser.newContext({ viewport: { width: 1440, height: 900 } })).newPage();
    const longestTask = await watchTasks(page);
    page.setDefaultTimeout(120_000);
    await page.goto(`${server.url}/sources/imports`);
    await page.getByRole('button', { name: 'Import' }).waitFor();
    // The server compiles a page when it is first requested.
    await (await fetch(`${server.url}/clients/none/graph`)).text();
    const idleMb = memoryMb(pid, 'VmHWM');
    const cpuBefore = cpuSeconds(pid);
    const startedAt = performance.now();
    const since = (): number => performance.now() - startedAt;
    const watched = watchImport(server.url, since);
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
    const { stages, imported, doneMs } = await watched;
    const cpu = cpuSeconds(pid) - cpuBefore;
    // The count begins anew with the reload.
    const taskMs = await longestTask();
    await page.reload();
    await page
      .getByRole('button', { name: /^endpoint|^locality|^priority/i })
      .first()
      .waitFor();
    await untilDrawn(page);
    print(
      `a config dump of ${(sizeBytes / 1e6).toFixed(0)} MB (${largeDump.clusters} clusters, ${largeDump.routes} routes, ${largeDump.endpoints} endpoints), chosen in Chromium`,
    );
    print(
      `  first picture    ${verdict(pictureMs, aims.pictureMs, 'ms')}, its link after ${linkMs.toFixed(0)} ms: what had come by then, marked as such`,
    );
    print(`  with its routes  ${verdict(routesMs, aims.pictureMs, 'ms')}`);
    print(`  stages           ${stages.join(', ')}`);
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
  }
}

/** The state of the import until it has ended, and when each stage was reached. */
async function watchImport(
  url: string,
  since: () => number,
): Promise<{ readonly stages: string[]; readonly imported: FileImport; readonly doneMs: number }> {
  const stages = new Map<string, number>();
  for (;;) {
    const { items } = await getJson<{ items: FileImport[] }>(`${url}/api/v1/imports`);
    const [imported] = items;
    const reached = imported && (imported.resources > 0 ? 'first resources' : imported.state);
    if (reached !== undefined && !stages.has(reached)) stages.set(reached, since());
    if (imported !== undefined && imported.endedAt !== undefined) {
      const doneMs = since();
      const lines = [...stages].map(([stage, ms]) => `${stage} ${ms.toFixed(0)} ms`);
      return { stages: lines, imported, doneMs };
    }
    await pause(100);
  }
}

const given = process.env.XDSCOPE_BENCH_FILE;
const file = given ?? path.join(tempDir(), 'config_dump.json');
if (given === undefined) await writeFile(file, makeConfigDump(largeDump));
print(`machine: ${os.cpus().length} x ${os.cpus()[0]?.model.trim()}, load ${os.loadavg()[0]?.toFixed(1)}`);
await measure(file, statSync(file).size);
await measureJq(file);
