type NextRequest = { readonly kind: 'status' } | { readonly kind: 'config'; readonly clientId: string };

/** The pause after an answer is this many times as long as the answer took, and at least minPauseMs. */
const pauseFactor = 9;
const minPauseMs = 200;
/** The least time between two reads of the config of a proxy to which something was sent, in intervals of the status. */
const changedConfigIntervals = 6;
/** The time between two reads of a config without known changes, in the same unit. */
const unchangedConfigIntervals = 60;

interface ConfigTime {
  /** null until the config was read once. */
  readAt: number | null;
  dueAt: number;
}

/** Determines when each request to istiod is due. istiod processes one request at a time, for at most a tenth of the time. */
export class IstiodSchedule {
  readonly #intervalMs: number;
  #statusDueAt = Number.NEGATIVE_INFINITY;
  #pausedUntil = Number.NEGATIVE_INFINITY;
  #wasStatus = false;
  /** The clients have the order in which they were first named. */
  readonly #configs = new Map<string, ConfigTime>();
  /** No config is requested before, because istiod rejected a request for one. */
  #configsRejectedUntil = Number.NEGATIVE_INFINITY;

  constructor(intervalMs: number) {
    this.#intervalMs = intervalMs;
  }

  /** Makes every request due. */
  reset(): void {
    this.#statusDueAt = Number.NEGATIVE_INFINITY;
    this.#pausedUntil = Number.NEGATIVE_INFINITY;
    this.#configsRejectedUntil = Number.NEGATIVE_INFINITY;
  }

  next(now: number): NextRequest | undefined {
    if (now < this.#pausedUntil) return undefined;
    const config = this.#nextConfig();
    const isConfigDue = config !== undefined && now >= config.dueAt;
    // Alternates, because a status is always due if answers take long.
    if (now >= this.#statusDueAt && !(isConfigDue && this.#wasStatus)) return { kind: 'status' };
    return isConfigDue ? { kind: 'config', clientId: config.clientId } : undefined;
  }

  /** `spread`: 0.9 to 1.1, so that many istiods are not polled at the same time. */
  statusRequested({ at, tookMs, spread }: { at: number; tookMs: number; spread: number }): void {
    this.#wasStatus = true;
    this.#statusDueAt = at + this.#intervalMs * spread;
    this.#pause(at, tookMs);
  }

  configRequested(clientId: string, { at, tookMs }: { at: number; tookMs: number }): void {
    this.#wasStatus = false;
    const config = this.#configs.get(clientId);
    if (config !== undefined) {
      config.readAt = at;
      config.dueAt = at + this.#intervalMs * unchangedConfigIntervals;
    }
    this.#pause(at, tookMs);
  }

  rejectConfigs(now: number): void {
    this.#configsRejectedUntil = now + this.#intervalMs * unchangedConfigIntervals;
  }

  /** `named`: all current clients; `changed`: those to which something was sent since the previous status. */
  follow(named: Iterable<string>, changed: ReadonlySet<string>): void {
    const current = new Set(named);
    for (const clientId of this.#configs.keys()) if (!current.has(clientId)) this.#configs.delete(clientId);
    for (const clientId of current) {
      const config = this.#configs.get(clientId);
      if (config === undefined)
        this.#configs.set(clientId, { readAt: null, dueAt: Number.NEGATIVE_INFINITY });
      else if (config.readAt !== null && changed.has(clientId)) {
        config.dueAt = Math.min(config.dueAt, config.readAt + this.#intervalMs * changedConfigIntervals);
      }
    }
  }

  /** Number of current clients whose config was read. */
  get configsRead(): number {
    let read = 0;
    for (const { readAt } of this.#configs.values()) if (readAt !== null) read += 1;
    return read;
  }

  /** Milliseconds until a request is due, at most an interval: the clock may be set back. */
  waitMs(now: number): number {
    const due = Math.min(this.#statusDueAt, this.#nextConfig()?.dueAt ?? Number.POSITIVE_INFINITY);
    // Timers ignore fractions, and would end before the request is due.
    return Math.min(Math.max(Math.ceil(Math.max(due, this.#pausedUntil) - now), 0), this.#intervalMs);
  }

  #pause(at: number, tookMs: number): void {
    this.#pausedUntil = at + tookMs + Math.max(tookMs * pauseFactor, minPauseMs);
  }

  #nextConfig(): { readonly clientId: string; readonly dueAt: number } | undefined {
    let next: { clientId: string; dueAt: number } | undefined;
    for (const [clientId, { dueAt }] of this.#configs) {
      if (next === undefined || dueAt < next.dueAt) next = { clientId, dueAt };
    }
    return next && { ...next, dueAt: Math.max(next.dueAt, this.#configsRejectedUntil) };
  }
}
