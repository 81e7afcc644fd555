import type { Observation, Problem, Vantage } from '@/lib/observation/observation';
import type { EpochMs } from '@/lib/xds/units';
import type { Clock, Observe } from '../observe';
import { type Confirmation, confirmStatus, initialSourceStatus, type SourceStatus } from '../source-status';

export interface PolledStatusOptions {
  readonly sourceId: string;
  readonly vantage: Vantage;
  readonly intervalMs: number;
  readonly observe: Observe;
  readonly clock: Clock;
  readonly onStatus: (status: SourceStatus) => void;
  /** In place of onStatus where the status is `confirmStatus()` of the one before. */
  readonly onConfirmed?: (confirmation: Confirmation) => void;
  /** What is wrong beside the answers, in words, as certificates that cannot be read. */
  readonly problems?: () => readonly string[];
}

/** What an answer says of the source, beside that it came. */
export interface Success
  extends Partial<Pick<SourceStatus, 'latencyMs' | 'answerBytes' | 'undecoded' | 'notAdmitted'>> {
  readonly askedAt: EpochMs;
  /** Ids of the clients that it names. */
  readonly named: readonly string[];
  readonly hasNews: boolean;
  readonly notes: readonly string[];
}

/** The status of a source that is polled. Where it goes up or down, that is observed: once each time. */
export class PolledStatus {
  #current: SourceStatus;
  /** What was observed of the source last; its next observation is a transition. */
  #reported: 'source-up' | 'source-down' | undefined;

  constructor(private readonly options: PolledStatusOptions) {
    this.#current = { ...initialSourceStatus, intervalMs: options.intervalMs };
  }

  get now(): SourceStatus {
    const problems = this.options.problems?.() ?? [];
    return problems.length === 0
      ? this.#current
      : { ...this.#current, notes: [...this.#current.notes, ...problems] };
  }

  update(change: Partial<SourceStatus>): void {
    this.#current = { ...this.#current, ...change };
    this.options.onStatus(this.now);
  }

  succeed({ askedAt, named, hasNews, notes, ...facts }: Success): void {
    const { clock, sourceId, vantage } = this.options;
    const at = clock.now();
    this.#observe({ kind: 'source-up', at, vantage, sourceId });
    this.update({
      ...facts,
      state: 'up',
      problem: null,
      notes,
      lastAttemptAt: askedAt,
      lastSuccessAt: at,
      lastChangedAt: hasNews ? at : this.#current.lastChangedAt,
      answers: this.#current.answers + 1,
      clients: new Map(named.map((clientId) => [clientId, at])),
    });
  }

  /** Of a source that is up: its newest answer is the one before once more. */
  confirm(confirmation: Confirmation): void {
    // What was reported before may still wait to be sent.
    this.#current = { ...this.#current };
    confirmStatus(this.#current, confirmation);
    const { onConfirmed, onStatus } = this.options;
    if (onConfirmed === undefined) onStatus(this.now);
    else onConfirmed(confirmation);
  }

  fail(problem: Problem, askedAt: EpochMs): void {
    const { clock, sourceId, vantage } = this.options;
    this.#observe({ kind: 'source-down', at: clock.now(), vantage, sourceId, problem });
    const failures = this.#current.failures + 1;
    this.update({ state: 'down', problem, notes: [], lastAttemptAt: askedAt, failures, latencyMs: null });
  }

  #observe(observation: Extract<Observation, { kind: 'source-up' | 'source-down' }>): void {
    if (this.#reported === observation.kind) return;
    this.#reported = observation.kind;
    this.options.observe({ observation, bodies: [] });
  }
}
