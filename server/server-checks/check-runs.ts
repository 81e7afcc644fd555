import { randomUUID } from 'node:crypto';
import { byDescending } from '@/lib/collections/compare';
import type { CheckRunJson, CheckRunSummary } from '@/lib/views/server-checks/schema';
import { ConfigError } from '../config-error';
import { log } from '../logger';
import type { Clock } from '../observe';
import { type ChecksToRun, CheckThread } from './check-thread';
import type { SavedRuns } from './saved-runs';

interface CheckRunsOptions {
  readonly clock: Clock;
  readonly saved: SavedRuns;
  /** Copies of runs that were shared, which nothing changes or removes. */
  readonly permalinks: SavedRuns;
}

/** A run that is requested. */
interface RequestedRun extends ChecksToRun {
  /** The name of the server on the page. */
  readonly name: string;
  readonly nodeId?: string | undefined;
}

/** Beyond this number, the oldest run that nobody shared is removed. */
const mostKept = 50;
export const mostShared = 200;

/** A run that ships with a later xdscope can have the id of an earlier one. */
export function permalinkIdOf({ id, startedAt }: CheckRunSummary): string {
  return `${id}-${startedAt.toString(36)}`;
}

/** The runs of server checks of this xdscope, one at a time. They survive a restart. */
export class CheckRuns {
  readonly #options: CheckRunsOptions;
  readonly #runs = new Map<string, CheckRunJson>();
  #current: { readonly id: string; readonly thread: CheckThread } | undefined;

  /** Throws ConfigError if the runs of earlier processes cannot be read. */
  constructor(options: CheckRunsOptions) {
    this.#options = options;
    for (const run of options.saved.read()) {
      if (run.state !== 'running') this.#runs.set(run.id, run);
      else this.#save({ ...run, state: 'stopped', detail: 'xdscope ended during the run' });
    }
  }

  /** Newest first. */
  list(): CheckRunJson[] {
    return [...this.#runs.values()].sort(byDescending(({ startedAt }) => startedAt));
  }

  find(id: string): CheckRunJson | undefined {
    return this.#runs.get(id);
  }

  get runningId(): string | undefined {
    return this.#current?.id;
  }

  get sharedCount(): number {
    return this.#options.permalinks.count;
  }

  /** The caller has checked that no run is under way. Throws ConfigError if the run cannot be saved. */
  start({ name, nodeId, ...data }: RequestedRun): CheckRunJson {
    const { clock } = this.#options;
    const id = randomUUID().slice(0, 13);
    const run: CheckRunJson = {
      ...{ id, server: name, origin: 'page', mayReject: data.mayReject, startedAt: clock.now() },
      ...(nodeId !== undefined && { nodeId }),
      access: data.server === undefined ? 'all' : 'read-only',
      ...{ state: 'running', total: data.checkIds.length, isShared: false, verdicts: {}, results: [] },
    };
    this.#save(run);
    this.#removeOldest();
    const thread = new CheckThread({
      ...{ data, clock },
      onResult: (result) => {
        const { verdicts, results } = this.#runs.get(id) ?? run;
        this.#change(id, {
          verdicts: { ...verdicts, [result.id]: result.verdict },
          results: [...results, result as CheckRunJson['results'][number]],
        });
      },
      onEnd: (reason) => this.#end(id, reason === undefined ? 'done' : 'failed', reason),
    });
    this.#current = { id, thread };
    return run;
  }

  /** Stops a run that is under way, and keeps its results; removes another one. Returns false if there is none. */
  async remove(id: string): Promise<boolean> {
    if (this.#current?.id === id) {
      const { thread } = this.#current;
      this.#end(id, 'stopped', 'stopped by a user');
      await thread.close();
      return true;
    }
    if (!this.#runs.delete(id)) return false;
    this.#options.saved.remove(id);
    return true;
  }

  /** The copy of a run that share() kept. Throws ConfigError if it cannot be read. */
  findShared(permalinkId: string): CheckRunJson | undefined {
    return this.#options.permalinks.find(permalinkId);
  }

  /** Keeps a copy of a run that has ended, and the run itself until it is removed. Throws ConfigError if that cannot be saved. */
  share(run: CheckRunJson): void {
    const { permalinks } = this.#options;
    const id = permalinkIdOf(run);
    if (permalinks.find(id) === undefined) permalinks.write({ ...run, id, isShared: true });
    if (this.#runs.has(run.id)) this.#save({ ...run, isShared: true });
  }

  async close(): Promise<void> {
    const { thread, id } = this.#current ?? {};
    if (id !== undefined) this.#end(id, 'stopped', 'xdscope ended during the run');
    await thread?.close();
  }

  #end(id: string, state: CheckRunJson['state'], detail?: string): void {
    this.#current = undefined;
    this.#change(id, { state, endedAt: this.#options.clock.now(), ...(detail !== undefined && { detail }) });
    const run = this.#runs.get(id);
    if (run === undefined) return;
    try {
      this.#save(run);
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      log('error', 'server-checks', `the run ${id} is lost at the next start: ${error.message}`);
      this.#change(id, { detail: `this run is lost at the next start: ${error.message}` });
    }
  }

  #change(id: string, change: Partial<CheckRunJson>): void {
    const run = this.#runs.get(id);
    if (run !== undefined) this.#runs.set(id, { ...run, ...change });
  }

  #save(run: CheckRunJson): void {
    this.#options.saved.write(run);
    this.#runs.set(run.id, run);
  }

  #removeOldest(): void {
    const unshared = this.list().filter(({ isShared }) => !isShared);
    for (const { id } of unshared.slice(mostKept)) {
      this.#runs.delete(id);
      this.#options.saved.remove(id);
    }
  }
}
