import type { FileImport } from '@/lib/views/recording/import-schema';
import { isRunning } from '@/lib/views/sources/is-running';
import { redactMessage } from '../../codec/secrets/redact-message';
import { sha256 } from '../../codec/sha256';
import type { Clock } from '../../observe';
import type { ProblemList } from './problem-list';

/** Number of failed or canceled imports that are listed. */
const endedKept = 20;

/** Derived from the label, which is unique at a time. */
export function importIdOf(label: string): string {
  return sha256(label).slice(0, 12);
}

/** A running import; its progress is published to subscribers. */
export class RunningImport {
  #view: FileImport;
  readonly #publish: (view: FileImport) => void;

  readonly controller = new AbortController();

  constructor(view: FileImport, publish: (view: FileImport) => void) {
    this.#view = view;
    this.#publish = publish;

    this.change({});
  }

  get current(): FileImport {
    return this.#view;
  }

  change(change: Partial<FileImport>): void {
    this.#view = { ...this.#view, ...change };
    this.#publish(this.#view);
  }
}

interface Ended {
  readonly view: FileImport;
  readonly problems: ProblemList;
}

/** Running imports, and those that failed or were canceled. */
export class RunningImports {
  readonly #clock: Clock;
  readonly #publish: (view: FileImport) => void;

  readonly #running = new Map<string, RunningImport>();
  readonly #ended = new Map<string, Ended>();

  constructor(clock: Clock, publish: (view: FileImport) => void) {
    this.#clock = clock;
    this.#publish = publish;
  }

  start(label: string, total: number | null): RunningImport {
    const id = importIdOf(label);
    this.#ended.delete(id);
    const view: FileImport = {
      id,
      label,
      state: 'receiving',
      progress: { done: 0, total: total ?? undefined },
      what: '',
      sizeBytes: 0,
      clients: 0,
      clientIds: [],
      resources: 0,
      problems: 0,
      reason: '',
      startedAt: this.#clock.now(),
      endedAt: undefined,
    };
    const running = new RunningImport(view, this.#publish);
    this.#running.set(id, running);
    return running;
  }

  /** The import is listed as a saved import from now on, or an earlier one is. */
  succeeded({ current: { id } }: RunningImport): void {
    this.#running.delete(id);
  }

  failed(running: RunningImport, reason: string, problems: ProblemList): void {
    const state = running.controller.signal.aborted ? 'canceled' : 'failed';
    const endedAt = this.#clock.now();
    running.change({
      state,
      reason: redactMessage(reason),
      endedAt,
      clients: 0,
      clientIds: [],
      problems: problems.count,
    });
    const { id } = running.current;
    this.#running.delete(id);
    this.#ended.set(id, { view: running.current, problems });
    for (const oldest of this.#ended.keys()) {
      if (this.#ended.size <= endedKept) break;
      this.#ended.delete(oldest);
    }
  }

  list(): FileImport[] {
    const ended = [...this.#ended.values()].map(({ view }) => view);
    return [...[...this.#running.values()].map(({ current }) => current), ...ended];
  }

  problemsOf(id: string): ProblemList | undefined {
    return this.#ended.get(id)?.problems;
  }

  /** Cancels a running import or removes an ended one; false for an unknown id. */
  remove(id: string): boolean {
    const running = this.#running.get(id);
    if (running === undefined) return this.#ended.delete(id);
    if (isRunning(running.current)) running.controller.abort();
    return true;
  }

  close(): void {
    for (const { controller } of this.#running.values()) controller.abort();
  }
}
