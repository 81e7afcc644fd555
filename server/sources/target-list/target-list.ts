import type { Problem } from '@/lib/observation/observation';
import type { Clock } from '../../observe';
import { initialSourceStatus, type RunningSource, type SourceStatus } from '../../source-status';
import type { FoundTarget } from './parse-target-list';

/** The result of one lookup. A failed lookup keeps the targets that were found before. */
export type Found =
  | { readonly kind: 'targets'; readonly targets: readonly FoundTarget[]; readonly notes: readonly string[] }
  | { readonly kind: 'failed'; readonly problem: Problem };

/** Looks up targets repeatedly until it is stopped. */
export interface TargetFinder {
  /** Milliseconds between two lookups, if no event causes one earlier. */
  readonly intervalMs: number;
  start(onFound: (found: Found) => void): void;
  stop(): void;
}

/** The sources of a list, one for each target. */
export interface ListMembers {
  /** Returns false if the target is a source already, which is left as it is. */
  add(target: FoundTarget): boolean;
  remove(target: string): Promise<void>;
  setPaused(target: string, paused: boolean): void;
}

interface TargetListOptions {
  readonly finder: TargetFinder;
  readonly members: ListMembers;
  readonly clock: Clock;
  readonly onStatus: (status: SourceStatus) => void;
}

/** The number of sources that start in one turn of the event loop. */
const startsPerTurn = 200;

/** A list of targets: starts a source for each target that appears, and ends the source of each that disappears. */
export class TargetList implements RunningSource {
  readonly #options: TargetListOptions;
  #status: SourceStatus;
  #isRunning = false;
  #isPaused = false;
  readonly #members = new Set<string>();
  /** Targets of the newest lookup whose sources have not started yet. */
  #waiting: FoundTarget[] = [];
  #turn: { cancel(): void } | undefined;
  /** The number of targets of the newest lookup that are sources of another list or of their own. */
  #duplicates = 0;
  #notes: readonly string[] = [];

  constructor(options: TargetListOptions) {
    this.#options = options;
    this.#status = { ...initialSourceStatus, intervalMs: options.finder.intervalMs };
  }

  get status(): SourceStatus {
    return this.#status;
  }

  /** A list that was paused before starts with resume(). */
  start(): void {
    if (this.#isRunning || this.#isPaused) return;
    this.#isRunning = true;
    this.#update({ state: 'connecting', problem: null });
    for (const target of this.#members) this.#options.members.setPaused(target, false);
    this.#options.finder.start((found) => this.#apply(found));
  }

  pause(): void {
    this.#isPaused = true;
    this.#stop();
    for (const target of this.#members) this.#options.members.setPaused(target, true);
    this.#update({ state: 'paused', problem: null });
  }

  resume(): void {
    this.#isPaused = false;
    this.start();
  }

  async close(): Promise<void> {
    this.#stop();
    const removed = [...this.#members].map((target) => this.#options.members.remove(target));
    this.#members.clear();
    await Promise.all(removed);
  }

  #stop(): void {
    this.#isRunning = false;
    this.#options.finder.stop();
    this.#turn?.cancel();
    this.#turn = undefined;
  }

  #apply(found: Found): void {
    const now = this.#options.clock.now();
    const lookup = { lastAttemptAt: now, answers: this.#status.answers + 1 };
    if (found.kind === 'failed') {
      const { problem } = found;
      this.#update({ ...lookup, state: 'down', problem, failures: this.#status.failures + 1 });
      return;
    }
    const targets = new Set(found.targets.map(({ target }) => target));
    for (const target of this.#members) {
      if (targets.has(target)) continue;
      this.#members.delete(target);
      void this.#options.members.remove(target);
    }
    this.#duplicates = 0;
    this.#notes = found.notes;
    this.#waiting = found.targets.filter(({ target }) => !this.#members.has(target));
    this.#update({
      ...lookup,
      state: 'up',
      problem: null,
      lastSuccessAt: now,
      lastChangedAt: now,
      notes: this.#notes,
    });
    this.#startWaiting();
  }

  /** Starts the sources in slices, because thousands at once would block the event loop. */
  #startWaiting(): void {
    this.#turn?.cancel();
    this.#turn = undefined;
    for (const found of this.#waiting.splice(0, startsPerTurn)) {
      if (this.#options.members.add(found)) this.#members.add(found.target);
      else this.#duplicates++;
    }
    if (this.#waiting.length > 0) this.#turn = this.#options.clock.setTimeout(() => this.#startWaiting(), 0);
    else if (this.#duplicates > 0) {
      const note = `${this.#duplicates} of the targets are sources already and are shown there`;
      this.#update({ notes: [...this.#notes, note] });
    }
  }

  #update(change: Partial<SourceStatus>): void {
    this.#status = { ...this.#status, ...change };
    this.#options.onStatus(this.#status);
  }
}
