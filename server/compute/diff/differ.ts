import type { BodyOutcome } from '@/lib/views/compare/diff-item';
import { boundedCache } from '../../bounded-cache';
import type { Body } from '../../observe';
import { openLogQueue } from '../../store/recorder/log-queue';
import type { BodySource } from '../../store/recorder/recorder';
import { Compute } from '../../workers/compute';
import { inPages } from '../../workers/in-pages';
import type { JobOptions, JobQueue } from '../../workers/job-queue';
import { inSlices } from '../../workers/threads/in-slices';
import { type BodyPair, type BodyTree, DiffBuilder } from './diff-builder';
import { bodyPairOf, type DiffJobs, diffJobs, type HashPair } from './diff-jobs';

interface DifferOptions {
  readonly recorder: BodySource;
  /** Larger input is compared in the worker thread, off the event loop. */
  readonly inPlaceBytes?: number;
  /** The threads of this process; by default threads of its own. */
  readonly compute?: Compute;
}

/** Limits a job, whose result is copied on the event loop. */
const pairsPerJob = 5_000;
const outcomesKept = 200_000;
/** Number of pairs that the main thread reads, and compares if they are small. */
const fewPairs = 20;
const smallBytes = 16 * 1024;
const mostRows = 5_000;

/**
 * Compares stored bodies, each pair once, because bodies never change. Large input is compared in a thread. Bodies with
 * equal hashes need not be passed.
 */
export class Differ {
  readonly #options: DifferOptions;
  readonly #queue: JobQueue<DiffJobs>;
  #builder = new DiffBuilder();
  readonly #kept = boundedCache<BodyOutcome>(outcomesKept);

  constructor(options: DifferOptions) {
    this.#options = options;
    const { recorder, compute = new Compute() } = options;
    this.#queue = openLogQueue(
      compute,
      diffJobs,
      recorder,
      { what: 'Diff', owner: 'the diff', doing: 'comparing resources' },
      {},
    );
  }

  /** Starts the thread before the first comparison. */
  prepare(): void {
    this.#queue.prepare();
  }

  /** Returns the outcome by pair, or undefined if a body is not stored. */
  async outcomes(
    pairs: readonly HashPair[],
    options: JobOptions = {},
  ): Promise<(pair: HashPair) => BodyOutcome | undefined> {
    const found = new Map<string, BodyOutcome>();
    const missing = new Map<string, HashPair>();
    await inSlices(pairs, (pair) => {
      const name = nameOf(pair);
      const kept = this.#kept.get(name);
      if (kept === undefined) missing.set(name, pair);
      else found.set(name, kept);
    });
    for (const pairs of inPages([...missing.values()], pairsPerJob)) {
      const outcomes = await this.#compare(pairs, options);
      for (const [index, pair] of pairs.entries()) {
        const outcome = outcomes[index];
        if (outcome == null) continue;
        this.#kept.set(nameOf(pair), outcome);
        found.set(nameOf(pair), outcome);
      }
    }
    return (pair) => found.get(nameOf(pair));
  }

  /** Returns undefined if a body is not stored. */
  async tree(pair: HashPair, options: JobOptions = {}): Promise<BodyTree | undefined> {
    const small = await this.#readSmall([pair], options);
    const [found] = small ?? [];
    if (small !== undefined) return found && this.#builder.tree(found, mostRows);
    const input = { pair, limit: mostRows, pending: await this.#readPending([pair]) };
    return (await this.#queue.run('tree', input, options)) ?? undefined;
  }

  forget(): void {
    this.#kept.clear();
  }

  /** Discards all outcomes and cached types. Must be called when the types of users have changed. */
  renew(): void {
    this.#queue.renew();
    this.#builder = new DiffBuilder();
    this.forget();
  }

  close(): Promise<void> {
    return this.#queue.close();
  }

  /** An outcome is null if a body is not stored. */
  async #compare(pairs: readonly HashPair[], options: JobOptions): Promise<(BodyOutcome | null)[]> {
    const small = await this.#readSmall(pairs, options);
    if (small === undefined)
      return this.#queue.run('outcomes', { pairs, pending: await this.#readPending(pairs) }, options);
    return small.map((pair) => (pair === undefined ? null : this.#builder.outcome(pair)));
  }

  /** Returns the pairs in order, or undefined if they are many or large, and must be compared in the thread. */
  async #readSmall(
    pairs: readonly HashPair[],
    { signal }: JobOptions,
  ): Promise<(BodyPair | undefined)[] | undefined> {
    if (pairs.length > fewPairs) return undefined;
    const bodies = await this.#options.recorder.readBodies(hashesOf(pairs), signal);
    const found = pairs.map((pair) => bodyPairOf(pair, bodies));
    const sizeBytes = found.reduce(
      (sum, pair) => sum + (pair === undefined ? 0 : pair.left.length + pair.right.length),
      0,
    );
    const { inPlaceBytes = smallBytes } = this.#options;
    return sizeBytes <= inPlaceBytes ? found : undefined;
  }

  #readPending(pairs: readonly HashPair[]): Promise<Body[]> {
    return this.#options.recorder.readPendingBodies(hashesOf(pairs));
  }
}

function hashesOf(pairs: readonly HashPair[]): string[] {
  return pairs.flatMap(({ left, right }) => [left, right]);
}

function nameOf({ typeUrl, left, right, isOfDump }: HashPair): string {
  return `${typeUrl} ${left} ${right}${isOfDump ? ' of a dump' : ''}`;
}
