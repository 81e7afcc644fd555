import { randomUUID } from 'node:crypto';
import { byDescending } from '@/lib/collections/compare';
import { messageOf } from '@/lib/format/message-of';
import type { CheckRunJson, CheckRunSummary } from '@/lib/views/server-checks/schema';
import { log } from '../../logger';
import type { Clock } from '../../observe';
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
  /** The run that is under way; it has no thread until it is stored. */
  #current: { readonly id: string; readonly thread?: CheckThread } | undefined;

  constructor(options: CheckRunsOptions) {
    this.#options = options;
    for (const run of options.saved.list()) {
      const isLost = run.state === 'running';
      const stopped = { state: 'stopped', detail: 'xdscope ended during the run' } as const;
      this.#runs.set(run.id, isLost ? { ...run, ...stopped } : run);
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

  /** The caller has checked that no run is under way. Rejects if the run cannot be stored. */
  async start({ name, nodeId, ...data }: RequestedRun): Promise<CheckRunJson> {
    const { clock } = this.#options;
    const id = randomUUID().slice(0, 13);
    const run: CheckRunJson = {
      ...{ id, server: name, origin: 'page', mayReject: data.mayReject, startedAt: clock.now() },
      ...(nodeId !== undefined && { nodeId }),
      access: data.server === undefined ? 'all' : 'read-only',
      ...{ state: 'running', total: data.checkIds.length, isShared: false, verdicts: {}, results: [] },
    };
    this.#current = { id };
    try {
      await this.#save(run);
      await this.#removeOldest();
    } catch (error) {
      this.#current = undefined;
      throw error;
    }
    // The run was removed, or xdscope ends.
    if (this.#current?.id !== id) return run;
    const thread = new CheckThread({
      ...{ data, clock },
      onResult: (result) => {
        const { verdicts, results } = this.#runs.get(id) ?? run;
        this.#change(id, {
          verdicts: { ...verdicts, [result.id]: result.verdict },
          results: [...results, result as CheckRunJson['results'][number]],
        });
      },
      onEnd: (reason) => void this.#end(id, reason === undefined ? 'done' : 'failed', reason),
    });
    this.#current = { id, thread };
    return run;
  }

  /** Stops a run that is under way, and keeps its results; removes another one. Returns false if there is none. */
  async remove(id: string): Promise<boolean> {
    if (this.#current?.id === id) {
      const { thread } = this.#current;
      await this.#end(id, 'stopped', 'stopped by a user');
      await thread?.close();
      return true;
    }
    if (!this.#runs.delete(id)) return false;
    await this.#options.saved.remove(id);
    return true;
  }

  /** The copy of a run that share() kept. */
  findShared(permalinkId: string): CheckRunJson | undefined {
    return this.#options.permalinks.find(permalinkId);
  }

  /** Keeps a copy of a run that has ended, and the run itself until it is removed. Rejects if that cannot be stored. */
  async share(run: CheckRunJson): Promise<void> {
    const { permalinks } = this.#options;
    const id = permalinkIdOf(run);
    if (permalinks.find(id) === undefined) await permalinks.write({ ...run, id, isShared: true });
    if (this.#runs.has(run.id)) await this.#save({ ...run, isShared: true });
  }

  async close(): Promise<void> {
    const { thread, id } = this.#current ?? {};
    if (id !== undefined) await this.#end(id, 'stopped', 'xdscope ended during the run');
    await thread?.close();
  }

  async #end(id: string, state: CheckRunJson['state'], detail?: string): Promise<void> {
    this.#current = undefined;
    this.#change(id, { state, endedAt: this.#options.clock.now(), ...(detail !== undefined && { detail }) });
    const run = this.#runs.get(id);
    if (run === undefined) return;
    try {
      await this.#save(run);
    } catch (error) {
      const detail = `this run is lost at the next start: ${messageOf(error)}`;
      log('error', 'server-checks', `${id}: ${detail}`);
      this.#change(id, { detail });
    }
  }

  #change(id: string, change: Partial<CheckRunJson>): void {
    const run = this.#runs.get(id);
    if (run !== undefined) this.#runs.set(id, { ...run, ...change });
  }

  async #save(run: CheckRunJson): Promise<void> {
    await this.#options.saved.write(run);
    this.#runs.set(run.id, run);
  }

  async #removeOldest(): Promise<void> {
    const unshared = this.list().filter(({ isShared }) => !isShared);
    for (const { id } of unshared.slice(mostKept)) {
      this.#runs.delete(id);
      await this.#options.saved.remove(id);
    }
  }
}
