import { LRUCache } from 'lru-cache';
import type { BodyOutcome } from '@/lib/view-model/compare/diff-item';
import { ApiError } from '../api/api-error';
import type { Recorder } from '../recorder/recorder';
import { inSlices } from '../threads/in-slices';
import { wholeBuffer } from '../threads/whole-buffer';
import { type JobOptions, JobQueue } from '../workers/job-queue';
import { type BodyPair, type BodyTree, DiffBuilder, type DiffJobs } from './diff-builder';

export interface DifferOptions {
  readonly recorder: Pick<Recorder, 'readBodies'>;
  /** Larger work goes to the worker thread, off the event loop, once that is warm. */
  readonly inPlaceBytes?: number;
  readonly deadlineMs?: number;
  /** Path of the worker's program; the built one by default. */
  readonly workerProgram?: string;
}

/** Two stored bodies, by hash, that are read as one type. */
export interface HashPair {
  readonly typeUrl: string;
  readonly left: string;
  readonly right: string;
}

/** Neither side stops for long over so many. */
const pairsPerTurn = 1_000;
const outcomesKept = 200_000;
/**
 * The thread's start takes as long as several megabytes: until it has answered, what takes less is done here, pair by pair,
 * between what else the event loop has to do.
 */
const coldBytes = 1024 * 1024;
const coldPairBytes = 64 * 1024;
/** Of one tree; more is nothing that anybody reads. */
const mostRows = 5_000;

/**
 * What differs between stored bodies. A pair is compared once: bodies never change. What is large is done in a thread;
 * bodies whose hashes are equal need not be asked about.
 */
export class Differ {
  private readonly queue: JobQueue<DiffJobs>;
  private builder = new DiffBuilder();
  private readonly kept = new LRUCache<string, BodyOutcome>({ max: outcomesKept });

  constructor(private readonly options: DifferOptions) {
    const { deadlineMs = 60_000, workerProgram: file } = options;
    this.queue = new JobQueue<DiffJobs>({
      program: { name: 'diff-worker', file, data: null, maxHeapMb: 2048 },
      owner: 'the diff',
      doing: 'comparing resources',
      deadlineMs,
      errorOf: (message) => new ApiError(503, 'Diff not available', message),
    });
  }

  /** Something will soon be compared: the thread for what is large gets ready meanwhile. */
  prepare(): void {
    this.queue.prepare();
  }

  /** By pair; one of which a body is not stored (any longer) is left out. */
  async outcomes(
    pairs: readonly HashPair[],
    options: JobOptions = {},
  ): Promise<(pair: HashPair) => BodyOutcome | undefined> {
    const found = new Map<string, BodyOutcome>();
    const missing = new Map<string, HashPair>();
    await inSlices(pairs, (pair) => {
      const name = nameOf(pair);
      const kept = this.kept.get(name);
      if (kept === undefined) missing.set(name, pair);
      else found.set(name, kept);
    });
    const waiting = [...missing.values()];
    const isFew = waiting.length <= pairsPerTurn;
    const readNext = () => this.readPairs(waiting.splice(0, pairsPerTurn), options);
    // While one turn is compared, the next comes from the disk.
    for (let coming = readNext(); ; ) {
      const { names, bodies } = await coming;
      const isLast = waiting.length === 0;
      if (!isLast) {
        coming = readNext();
        // Who waits for it sees to its error; when the comparison before fails, nobody does.
        coming.catch(() => undefined);
      }
      const outcomes = await this.compare(bodies, isFew, options);
      for (const [index, name] of names.entries()) {
        const outcome = outcomes[index];
        if (outcome === undefined) continue;
        this.kept.set(name, outcome);
        found.set(name, outcome);
      }
      if (isLast) break;
    }
    return (pair) => found.get(nameOf(pair));
  }

  /** undefined: a body is not stored (any longer). */
  async tree(pair: HashPair, options: JobOptions = {}): Promise<BodyTree | undefined> {
    const { bodies } = await this.readPairs([pair], options);
    const [body] = bodies;
    return body && this.run('tree', { ...body, limit: mostRows }, sizeOf(bodies), options);
  }

  /** What was compared is compared anew when it is asked for. */
  forget(): void {
    this.kept.clear();
  }

  /** Bodies are compared anew: the types that they are decoded by have changed. */
  renew(): void {
    this.queue.renew();
    this.builder = new DiffBuilder();
    this.forget();
  }

  close(): Promise<void> {
    return this.queue.close();
  }

  private async compare(
    bodies: BodyPair[],
    isAll: boolean,
    options: JobOptions,
  ): Promise<readonly BodyOutcome[]> {
    const { inPlaceBytes } = this.options;
    const areSmall = sizeOf(bodies) <= coldBytes && bodies.every((pair) => sizeOf([pair]) <= coldPairBytes);
    if (inPlaceBytes !== undefined || this.queue.isWarm || !isAll || !areSmall) {
      return this.run('outcomes', bodies, sizeOf(bodies), options);
    }
    const outcomes: BodyOutcome[] = [];
    await inSlices(bodies, (pair) => outcomes.push(...this.builder.runners.outcomes([pair])), 1);
    return outcomes;
  }

  private async run<K extends keyof DiffJobs>(
    kind: K,
    input: DiffJobs[K]['input'],
    sizeBytes: number,
    options: JobOptions,
  ): Promise<DiffJobs[K]['output']> {
    const runners: { [J in keyof DiffJobs]: (input: DiffJobs[J]['input']) => DiffJobs[J]['output'] } =
      this.builder.runners;
    const { inPlaceBytes = this.queue.isWarm ? 16 * 1024 : coldPairBytes } = this.options;
    return sizeBytes > inPlaceBytes ? this.queue.run(kind, input, options) : runners[kind](input);
  }

  private async readPairs(
    pairs: readonly HashPair[],
    { signal }: JobOptions,
  ): Promise<{ names: string[]; bodies: BodyPair[] }> {
    const names: string[] = [];
    const bodies: BodyPair[] = [];
    if (pairs.length === 0) return { names, bodies };
    const hashes = pairs.flatMap(({ left, right }) => [left, right]);
    const stored = await this.options.recorder.readBodies(hashes, signal);
    for (const pair of pairs) {
      const [left, right] = [stored.get(pair.left), stored.get(pair.right)];
      if (left === undefined || right === undefined) continue;
      names.push(nameOf(pair));
      bodies.push({
        typeUrl: pair.typeUrl,
        left: wholeBuffer(left.bytes),
        right: wholeBuffer(right.bytes),
      });
    }
    return { names, bodies };
  }
}

function nameOf({ typeUrl, left, right }: HashPair): string {
  return `${typeUrl} ${left} ${right}`;
}

function sizeOf(bodies: readonly BodyPair[]): number {
  return bodies.reduce((sum, { left, right }) => sum + left.length + right.length, 0);
}
