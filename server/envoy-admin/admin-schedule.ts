import type { SlowedRequest } from '../source-cost';
import { adminRequests, documentFacts, statisticsIntervalMs } from './admin-document';

type Requested = (typeof adminRequests)[number];

/** The pause after an answer is so many times as long as the answer took, however large the dumps are. */
const restFactor = 9;

/** Each has a part of the state of endpoints. */
const requestedTogether: readonly (readonly Requested[])[] = [['config_dump', 'clusters']];

/** When each request is due. */
export class AdminSchedule {
  private readonly dueAt = new Map<Requested, number>();
  readonly #slowed = new Map<Requested, SlowedRequest>();

  /** `configIntervalMs`: time between two config dumps; the other documents follow in proportion. */
  constructor(private readonly configIntervalMs: number = documentFacts.config_dump.intervalMs) {}

  /** The documents that are requested less often than usual. */
  get slowed(): readonly SlowedRequest[] {
    return [...this.#slowed.values()];
  }

  /** Everything is due. */
  reset(): void {
    this.dueAt.clear();
  }

  dueNow(now: number): Requested[] {
    return adminRequests.filter((document) => (this.dueAt.get(document) ?? now) <= now);
  }

  /** `spread`: 0.9 to 1.1, so that many Envoys are not polled at the same time. */
  requested(
    document: Requested,
    { at, tookMs, spread }: { at: number; tookMs: number; spread: number },
  ): void {
    const usualMs = document === 'stats' ? statisticsIntervalMs : documentFacts[document].intervalMs;
    const share = usualMs / documentFacts.config_dump.intervalMs;
    const intervalMs = this.configIntervalMs * share * spread;
    const slowMs = tookMs * (1 + restFactor);
    if (slowMs > intervalMs) {
      const what = document === 'stats' ? '/stats' : documentFacts[document].path.replace(/\?.*$/, '');
      const expectedMs = intervalMs / (1 + restFactor);
      this.#slowed.set(document, { what, tookMs, expectedMs, delayMs: slowMs - tookMs });
    } else this.#slowed.delete(document);
    const dueAt = at + Math.max(intervalMs, slowMs);
    const together = requestedTogether.find((group) => group.includes(document)) ?? [document];
    const latest = Math.max(dueAt, ...together.map((each) => this.dueAt.get(each) ?? dueAt));
    for (const each of together) this.dueAt.set(each, latest);
  }

  /** Milliseconds until a document is due, at most the longest interval: the clock may be set back. */
  waitMs(now: number): number {
    const next = Math.min(...adminRequests.map((document) => this.dueAt.get(document) ?? now));
    return Math.min(Math.max(next - now, 0), Math.max(60_000, this.configIntervalMs * 4));
  }
}
