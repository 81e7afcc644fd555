import { Worker } from 'node:worker_threads';
import type { Problem } from '@/lib/observation/observation';
import type { UserType } from '../codec/codec';
import type { Clock } from '../observe';
import { builtProgram } from '../project-root';
import type { RunningSource } from '../source-status';
import { RemoteSource, type RemoteSourceOptions } from './remote-source';
import { SharedStrings } from './shared-strings';
import { type SourceCommand, type SourceNews, unpackBodies, unpackConfirmations } from './source-messages';

/** What every thread of sources is given at its start. */
export interface SourceThreadData {
  readonly redactionKey: Uint8Array;
}

export interface SourceThreadOptions {
  /** Name of the worker's program, as in server/build.mjs. */
  readonly worker: string;
  /** What its sources are, as in "probes": its failures are reported with it. */
  readonly plural: string;
  readonly redactionKey: Uint8Array;
  readonly clock: Clock;
  /** See Recorder: a first load of 119 MB must not come faster than it is stored. */
  readonly keepPace: () => Promise<void>;
  /** Of objects, not of bodies, which are outside the heap. */
  readonly maxHeapMb?: number;
  /** Room for what is new; Node's own by default. */
  readonly youngHeapMb?: number;
  /** Path of the worker's program; the built one by default. */
  readonly workerProgram?: string;
}

const firstRestartMs = 1_000;
const maxRestartMs = 60_000;
const closeTimeoutMs = 5_000;

/**
 * All sources of a kind, in one thread of their own: receiving, cutting, comparing and validating large answers, and the
 * garbage of it, hold no page up. What they tell comes here in small pieces, in order. When the thread ends by itself
 * every source says so, and goes on in a new one.
 */
export class SourceThread<Setup> {
  readonly #sources = new Map<number, RemoteSource<Setup>>();
  /** Equal rows come from many sources. */
  readonly #strings = new SharedStrings();
  #worker: Worker | undefined;
  #numbers = 0;
  #userTypes: readonly UserType[] | undefined;
  #restartMs = firstRestartMs;
  #restartTimer: { cancel(): void } | undefined;
  #startedAt = 0;
  #isClosed = false;

  constructor(private readonly options: SourceThreadOptions) {}

  open(options: RemoteSourceOptions<Setup>): RunningSource {
    const number = ++this.#numbers;
    this.#start();
    const source = new RemoteSource(number, options, (command) => this.#send(command), this.#strings);
    this.#sources.set(number, source);
    return source;
  }

  /** From now on these types of users are known, and no others. */
  setUserTypes(types: readonly UserType[]): void {
    this.#userTypes = types;
    this.#send({ kind: 'types', types });
  }

  /** Sources that are closing are waited for, a while; then the thread ends. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#restartTimer?.cancel();
    const closing = Promise.all([...this.#sources.values()].map((source) => source.close()));
    let timer: { cancel(): void } | undefined;
    const timeout = new Promise<void>((resolve) => {
      timer = this.options.clock.setTimeout(resolve, closeTimeoutMs);
    });
    await Promise.race([closing, timeout]);
    timer?.cancel();
    const worker = this.#worker;
    this.#worker = undefined;
    await worker?.terminate();
    for (const source of this.#sources.values()) source.onClosed();
    this.#sources.clear();
  }

  #start(): void {
    if (this.#worker !== undefined || this.#isClosed || this.#restartTimer !== undefined) return;
    const {
      worker: name,
      redactionKey,
      maxHeapMb = 2_048,
      youngHeapMb,
      workerProgram,
      clock,
      plural,
    } = this.options;
    const data: SourceThreadData = { redactionKey };
    const worker = new Worker(workerProgram ?? builtProgram(name), {
      name,
      workerData: data,
      resourceLimits: { maxOldGenerationSizeMb: maxHeapMb, maxYoungGenerationSizeMb: youngHeapMb },
    });
    this.#worker = worker;
    this.#startedAt = clock.now();
    worker.on('message', (news: SourceNews) => {
      if (worker === this.#worker) this.#take(news, worker);
    });
    worker.on('error', (error: NodeJS.ErrnoException) =>
      this.#onLost(worker, describeError(error, plural, maxHeapMb)),
    );
    worker.on('exit', (code) => this.#onLost(worker, `it ended with ${code}`));
    if (this.#userTypes !== undefined) this.#send({ kind: 'types', types: this.#userTypes });
  }

  #send(command: SourceCommand<Setup>): void {
    if (this.#worker !== undefined) {
      this.#worker.postMessage(command);
      return;
    }
    // There is no thread, and no source in it. A new one is reported all that are open.
    if (command.kind === 'close') this.#close(command.source);
  }

  #take(news: SourceNews, worker: Worker): void {
    if (news.kind === 'closed') this.#close(news.source);
    else if (news.kind === 'statuses') {
      for (const { source, status } of news.statuses) this.#sources.get(source)?.onStatus(status);
    } else if (news.kind === 'confirmed') {
      for (const [source, confirmation] of unpackConfirmations(news.values))
        this.#sources.get(source)?.onConfirmed(confirmation);
    } else {
      const { source, observation, bodies } = news;
      this.#sources.get(source)?.onEmission({ observation, bodies: unpackBodies(bodies) });
    }
    this.#acknowledge(worker);
  }

  /** In another turn of the event loop: what waits there comes first. */
  async #acknowledge(worker: Worker): Promise<void> {
    await this.options.keepPace();
    setImmediate(() => {
      if (worker === this.#worker) this.#send({ kind: 'taken' });
    });
  }

  #close(number: number): void {
    this.#sources.get(number)?.onClosed();
    this.#sources.delete(number);
  }

  #onLost(worker: Worker, reason: string): void {
    if (worker !== this.#worker) return;
    this.#worker = undefined;
    worker.terminate().catch(() => undefined);
    const { clock } = this.options;
    if (clock.now() - this.#startedAt > maxRestartMs) this.#restartMs = firstRestartMs;
    const inMs = this.#restartMs;
    this.#restartMs = Math.min(inMs * 2, maxRestartMs);
    const problem: Problem = {
      code: 'INTERNAL',
      message: `the thread of the ${this.options.plural} failed: ${reason}`,
      hint: `All ${this.options.plural} go on in a new one in ${inMs / 1000} s.`,
    };
    for (const [number, source] of this.#sources) {
      source.onThreadLost(problem);
      if (source.isClosing) this.#close(number);
    }
    if (this.#isClosed) return;
    this.#restartTimer = clock.setTimeout(() => {
      this.#restartTimer = undefined;
      if (this.#sources.size === 0) return;
      this.#start();
      for (const source of this.#sources.values()) source.open();
    }, inMs);
  }
}

function describeError(error: NodeJS.ErrnoException, plural: string, maxHeapMb: number): string {
  return error.code === 'ERR_WORKER_OUT_OF_MEMORY'
    ? `what the ${plural} hold needs more than ${maxHeapMb} MB of heap`
    : error.message;
}
