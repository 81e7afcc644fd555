import type { Problem } from '@/lib/observation/observation';
import type { UserType } from '../codec/codec';
import type { Clock } from '../observe';
import type { RunningSource } from '../source-status';
import { ThreadedSources } from '../threads/threaded-source';
import { ManagedWorker, sourceBackoff, type WorkerLoss } from '../workers/managed-worker';
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

/**
 * All sources of a kind, in one thread of their own: receiving, cutting, comparing and validating large answers, and the
 * garbage of it, hold no page up. What they tell comes here in small pieces, in order. When the thread ends by itself
 * every source says so, and goes on in a new one.
 */
export class SourceThread<Setup> {
  readonly #sources = new ThreadedSources<RemoteSource<Setup>>();
  /** Equal rows come from many sources. */
  readonly #strings = new SharedStrings();
  readonly #worker: ManagedWorker<SourceCommand<Setup>, SourceNews>;
  #userTypes: readonly UserType[] | undefined;

  constructor(private readonly options: SourceThreadOptions) {
    const { worker: name, workerProgram: file, redactionKey, clock } = options;
    const { maxHeapMb = 2_048, youngHeapMb } = options;
    const data: SourceThreadData = { redactionKey };
    this.#worker = new ManagedWorker({
      program: { name, file, data, maxHeapMb, youngHeapMb },
      clock,
      backoff: sourceBackoff,
      onMessage: (news) => this.#take(news),
      onLost: (loss) => this.#onLost(loss),
      onRestartDue: () => {
        if (this.#sources.size === 0) return;
        this.#start();
        for (const [, source] of this.#sources) source.open();
      },
    });
  }

  open(options: RemoteSourceOptions<Setup>): RunningSource {
    this.#start();
    return this.#sources.add(
      (number) => new RemoteSource(number, options, (command) => this.#send(command), this.#strings),
    );
  }

  /** From now on these types of users are known, and no others. */
  setUserTypes(types: readonly UserType[]): void {
    this.#userTypes = types;
    this.#send({ kind: 'types', types });
  }

  /** Sources that are closing are waited for, a while; then the thread ends. */
  async close(): Promise<void> {
    await this.#worker.close(this.#sources.close());
    this.#sources.onAllClosed();
  }

  #start(): void {
    if (this.#worker.start() && this.#userTypes !== undefined)
      this.#send({ kind: 'types', types: this.#userTypes });
  }

  #send(command: SourceCommand<Setup>): void {
    // Without a worker no source is open in one; the next worker is sent all that are open here.
    if (!this.#worker.post(command) && command.kind === 'close') this.#sources.onClosed(command.source);
  }

  #take(news: SourceNews): void {
    if (news.kind === 'closed') this.#sources.onClosed(news.source);
    else if (news.kind === 'statuses') {
      for (const { source, status } of news.statuses) this.#sources.find(source)?.onStatus(status);
    } else if (news.kind === 'confirmed') {
      for (const [source, confirmation] of unpackConfirmations(news.values))
        this.#sources.find(source)?.onConfirmed(confirmation);
    } else {
      const { source, observation, bodies } = news;
      this.#sources.find(source)?.onEmission({ observation, bodies: unpackBodies(bodies) });
    }
    this.#worker.acknowledge({ kind: 'taken' }, this.options.keepPace());
  }

  #onLost({ reason, restartMs }: WorkerLoss): void {
    const { plural } = this.options;
    const problem: Problem = {
      code: 'INTERNAL',
      message: `the thread of the ${plural} failed: ${reason}`,
      hint: `All ${plural} go on in a new one in ${restartMs / 1000} s.`,
    };
    for (const [number, source] of this.#sources) {
      source.onThreadLost(problem);
      if (source.isClosing) this.#sources.onClosed(number);
    }
  }
}
