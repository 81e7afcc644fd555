import type { Browser } from 'playwright-core';
import type { FileImport } from '@/lib/api/imports';
import type { NackPage } from '@/lib/api/nacks';
import type { Permalink } from '@/lib/api/permalinks';
import type { ClientsPage } from '@/lib/api/schema';
import { launchBrowser } from '../support/e2e-browser';
import { getJson, type RunningServer, sendJson, startServer } from '../support/e2e-server';
import { clientPages, fleetPages } from '../support/pages';
import { waitUntil } from '../support/wait-until';
import { tempDir } from './measure';

/** A page is complete after this time without a new script. */
const quietMs = 1_500;

interface Loaded {
  readonly scripts: number;
  readonly wireBytes: number;
  readonly codeBytes: number;
  /** Largest Contentful Paint, ms after the navigation began; null: the browser reported none. */
  readonly lcpMs: number | null;
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

async function loadPage(browser: Browser, url: string): Promise<Loaded> {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.addInitScript(() => {
    new PerformanceObserver((list) => {
      Reflect.set(globalThis, 'lcpMs', list.getEntries().at(-1)?.startTime ?? null);
    }).observe({ type: 'largest-contentful-paint', buffered: true });
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
  const lcpMs = await page.evaluate<number | null>(() => Reflect.get(globalThis, 'lcpMs') ?? null);
  await context.close();
  const sum = (key: 'wireBytes' | 'codeBytes') => done.reduce((total, load) => total + load[key], 0);
  return { scripts: done.length, wireBytes: sum('wireBytes'), codeBytes: sum('codeBytes'), lcpMs };
}

/**
 * Largest Contentful Paint of the first load of each page, and its bytes of JavaScript, with nothing in the browser's cache: on
 * the wire, and as the browser runs it. The stream's SharedWorker is one more, and the same for all.
 */
async function measure(server: RunningServer, browser: Browser): Promise<void> {
  const pages = await listPages(`${server.url}/api/v1`);
  const kB = (bytes: number) => `${(bytes / 1000).toFixed(0)} kB`.padStart(9);
  process.stdout.write(`  ${'first load of'.padEnd(44)}  scripts  on the wire   uncompressed       LCP\n`);
  for (const url of pages) {
    const { scripts, wireBytes, codeBytes, lcpMs } = await loadPage(browser, server.url + url);
    const name = url.replace(/\/(clients|p|imports|nacks)\/[^/]{12,}/, '/$1/ID');
    process.stdout.write(
      `  ${name.padEnd(44)}  ${String(scripts).padStart(7)}  ${kB(wireBytes)}      ${kB(codeBytes)}  ${lcpMs === null ? 'none' : `${Math.round(lcpMs)} ms`.padStart(8)}\n`,
    );
  }
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
