import { performance } from 'node:perf_hooks';
import type { FleetPage } from '@/lib/views/fleet/schema';
import { median, pause } from './measure';

/** Pages about a fleet and their requests to the API; CLIENT is the id of one client. */
const pages: readonly string[] = [
  '/',
  '/clients',
  '/clients/CLIENT',
  '/sources',
  '/history',
  '/nacks',
  '/pushes?view=resources',
  '/pushes',
  '/check',
  '/api/v1/health',
  '/api/v1/fleet',
  '/api/v1/fleet?sort=-changed',
  '/api/v1/fleet?group=zone',
  '/api/v1/fleet?group=meta.version&sort=size',
  '/api/v1/fleet?q=version%3Dv1&sort=client&offset=5000',
  '/api/v1/fleet?q=shop-0001',
  '/api/v1/fleet?q=trouble%3Dyes&sort=status',
  '/api/v1/cohorts',
  '/api/v1/cohorts?type=EDS',
  '/api/v1/clients/CLIENT',
  '/api/v1/clients/CLIENT/resources',
  '/api/v1/sources',
  '/api/v1/history?limit=50',
  '/api/v1/nacks',
  '/api/v1/sizes',
  '/api/v1/certificates',
  '/api/v1/identity?kind=duplicate',
  '/api/v1/churn',
];
const betweenMs = 150;

/** Opens pages of a server one after the other, and records the duration of each. */
export class PageTimes {
  readonly #origin: string;

  readonly #took = new Map<string, number[]>();
  #urls: readonly string[] = [];
  #next = 0;

  constructor(origin: string) {
    this.#origin = origin;
  }

  /** The first answer of each page is listed separately. */
  async begin(): Promise<void> {
    const answer = await fetch(`${this.#origin}/api/v1/fleet?limit=1`);
    const [line] = ((await answer.json()) as FleetPage).items;
    const id = line?.kind === 'client' ? encodeURIComponent(line.client.id) : '';
    this.#urls = pages.map((page) => page.replace('CLIENT', id));
    for (const url of this.#urls) this.#took.set(url, [await this.#time(url)]);
  }

  async open(untilMs: number): Promise<void> {
    while (performance.now() < untilMs) {
      const url = this.#urls[this.#next++ % this.#urls.length] ?? '/';
      this.#took.get(url)?.push(await this.#time(url));
      await pause(betweenMs);
    }
  }

  /** A line for each page, the slowest first. */
  describe(): string[] {
    return [...this.#took]
      .map(([url, [first = 0, ...later]]) => ({ url, first, later: later.sort((a, b) => a - b) }))
      .sort((a, b) => median(b.later) - median(a.later))
      .map(({ url, first, later }) => {
        const figures = `p50 ${median(later).toFixed(0)}, longest ${(later.at(-1) ?? 0).toFixed(0)} ms (aim 100)`;
        return `${url.padEnd(56)} ${figures} of ${later.length}, the first ${first.toFixed(0)} ms`;
      });
  }

  async #time(url: string): Promise<number> {
    const startedAt = performance.now();
    const answer = await fetch(`${this.#origin}${url}`);
    await answer.arrayBuffer();
    if (!answer.ok) throw new Error(`bench: ${url} answered ${answer.status}`);
    return performance.now() - startedAt;
  }
}
