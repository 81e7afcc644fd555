import type { SlowedRequest } from '../../source-cost';
import { adminRequests, documentFacts, statisticsIntervalMs } from './admin-document';

type Requested = (typeof adminRequests)[number];

/** The pause after an answer is this many times as long as the answer took, however large the dumps are. */
const restFactor = 9;

/** However short the interval of config dumps is. */
const shortestHostsMs = 1_000;

/** Determines when each request is due. */
export class AdminSchedule {
  readonly #configIntervalMs: number;
  readonly #dueAt = new Map<Requested, number>();
  /** The end of the pause after the previous answer of each document. */
  readonly #restsUntil = new Map<Requested, number>();
  /** The duration of the previous answer of each document. */
  readonly #previousMs = new Map<Requested, number>();
  readonly #slowed = new Map<Requested, SlowedRequest>();

  /** `configIntervalMs`: time between two config dumps; the other documents follow in proportion. */
  constructor(configIntervalMs: number = documentFacts.config_dump.intervalMs) {
    this.#configIntervalMs = configIntervalMs;
  }

  /** The documents that are requested less often than usual. */
  get slowed(): readonly SlowedRequest[] {
    return [...this.#slowed.values()];
  }

  /** Everything is due. */
  reset(): void {
    this.#dueAt.clear();
  }

  dueNow(now: number): Requested[] {
    const isDue = (document: Requested): boolean => (this.#dueAt.get(document) ?? now) <= now;
    // The dump and the hosts each have a part of the state of endpoints.
    return adminRequests.filter(
      (document) => isDue(document) || (document === 'clusters' && isDue('config_dump')),
    );
  }

  /** `spread`: 0.9 to 1.1, so that many Envoys are not polled at the same time. */
  requested(
    document: Requested,
    { at, tookMs, spread }: { at: number; tookMs: number; spread: number },
  ): void {
    const usualMs = document === 'stats' ? statisticsIntervalMs : documentFacts[document].intervalMs;
    const share = usualMs / documentFacts.config_dump.intervalMs;
    const shortestMs = document === 'clusters' ? Math.min(shortestHostsMs, this.#configIntervalMs) : 0;
    const intervalMs = Math.max(this.#configIntervalMs * share, shortestMs) * spread;
    // One slow answer among fast ones does not count for hosts, whose states would be late.
    const countedMs =
      document === 'clusters' ? Math.min(tookMs, this.#previousMs.get(document) ?? 0) : tookMs;
    this.#previousMs.set(document, tookMs);
    const slowMs = countedMs * (1 + restFactor);
    if (slowMs > intervalMs) {
      const what = document === 'stats' ? '/stats' : documentFacts[document].path.replace(/\?.*$/, '');
      const expectedMs = intervalMs / (1 + restFactor);
      this.#slowed.set(document, { what, tookMs: countedMs, expectedMs, delayMs: slowMs - countedMs });
    } else this.#slowed.delete(document);
    this.#dueAt.set(document, at + Math.max(intervalMs, slowMs));
    this.#restsUntil.set(document, at + slowMs);
    // They are requested with the dump, which therefore waits as long as they have to.
    if (document === 'clusters') this.notBefore('config_dump', at + slowMs);
  }

  /** Makes a request due as soon as the pause after the previous answer has passed. */
  hasten(document: Requested, now: number): void {
    const dueAt = this.#dueAt.get(document);
    const soonest = Math.max(now, this.#restsUntil.get(document) ?? now);
    if (dueAt !== undefined && soonest < dueAt) this.#dueAt.set(document, soonest);
  }

  /** Delays a request that is due earlier. */
  notBefore(document: Requested, at: number): void {
    const dueAt = this.#dueAt.get(document);
    if (dueAt !== undefined && dueAt < at) this.#dueAt.set(document, at);
  }

  /** Milliseconds until a document is due, at most the longest interval: the clock may be set back. */
  waitMs(now: number): number {
    const next = Math.min(...adminRequests.map((document) => this.#dueAt.get(document) ?? now));
    return Math.min(Math.max(next - now, 0), Math.max(60_000, this.#configIntervalMs * 4));
  }
}
