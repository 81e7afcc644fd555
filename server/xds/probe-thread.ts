import { Worker } from 'node:worker_threads';
import type { Problem } from '@/lib/observation/observation';
import type { UserType } from '../codec/codec';
import { smallYoungHeapMb } from '../keep-heaps-small';
import type { Clock } from '../observe';
import { builtProgram } from '../project-root';
import type { RunningSource } from '../source-status';
import { type ProbeCommand, type ProbeNews, unpackBodies } from './probe-messages';
import type { ProbeWorkerData } from './probe-worker';
import { RemoteProbe, type RemoteProbeOptions } from './remote-probe';

export interface ProbeThreadOptions {
  readonly redactionKey: Uint8Array;
  readonly clock: Clock;
  /** Resolves when what was observed is stored, or will not be: a first load of 119 MB must not come faster than that. */
  readonly stored: () => Promise<void>;
  /** Bodies that may be on their way to the disk meanwhile. */
  readonly unstoredBytes?: number;
  /** Of objects, not of bodies, which are outside the heap. */
  readonly maxHeapMb?: number;
  /** Path of the worker's program; the built one by default. */
  readonly workerProgram?: string;
}

const firstRestartMs = 1_000;
const maxRestartMs = 60_000;
const closeTimeoutMs = 5_000;

/**
 * All probes of this process, in one thread of their own: receiving, cutting, comparing and judging large answers, and
 * the garbage of it, hold no page up. What they tell comes here in small pieces, in order. When the thread ends by
 * itself every probe says so, and goes on in a new one.
 */
export class ProbeThread {
  readonly #probes = new Map<number, RemoteProbe>();
  #worker: Worker | undefined;
  #numbers = 0;
  #userTypes: readonly UserType[] | undefined;
  #restartMs = firstRestartMs;
  #restartTimer: { cancel(): void } | undefined;
  #startedAt = 0;
  #unstored = 0;
  #isClosed = false;

  constructor(private readonly options: ProbeThreadOptions) {}

  open(options: RemoteProbeOptions): RunningSource {
    const number = ++this.#numbers;
    this.#start();
    const probe = new RemoteProbe(number, options, (command) => this.#send(command));
    this.#probes.set(number, probe);
    return probe;
  }

  /** From now on these types of users are known, and no others. */
  setUserTypes(types: readonly UserType[]): void {
    this.#userTypes = types;
    this.#send({ kind: 'types', types });
  }

  /** Probes that are closing are waited for, a while; then the thread ends. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#restartTimer?.cancel();
    const closing = Promise.all([...this.#probes.values()].map((probe) => probe.close()));
    let timer: { cancel(): void } | undefined;
    const timeout = new Promise<void>((resolve) => {
      timer = this.options.clock.setTimeout(resolve, closeTimeoutMs);
    });
    await Promise.race([closing, timeout]);
    timer?.cancel();
    const worker = this.#worker;
    this.#worker = undefined;
    await worker?.terminate();
    for (const probe of this.#probes.values()) probe.onClosed();
    this.#probes.clear();
  }

  #start(): void {
    if (this.#worker !== undefined || this.#isClosed || this.#restartTimer !== undefined) return;
    const { redactionKey, maxHeapMb = 2_048, workerProgram, clock } = this.options;
    const data: ProbeWorkerData = { redactionKey };
    const worker = new Worker(workerProgram ?? builtProgram('probe-worker'), {
      name: 'probe-worker',
      workerData: data,
      resourceLimits: { maxOldGenerationSizeMb: maxHeapMb, maxYoungGenerationSizeMb: smallYoungHeapMb },
    });
    this.#worker = worker;
    this.#startedAt = clock.now();
    this.#unstored = 0;
    worker.on('message', (news: ProbeNews) => {
      if (worker === this.#worker) this.#take(news, worker);
    });
    worker.on('error', (error: NodeJS.ErrnoException) =>
      this.#onLost(worker, describeError(error, maxHeapMb)),
    );
    worker.on('exit', (code) => this.#onLost(worker, `it ended with ${code}`));
    if (this.#userTypes !== undefined) this.#send({ kind: 'types', types: this.#userTypes });
  }

  #send(command: ProbeCommand): void {
    if (this.#worker !== undefined) {
      this.#worker.postMessage(command);
      return;
    }
    // There is no thread, and no probe in it. A new one is told of all that are open.
    if (command.kind === 'close') this.#close(command.probe);
  }

  #take(news: ProbeNews, worker: Worker): void {
    const probe = this.#probes.get(news.probe);
    if (news.kind === 'closed') this.#close(news.probe);
    else if (news.kind === 'status') probe?.onStatus(news.status);
    else {
      const { observation, bodies } = news;
      this.#unstored += bodies.bytes.byteLength;
      probe?.onSighting({ observation, bodies: unpackBodies(bodies) });
    }
    this.#acknowledge(worker);
  }

  /** In another turn of the event loop: what waits there comes first. */
  async #acknowledge(worker: Worker): Promise<void> {
    if (this.#unstored > (this.options.unstoredBytes ?? 8 * 1024 * 1024)) {
      this.#unstored = 0;
      await this.options.stored();
    }
    setImmediate(() => {
      if (worker === this.#worker) this.#send({ kind: 'taken' });
    });
  }

  #close(number: number): void {
    this.#probes.get(number)?.onClosed();
    this.#probes.delete(number);
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
      message: `the thread of the probes failed: ${reason}`,
      hint: `All probes go on in a new one in ${inMs / 1000} s.`,
    };
    for (const [number, probe] of this.#probes) {
      probe.onThreadLost(problem);
      if (probe.isClosing) this.#close(number);
    }
    if (this.#isClosed) return;
    this.#restartTimer = clock.setTimeout(() => {
      this.#restartTimer = undefined;
      if (this.#probes.size === 0) return;
      this.#start();
      for (const probe of this.#probes.values()) probe.open();
    }, inMs);
  }
}

function describeError(error: NodeJS.ErrnoException, maxHeapMb: number): string {
  return error.code === 'ERR_WORKER_OUT_OF_MEMORY'
    ? `what the probes hold needs more than ${maxHeapMb} MB of heap`
    : error.message;
}
