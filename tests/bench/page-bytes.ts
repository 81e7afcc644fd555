import { loadavg } from 'node:os';
import { median } from 'd3';
import type { Browser, BrowserContext } from 'playwright-core';
import type { ClientsPage } from '@/lib/views/client/schema';
import type { NackPage } from '@/lib/views/nacks/schema';
import type { Permalink } from '@/lib/views/permalinks/schema';
import type { FileImport } from '@/lib/views/recording/import-schema';
import { launchBrowser } from '../support/e2e-browser';
import { getJson, type RunningServer, sendJson, startServer } from '../support/e2e-server';
import { clientPages, fleetPages } from '../support/pages';
import { waitUntil } from '../support/wait-until';
import { tempDir } from './measure';

/** A page is complete after this time without a new script. */
const quietMs = 1_000;
/** Loads of each page whose LCP has a median. */
const rounds = 3;

interface Loaded {
  readonly scripts: number;
  readonly wireBytes: number;
  readonly codeBytes: number;
  /** Largest Contentful Paint, ms after the navigation began; null: the browser reported none. */
  readonly lcpMs: number | null;
  /** Cumulative Layout Shift: the sum of all shifts, also of those that live data causes. */
  readonly shift: number;
}

async function listPages(api: string): Promise<readonly string[]> {
  const client = await waitUntil(
    'clients have resources',
    async () => {
      const { items } = await getJson<ClientsPage>(`${api}/clients`);
      return items.find(({ nodeId, resources }) => nodeId === 'shop-web' && resources > 0)?.id;
    },
    60_000,
  );
  await sendJson('POST', `${api}/lab/faults/zero-weights`, { active: true });
  const group = await waitUntil(
    'a response is rejected',
    async () => {
      return (await getJson<NackPage>(`${api}/nacks`)).items[0]?.id;
    },
    60_000,
  );
  const saved = await sendJson('POST', `${api}/permalinks`, { clientId: client });
  const link = ((await saved.json()) as Pick<Permalink, 'id'>).id;
  const recording = await (await fetch(`${api}/export`)).arrayBuffer();
  await fetch(`${api}/imports?name=bench.xdscope`, {
    method: 'POST',
    headers: { 'content-type': 'application/octet-stream' },
    body: recording,
  });
  const file = await waitUntil(
    'the recording is imported',
    async () => {
      const { items } = await getJson<{ items: FileImport[] }>(`${api}/imports`);
      return items.find(({ state }) => state === 'done')?.id;
    },
    60_000,
  );
  return [
    ...fleetPages,
    ...clientPages(`/clients/${client}`),
    `/nacks/${encodeURIComponent(group)}`,
    `/sources/imports/${encodeURIComponent(file)}`,
    ...clientPages(`/p/${link}`),
  ];
}

async function loadPage(context: BrowserContext, url: string): Promise<Loaded> {
  const page = await context.newPage();
  await page.addInitScript(() => {
    new PerformanceObserver((list) => {
      Reflect.set(globalThis, 'lcpMs', list.getEntries().at(-1)?.startTime ?? null);
    }).observe({ type: 'largest-contentful-paint', buffered: true });
    Reflect.set(globalThis, 'shift', 0);
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries())
        Reflect.set(globalThis, 'shift', Reflect.get(globalThis, 'shift') + Reflect.get(entry, 'value'));
    }).observe({ type: 'layout-shift', buffered: true });
  });
  const loads: Promise<{ wireBytes: number; codeBytes: number }>[] = [];
  let lastAt = Date.now();
  page.on('requestfinished', (request) => {
    if (request.resourceType() !== 'script') return;
    lastAt = Date.now();
    loads.push(
      (async () => {
        const [sizes, response] = await Promise.all([request.sizes(), request.response()]);
        const code = await response?.body();
        return { wireBytes: sizes.responseBodySize, codeBytes: code?.length ?? 0 };
      })(),
    );
  });
  const response = await page.goto(url);
  if (response?.status() !== 200) throw new Error(`${url}: expected 200, got ${response?.status()}`);
  // Responses of the API never end on a live page, so that the page never becomes idle.
  await waitUntil('no more scripts come', () => Date.now() - lastAt > quietMs);
  const done = await Promise.all(loads);
  const [lcpMs, shift] = await page.evaluate<[number | null, number]>(() => [
    Reflect.get(globalThis, 'lcpMs') ?? null,
    Reflect.get(globalThis, 'shift'),
  ]);
  await page.close();
  const sum = (key: 'wireBytes' | 'codeBytes') => done.reduce((total, load) => total + load[key], 0);
  return { scripts: done.length, wireBytes: sum('wireBytes'), codeBytes: sum('codeBytes'), lcpMs, shift };
}

async function inNewContext<T>(browser: Browser, use: (context: BrowserContext) => Promise<T>): Promise<T> {
  const context = await browser.newContext();
  try {
    return await use(context);
  } finally {
    await context.close();
  }
}

/** Loads of each page in a browser that has shown another page before, by path; one for each round. */
async function measureSecondLoads(server: RunningServer, browser: Browser, pages: readonly string[]) {
  const figures = new Map(pages.map((url) => [url, [] as Loaded[]]));
  for (let round = 0; round < rounds; round++) {
    await inNewContext(browser, async (context) => {
      await loadPage(context, `${server.url}/about`);
      for (const url of pages) {
        figures.get(url)?.push(await loadPage(context, server.url + url));
      }
    });
  }
  return figures;
}

/**
 * Bytes of JavaScript of the first load of each page, with nothing in the browser's cache: on the wire, and as the browser runs
 * it. Largest Contentful Paint of that load, and of loads after another page, whose shared scripts are then in the cache, and the
 * Cumulative Layout Shift of these. The stream's SharedWorker is one more script, and the same for all.
 */
async function measure(server: RunningServer, browser: Browser): Promise<void> {
  const pages = await listPages(`${server.url}/api/v1`);
  // The first pages of a process start its parts, as of Next and of the browser.
  await inNewContext(browser, (context) => loadPage(context, `${server.url}/about`));
  const seconds = await measureSecondLoads(server, browser, pages);
  const kB = (bytes: number) => `${(bytes / 1000).toFixed(0)} kB`.padStart(9);
  const ms = (time: number | null | undefined) =>
    (time == null ? 'none' : `${Math.round(time)} ms`).padStart(8);
  process.stdout.write(
    `  ${'page'.padEnd(44)}  scripts  on the wire   uncompressed  LCP first  LCP second page: median of ${rounds} (all)  CLS\n`,
  );
  for (const url of pages) {
    const first = await inNewContext(browser, (context) => loadPage(context, server.url + url));
    const name = url.replace(/\/(clients|p|imports|nacks)\/[^/]{12,}/, '/$1/ID');
    const loads = seconds.get(url) ?? [];
    const second = loads.flatMap(({ lcpMs }) => lcpMs ?? []).sort((a, b) => a - b);
    const shift = median(loads, (load) => load.shift) ?? 0;
    process.stdout.write(
      `  ${name.padEnd(44)}  ${String(first.scripts).padStart(7)}  ${kB(first.wireBytes)}      ${kB(first.codeBytes)}   ${ms(first.lcpMs)}  ${ms(median(second))} (${second.map((time) => Math.round(time)).join(', ')})  ${shift.toFixed(3)}\n`,
    );
  }
  process.stdout.write(
    `  load average at the end: ${loadavg()
      .map((load) => load.toFixed(1))
      .join(', ')}\n`,
  );
}

const [server, browser] = await Promise.all([
  startServer(['--lab', '--no-background-faults', '--data-dir', tempDir()]),
  launchBrowser(),
]);
try {
  await measure(server, browser);
} finally {
  await browser.close();
  await server.stop();
}
