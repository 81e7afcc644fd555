import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { performance } from 'node:perf_hooks';
import type { Page } from 'playwright-core';
import type { HistoryTimeline } from '@/lib/api/history';
import { launchBrowser } from '../support/e2e-browser';
import { getJson, startServer } from '../support/e2e-server';
import { describeFrames, measureFrames } from './page-frames';
import { recordDay } from './record-day';

/**
 * The pages of the log, over real logs: 50,000 events as marks, and more of them as counts. Frames are those of a headless
 * Chromium that draws by software. Also the first page of a client of 10,000 resources at moments that nobody asked for
 * before.
 */
const steps = Number(process.env.XDSCOPE_BENCH_FRAMES ?? 180);
const many = Number(process.env.XDSCOPE_BENCH_OBSERVATIONS ?? 200_000);
const dayMs = 86_400_000;
const base = { clients: 20, largeClients: 1, manyServices: 5_000, seed: 4 };

function say(what: string, value: string): void {
  process.stdout.write(`  ${what.padEnd(44)} ${value}\n`);
}

function summary(values: readonly number[]): string {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (share: number) => (sorted[Math.floor((sorted.length - 1) * share)] ?? 0).toFixed(0);
  return `p50 ${at(0.5)} ms, p95 ${at(0.95)} ms, max ${at(1)} ms`;
}

/** Processor time that a process has had, in milliseconds; Linux only, elsewhere 0. */
function cpuMsOf(pid: number | undefined): number {
  const file = `/proc/${pid}/stat`;
  if (!existsSync(file)) return 0;
  const fields = readFileSync(file, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
  // User and system, in ticks of 10 ms.
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

async function timed<T>(work: () => Promise<T>): Promise<{ readonly ms: number; readonly answer: T }> {
  const startedAt = performance.now();
  const answer = await work();
  return { ms: performance.now() - startedAt, answer };
}

/** Of the page that is drawn: what a step of each gesture does. `index` is the step's number. */
const stage = `const stage = document.querySelector('[aria-label="Events over time"]');
  const box = stage.getBoundingClientRect();
  const top = Math.max(box.top, stage.closest('section').getBoundingClientRect().top);
  const at = (dx, dy) => ({ bubbles: true, cancelable: true, view: window, clientX: box.left + dx, clientY: top + dy });`;
const wheel = (share: string, deltaY: string, more = '') =>
  `${stage} stage.dispatchEvent(new WheelEvent('wheel', { ...at(box.width * ${share}, 40), deltaY: ${deltaY}${more} }));`;

const gestures: readonly (readonly [what: string, step: string])[] = [
  ['zoom in', wheel('0.5', '-40')],
  ['pan', wheel('0.5', 'index % 120 < 60 ? 25 : -25', ', shiftKey: true')],
  ['zoom out', wheel('0.5', '40')],
  [
    'pointer over the marks',
    `${stage} stage.dispatchEvent(new PointerEvent('pointermove', at((index * 7) % box.width, 30 + (index % 90))));`,
  ],
  ['scroll the lanes', `${stage} stage.closest('.overflow-y-auto').scrollTop = (index * 9) % 900;`],
  [
    'scroll the table',
    `document.querySelector('table[aria-label="Events"]').parentElement.scrollTop = index * 90;`,
  ],
];

const scrub = `const axis = document.querySelector('[role="slider"][aria-label="Moment"]');
  const box = axis.getBoundingClientRect();
  const type = index === 0 ? 'pointerdown' : 'pointermove';
  axis.setPointerCapture = () => {};
  axis.hasPointerCapture = () => true;
  axis.dispatchEvent(new PointerEvent(type, { bubbles: true, pointerId: 1, button: 0, buttons: 1,
    clientX: box.left + box.width * (0.1 + 0.8 * index / ${steps}), clientY: box.top + 9 }));`;

async function open(page: Page, url: string): Promise<void> {
  const { ms } = await timed(async () => {
    await page.goto(url);
    await page.getByRole('slider', { name: 'Events over time' }).waitFor({ timeout: 120_000 });
    await page.locator('canvas').first().waitFor();
  });
  say('opened', `${ms.toFixed(0)} ms`);
}

async function measurePages(what: string, observations: number): Promise<void> {
  const dataDir = mkdtempSync(path.join(os.tmpdir(), 'xdscope-bench-history-'));
  const startAt = Date.now() - dayMs - 60_000;
  process.stdout.write(`history: ${what}, a day of ${base.clients} clients\n`);
  try {
    const [large = ''] = await recordDay(dataDir, { ...base, observations, startAt });
    const server = await startServer(['--data-dir', dataDir, '--no-lab']);
    const browser = await launchBrowser();
    try {
      const api = (text: string) => `${server.url}/api/v1/${text}`;
      const timeline = await timed(() => getJson<HistoryTimeline>(api('history/timeline')));
      const again = await timed(() => getJson<HistoryTimeline>(api('history/timeline')));
      const { kind } = timeline.answer;
      const parts = kind === 'marks' ? timeline.answer.seq.length : timeline.answer.buckets.length;
      say(
        'timeline of everything',
        `${timeline.ms.toFixed(0)} ms, again ${again.ms.toFixed(0)} ms (${parts} ${kind === 'marks' ? 'marks' : 'counts'})`,
      );
      const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
      await open(page, `${server.url}/history`);
      for (const [gesture, step] of gestures) {
        say(gesture, describeFrames(await measureFrames(page, steps, step)));
      }
      await open(page, `${server.url}/clients/${large}/history`);
      for (const [gesture, step] of gestures.slice(0, 2)) {
        say(`${gesture}, one client`, describeFrames(await measureFrames(page, steps, step)));
      }
      await page.getByRole('slider', { name: 'Moment' }).waitFor();
      say('scrub', describeFrames(await measureFrames(page, steps, scrub)));
      await page.close();
      const times: number[] = [];
      const workedMs = cpuMsOf(server.process.pid);
      for (let round = 0; round < 20; round++) {
        const at = new Date(startAt + 3_600_000 + ((round * 7_919) % 82_000) * 1_000).toISOString();
        times.push((await timed(() => getJson(api(`clients/${large}/resources?limit=100&at=${at}`)))).ms);
      }
      const cpuMs = (cpuMsOf(server.process.pid) - workedMs) / times.length;
      say(
        `first page at a moment, ${2 * base.manyServices} resources`,
        `${summary(times)}; processor time ${cpuMs.toFixed(0)} ms, all threads`,
      );
    } finally {
      await browser.close();
      await server.stop();
    }
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
}

await measurePages('50,000 events, as marks', 50_000);
await measurePages(`${many} events, as counts`, many);
