import type { FileImport } from '@/lib/api/imports';
import { isRunning } from '@/lib/api/is-running';
import { formatIsoTime } from '@/lib/format/iso-time';
import { redactMessage } from '../../codec/secrets/redact-message';
import { sha256 } from '../../codec/sha256';
import type { Clock } from '../../observe';
import type { ProblemList } from './problem-list';

/** Of imports that failed or were canceled. */
const endedKept = 20;
/** Somebody who looks on need not hear more often. */
const publishMs = 250;

/** The same for the same label, of which there is one at a time. */
export function importIdOf(label: string): string {
  return sha256(label).slice(0, 12);
}

/** A running import; its progress is published to subscribers. */
export class RunningImport {
  readonly controller = new AbortController();
  #reportedAt = Number.NEGATIVE_INFINITY;

  constructor(
    private view: FileImport,
    private readonly clock: Clock,
    private readonly publish: (view: FileImport) => void,
  ) {
    this.change({});
  }

  get current(): FileImport {
    return this.view;
  }

  /** Progress is reported now and then, all else at once. */
  change(change: Partial<FileImport>): void {
    const isProgress = Object.keys(change).every((key) => key === 'progress' || key === 'resources');
    this.view = { ...this.view, ...change };
    const now = this.clock.now();
    if (isProgress && now - this.#reportedAt < publishMs) return;
    this.#reportedAt = now;
    this.publish(this.view);
  }
}

interface Ended {
  readonly view: FileImport;
  readonly problems: ProblemList;
}

/** Imports that go on, and those that came to nothing. */
export class RunningImports {
  readonly #running = new Map<string, RunningImport>();
  readonly #ended = new Map<string, Ended>();

  constructor(
    private readonly clock: Clock,
    private readonly publish: (view: FileImport) => void,
  ) {}

  start(label: string, total: number | null): RunningImport {
    const id = importIdOf(label);
    this.#ended.delete(id);
    const view: FileImport = {
      id,
      label,
      state: 'receiving',
      progress: { done: 0, total },
      what: '',
      sizeBytes: 0,
      clients: 0,
      clientIds: [],
      resources: 0,
      problems: 0,
      reason: '',
      startedAt: formatIsoTime(this.clock.now()),
      endedAt: null,
    };
    const running = new RunningImport(view, this.clock, this.publish);
    this.#running.set(id, running);
    return running;
  }

  /** It is saved, and reported from there. */
  succeeded({ current: { id } }: RunningImport): void {
    this.#running.delete(id);
  }

  failed(running: RunningImport, reason: string, problems: ProblemList): void {
    const state = running.controller.signal.aborted ? 'canceled' : 'failed';
    const endedAt = formatIsoTime(this.clock.now());
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

  /** Cancels one that goes on, forgets one that has ended; false: there is none. */
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
