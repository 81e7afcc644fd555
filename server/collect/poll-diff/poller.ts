import type { Problem, Vantage } from '@/lib/observation/observation';
import type { EpochMs } from '@/lib/xds/units';
import type { Clock } from '../../observe';
import { allPolls, type SlowedRequest, type SourceCost } from '../../source-cost';
import type { RunningSource, SourceHandler, SourceStatus } from '../../source-status';
import { Backoff } from '../../transport/grpc/backoff';
import { parseTarget, type Target } from '../../transport/targets/target';
import type { PollBudget } from './poll-budget';
import type { PollGate } from './poll-gate';
import { PollMeter } from './poll-meter';
import { PolledStatus } from './polled-status';

/** The options of every polled source. */
export interface PollerOptions extends SourceHandler {
  readonly sourceId: string;
  /** The text is read by PollerKind.parseTarget. The constructor throws if it cannot be read. */
  readonly target: string;
  /** See Target. */
  readonly isNamed?: boolean;
  readonly intervalMs?: number;
  /** Milliseconds for one request, from the connection to the last byte. */
  readonly deadlineMs?: number;
  /** The longest delay between two polls of a failing peer. */
  readonly maxBackoffMs?: number;
  readonly clock: Clock;
  /** 0 to 1; spreads the polls of many targets. */
  readonly random: () => number;
  /** Shared by all sources. Absent: their polls together have no limit. */
  readonly budget?: PollBudget;
  /** Shared by all sources. Absent: any number of first polls at a time. */
  readonly gate?: PollGate;
}

/** The properties that all pollers of a kind share. */
export interface PollerKind {
  readonly vantage: Vantage;
  readonly intervalMs: number;
  readonly deadlineMs: number;
  readonly maxBackoffMs: number;
  /** Absent: parseTarget(), for host:port. */
  readonly parseTarget?: typeof parseTarget;
}

/** The largest share of the time that the requests of all polls take together. */
const largestShare = 0.25;

/** Returns true if the poll may still be reported, and false once polling was stopped. */
export type IsCurrent = () => boolean;

/**
 * Polls one peer, one poll at a time, until it is paused or closed. Life cycle, back-off and status are here; requests
 * and reports are up to the kind.
 */
export abstract class Poller implements RunningSource {
  protected readonly target: Target;
  protected readonly polled: PolledStatus;
  protected readonly intervalMs: number;
  protected readonly deadlineMs: number;
  protected readonly meter: PollMeter;
  readonly #clock: Clock;
  readonly #budget: PollBudget | undefined;
  readonly #gate: PollGate | undefined;
  readonly #random: () => number;
  readonly #backoff: Backoff;
  readonly #loop: PollLoop;
  /** Set while polls are further apart than their interval. */
  #slowed: SlowedRequest | undefined;
  /** The milliseconds that the requests of the previous poll took. */
  #previousMs = 0;

  constructor(options: PollerOptions, kind: PollerKind) {
    const { clock, random, maxBackoffMs: maxMs = kind.maxBackoffMs } = options;
    const parsed = (kind.parseTarget ?? parseTarget)(options.target);
    if (!parsed.ok) throw new Error(`${options.sourceId}: ${parsed.problem.message}`);
    this.target = { ...parsed.target, isNamed: options.isNamed ?? false };
    this.intervalMs = options.intervalMs ?? kind.intervalMs;
    this.deadlineMs = options.deadlineMs ?? kind.deadlineMs;
    this.#clock = clock;
    this.#budget = options.budget;
    this.#gate = options.gate;
    this.#random = random;
    this.meter = new PollMeter(clock);
    this.#backoff = new Backoff({ initialMs: Math.min(1_000, maxMs), maxMs, random });
    this.#loop = new PollLoop(clock, (era) => this.#poll(era));
    this.polled = new PolledStatus({
      ...options,
      ...{ vantage: kind.vantage, intervalMs: this.intervalMs, problems: () => this.problems() },
      cost: () => this.#cost(),
    });
  }

  get status(): SourceStatus {
    return this.polled.now;
  }

  start(): void {
    if (!this.#loop.begin()) return;
    this.polled.update({ state: 'connecting', problem: null });
    this.begin();
    this.#loop.pollNow();
  }

  pause(): void {
    this.#stop();
    this.polled.update({ state: 'paused', problem: null });
  }

  resume(): void {
    this.start();
  }

  async close(): Promise<void> {
    this.#stop();
    this.disconnect();
    await this.#loop.settled();
    this.release();
  }

  /** Polls once and reports. Resolves with the delay until the next poll; rejects with an error for explain(). */
  protected abstract poll(isCurrent: IsCurrent): Promise<number>;
  protected abstract explain(error: unknown): Promise<Problem> | Problem;
  /** Cancels the request under way. */
  protected abstract cancel(): void;

  /** Called when polling begins, at the start or after a pause. */
  protected begin(): void {}
  /** Called when a poll failed: digests of earlier answers are no longer valid. */
  protected failed(): void {}
  protected disconnect(): void {}
  /** Called after the last poll. */
  protected release(): void {}
  /** Problems apart from the answers, such as certificates that cannot be read. */
  protected problems(): readonly string[] {
    return [];
  }
  /** Requests of a kind that have an interval of their own. */
  protected slowed(): readonly SlowedRequest[] {
    return [];
  }
  /** The least delay after a failed poll, beside the back-off. */
  protected retryAfterMs(_problem: Problem): number {
    return 0;
  }
  /** Calls `pollAfter` if the peer, whose failed poll began at `startedAt`, can be reached again within `delayMs`. */
  protected onceReachable(
    _delayMs: number,
    _startedAt: EpochMs,
    _pollAfter: (waitMs: number) => void,
  ): void {}

  #cost(): SourceCost | undefined {
    const { cost } = this.meter;
    return (
      cost && { ...cost, slowed: [...this.slowed(), ...(this.#slowed === undefined ? [] : [this.#slowed])] }
    );
  }

  /**
   * Lengthens a delay until the next poll, so that requests take at most `largestShare` of the time, and the polls of all
   * sources stay within their limits. One slow poll, such as the one that waits for the connection, does not count.
   */
  #rest(waitMs: number): number {
    const { poll } = this.meter;
    if (poll.requests === 0) return waitMs;
    const tookMs = Math.min(poll.tookMs, this.#previousMs);
    this.#previousMs = poll.tookMs;
    const restMs = tookMs * (1 / largestShare - 1);
    const expectedMs = waitMs / (1 / largestShare - 1);
    const budgetMs = this.#budget?.delayAfter(poll) ?? 0;
    const delayMs = Math.max(waitMs, restMs, budgetMs);
    // Intervals are spread by a tenth.
    const isLimited = budgetMs > Math.max(waitMs, restMs) + this.intervalMs / 10;
    const isSlow = restMs > waitMs || isLimited;
    if (isSlow || this.#slowed !== undefined) {
      const what = isLimited ? allPolls : 'poll';
      this.#slowed = isSlow ? { what, tookMs, expectedMs, delayMs } : undefined;
      this.polled.update({});
    }
    return delayMs;
  }

  /** What is left of an interval, spread by a tenth, after a poll that began at `startedAt`. */
  protected waitAfter(startedAt: EpochMs): number {
    const { intervalMs } = this;
    const waitMs = intervalMs * (0.9 + 0.2 * this.#random()) - (this.#clock.now() - startedAt);
    // The clock may have been set back.
    return Math.min(Math.max(waitMs, 0), 1.1 * intervalMs);
  }

  #stop(): void {
    this.#loop.stop();
    this.cancel();
  }

  async #poll(era: number): Promise<void> {
    const isCurrent = (): boolean => this.#loop.isCurrent(era);
    const isFirst = this.polled.current.lastSuccessAt === undefined;
    const leave = isFirst ? await this.#gate?.enter() : undefined;
    if (isCurrent()) await this.#pollNow(isCurrent);
    leave?.();
  }

  async #pollNow(isCurrent: IsCurrent): Promise<void> {
    const startedAt = this.#clock.now();
    this.meter.beginPoll();
    try {
      const waitMs = await this.poll(isCurrent);
      if (!isCurrent()) return;
      this.#backoff.reset();
      this.#loop.pollAfter(this.#rest(waitMs));
    } catch (error) {
      const problem = await this.explain(error);
      if (isCurrent()) this.#fail(problem, startedAt);
    }
  }

  #fail(problem: Problem, startedAt: EpochMs): void {
    this.failed();
    this.polled.fail(problem, startedAt);
    const delayMs = this.#rest(Math.max(this.#backoff.nextDelayMs(), this.retryAfterMs(problem)));
    const isWaiting = this.#loop.pollAfter(delayMs);
    this.onceReachable(delayMs, startedAt, (waitMs) => {
      if (isWaiting()) this.#loop.pollAfter(waitMs);
    });
  }
}

/**
 * Runs one poll at a time until it is stopped. Each poll belongs to an era, which ends when polling stops: results of
 * an earlier era must be dropped.
 */
class PollLoop {
  readonly #clock: Clock;
  readonly #poll: (era: number) => Promise<void>;
  #isRunning = false;
  #era = 0;
  #timer: { cancel(): void } | undefined;
  #polling: Promise<void> = Promise.resolve();

  constructor(
    clock: Clock,
    /** Must not reject. It schedules the next poll. */
    poll: (era: number) => Promise<void>,
  ) {
    this.#clock = clock;
    this.#poll = poll;
  }

  /** Returns false if it runs already. */
  begin(): boolean {
    if (this.#isRunning) return false;
    this.#isRunning = true;
    return true;
  }

  stop(): void {
    this.#isRunning = false;
    this.#era++;
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  isCurrent(era: number): boolean {
    return era === this.#era;
  }

  /** Polls as soon as the previous poll has ended. */
  pollNow(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    const era = this.#era;
    this.#polling = this.#polling.then(() => (this.isCurrent(era) ? this.#poll(era) : undefined));
  }

  /** Replaces an earlier delay. The result returns true until another delay or poll replaces this one. */
  pollAfter(delayMs: number): () => boolean {
    this.#timer?.cancel();
    const timer = this.#clock.setTimeout(() => this.pollNow(), delayMs);
    this.#timer = timer;
    return () => this.#timer === timer;
  }

  /** Resolves when the poll under way has ended. */
  settled(): Promise<void> {
    return this.#polling;
  }
}
