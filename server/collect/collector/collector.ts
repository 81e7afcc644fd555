import type { Problem } from '@/lib/observation/observation';
import type { UserType } from '../../codec/codec';
import type { Clock } from '../../observe';
import { unpackBodies } from '../../packed-bodies';
import type { RunningSource } from '../../source-status';
import { ManagedWorker, sourceBackoff, type WorkerLoss } from '../../workers/managed-worker';
import { smallYoungHeapMb } from '../../workers/threads/small-young-heap';
import { ThreadedSources } from '../../workers/threads/threaded-source';
import { RemoteSource, type RemoteSourceOptions } from './remote-source';
import { SharedStrings } from './shared-strings';
import type { ProcessFacts, SourceCommand, SourceNews } from './source-messages';

/** The worker data of a collector. */
export interface CollectorData {
  readonly redactionKey: Uint8Array;
}

export interface CollectorOptions {
  readonly redactionKey: Uint8Array;
  readonly clock: Clock;
  /** See Recorder. Limits the rate of a first load of 119 MB to the rate at which it is stored. */
  readonly keepPace: () => Promise<void>;
  /** Limit of objects. Bodies lie outside the heap. */
  readonly maxHeapMb?: number;
  /** Path of the worker's program; the built one by default. */
  readonly workerProgram?: string;
}

/** A kind of source that a collector can run. */
export interface Collects<Kind, Setup> {
  open(kind: Kind, options: RemoteSourceOptions<Setup>): RunningSource;
}

/**
 * Sources of all kinds in one thread, so that decoding, comparing and validating large answers does not delay pages.
 * Their emissions come here in small parts, in order. If the thread ends unexpectedly every source reports it, and
 * continues in a new one. `Setups` has the setup of each kind.
 */
export class Collector<Setups> {
  readonly #options: CollectorOptions;

  readonly #sources = new ThreadedSources<RemoteSource<Setups>>();
  /** Equal rows come from many sources. */
  readonly #strings = new SharedStrings();
  readonly #worker: ManagedWorker<SourceCommand<Setups>, SourceNews>;
  #userTypes: readonly UserType[] | undefined;
  #facts: ProcessFacts | undefined;

  constructor(options: CollectorOptions) {
    this.#options = options;

    const { workerProgram: file, redactionKey, clock, maxHeapMb = 4_096 } = options;
    const data: CollectorData = { redactionKey };
    this.#worker = new ManagedWorker({
      program: { name: 'collector', file, data, maxHeapMb, youngHeapMb: smallYoungHeapMb },
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

  open<Kind extends keyof Setups>(
    kind: Kind,
    options: RemoteSourceOptions<Setups[Kind]>,
  ): RemoteSource<Setups> {
    this.#start();
    const send = (command: SourceCommand<Setups>): void => this.#send(command);
    return this.#sources.add((number) => new RemoteSource(number, kind, options, send, this.#strings));
  }

  /** Replaces the types of users. */
  setUserTypes(types: readonly UserType[]): void {
    this.#userTypes = types;
    this.#send({ kind: 'types', types });
  }

  setFacts(facts: ProcessFacts): void {
    this.#facts = facts;
    this.#send({ kind: 'process', facts });
  }

  /** Waits for the sources to close, for a limited time, and ends the thread. */
  async close(): Promise<void> {
    await this.#worker.close(this.#sources.close());
    this.#sources.onAllClosed();
  }

  /**
   * Ends the thread, which has no sources. An idle thread does not collect its garbage: after a peer that sent more than the
   * limit it would keep some 200 MB of buffers.
   */
  #end(): void {
    void this.#worker.replace();
  }

  #start(): void {
    if (!this.#worker.start()) return;
    if (this.#userTypes !== undefined) this.#send({ kind: 'types', types: this.#userTypes });
    if (this.#facts !== undefined) this.#send({ kind: 'process', facts: this.#facts });
  }

  #send(command: SourceCommand<Setups>): void {
    // If there is no worker, no source is open in it. The next worker receives all open sources.
    if (!this.#worker.post(command) && command.kind === 'close') this.#sources.onClosed(command.source);
  }

  #take(news: SourceNews): void {
    if (news.kind === 'closed') {
      this.#sources.onClosed(news.source);
      if (this.#sources.size === 0) this.#end();
    } else if (news.kind === 'statuses') {
      for (const { source, status } of news.statuses) this.#sources.find(source)?.onStatus(status);
    } else if (news.kind === 'answered') this.#sources.find(news.source)?.onAnswered(news);
    else {
      const { source, observation, bodies } = news;
      this.#sources.find(source)?.onEmission({ observation, bodies: unpackBodies(bodies) });
    }
    this.#worker.acknowledge({ kind: 'taken' }, this.#options.keepPace());
  }

  #onLost({ reason, restartMs }: WorkerLoss): void {
    const problem: Problem = {
      code: 'INTERNAL',
      message: `the collector failed: ${reason}`,
      hint: `All sources go on in a new one in ${restartMs / 1000} s.`,
    };
    for (const [number, source] of this.#sources) {
      source.onThreadLost(problem);
      if (source.isClosing) this.#sources.onClosed(number);
    }
  }
}
