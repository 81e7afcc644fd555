import type { Observation, Problem, Vantage } from '@/lib/observation/observation';
import type { EpochMs } from '@/lib/xds/units';
import type { Clock } from '../../observe';
import type { SourceCost } from '../../source-cost';
import { initialSourceStatus, type SourceHandler, type SourceStatus } from '../../source-status';

interface PolledStatusOptions extends SourceHandler {
  readonly sourceId: string;
  readonly vantage: Vantage;
  readonly intervalMs: number;
  readonly clock: Clock;
  /** Problems apart from the answers, such as certificates that cannot be read. */
  readonly problems?: () => readonly string[];
  /** Returns the cost of the polls up to now. */
  readonly cost?: () => SourceCost | undefined;
}

/** The facts of a successful poll. */
interface Success
  extends Partial<
    Pick<
      SourceStatus,
      | 'latencyMs'
      | 'answerBytes'
      | 'undecoded'
      | 'notAdmitted'
      | 'notVisible'
      | 'targetMemory'
      | 'targetCpu'
      | 'figures'
      | 'requests'
    >
  > {
  readonly askedAt: EpochMs;
  /** Ids of the clients that the answer names. */
  readonly clientIds: readonly string[];
  readonly hasNews: boolean;
  readonly notes: readonly string[];
}

/** The status of a polled source. Each change to up or down is observed once. */
export class PolledStatus {
  readonly #options: PolledStatusOptions;

  #current: SourceStatus;
  /** The newest observation of the source. The next one must differ. */
  #reported: 'source-up' | 'source-down' | undefined;

  constructor(options: PolledStatusOptions) {
    this.#options = options;

    this.#current = { ...initialSourceStatus, intervalMs: options.intervalMs };
  }

  /** The status apart from problems() and cost(), which may change in place. */
  get current(): Readonly<SourceStatus> {
    return this.#current;
  }

  get now(): SourceStatus {
    const problems = this.#options.problems?.() ?? [];
    const cost = this.#options.cost?.();
    return {
      ...this.#current,
      ...(cost !== undefined && { cost }),
      ...(problems.length > 0 && { notes: [...this.#current.notes, ...problems] }),
    };
  }

  update(change: Partial<SourceStatus>): void {
    this.#current = { ...this.#current, ...change };
    this.#options.onStatus(this.now);
  }

  succeed({ askedAt, clientIds, hasNews, notes, ...facts }: Success): void {
    const { clock, sourceId, vantage } = this.#options;
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
      clients: new Map(clientIds.map((clientId) => [clientId, at])),
    });
  }

  fail(problem: Problem, askedAt: EpochMs): void {
    const { clock, sourceId, vantage } = this.#options;
    this.#observe({ kind: 'source-down', at: clock.now(), vantage, sourceId, problem });
    const failures = this.#current.failures + 1;
    this.update({
      state: 'down',
      problem,
      notes: [],
      lastAttemptAt: askedAt,
      failures,
      latencyMs: undefined,
    });
  }

  #observe(observation: Extract<Observation, { kind: 'source-up' | 'source-down' }>): void {
    if (this.#reported === observation.kind) return;
    this.#reported = observation.kind;
    this.#options.observe({ observation, bodies: [] });
  }
}
