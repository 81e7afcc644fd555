import type { Observation, Problem, Vantage } from '@/lib/observation/observation';
import type { Emission } from '../../observe';
import { initialSourceStatus, type SourceStatus } from '../../source-status';
import { ThreadedSource, type ThreadedSourceOptions } from '../../workers/threads/threaded-source';
import type { SharedStrings } from './shared-strings';
import type { AnsweredRequest, SourceCommand } from './source-messages';

export interface RemoteSourceOptions<Setup> extends ThreadedSourceOptions {
  readonly setup: Setup;
  readonly vantage: Vantage;
  /** Called when the thread ended, with its knowledge of earlier reports: the next report is complete again. */
  readonly onForgotten?: () => void;
}

const removed = 'the source was removed';

/** The main thread's side of a source in a Collector. */
export class RemoteSource<Setups, Kind extends keyof Setups = keyof Setups> extends ThreadedSource<
  RemoteSourceOptions<Setups[Kind]>
> {
  readonly #number: number;
  readonly #kind: Kind;
  readonly #send: (command: SourceCommand<Setups>) => void;
  readonly #strings: SharedStrings;

  #status: SourceStatus = initialSourceStatus;
  #isStarted = false;
  #isPaused = false;
  /** Requests that are not answered. */
  readonly #requests = new Map<number, (problem?: string) => void>();
  #ids = 0;

  constructor(
    number: number,
    kind: Kind,
    options: RemoteSourceOptions<Setups[Kind]>,
    send: (command: SourceCommand<Setups>) => void,
    /** Shared by all sources of the thread. */
    strings: SharedStrings,
  ) {
    super(options, () => send({ kind: 'close', source: number }));
    this.#number = number;
    this.#kind = kind;
    this.#send = send;
    this.#strings = strings;

    this.open();
  }

  get status(): SourceStatus {
    return this.#status;
  }

  /** A source that was paused before starts with resume(). */
  start(): void {
    this.#isStarted = true;
    if (!this.#isPaused) this.#send({ kind: 'start', source: this.#number });
  }

  pause(): void {
    this.#isPaused = true;
    this.#send({ kind: 'pause', source: this.#number });
    this.onStatus(this.#status);
  }

  resume(): void {
    this.#isPaused = false;
    this.start();
    this.onStatus(this.#status);
  }

  /** Creates the source in the thread, at the start and after each restart of the thread. */
  open(): void {
    const { sourceId, setup } = this.options;
    this.#send({ kind: 'open', source: this.#number, sourceId, sourceKind: this.#kind, setup });
    if (this.#isPaused) this.#send({ kind: 'pause', source: this.#number });
    else if (this.#isStarted) this.#send({ kind: 'start', source: this.#number });
  }

  /** Sends a request of the kind. Resolves with a sentence about what failed, or undefined. */
  request(request: unknown): Promise<string | undefined> {
    if (this.isClosing) return Promise.resolve(removed);
    return new Promise((resolve) => {
      const id = ++this.#ids;
      this.#requests.set(id, resolve);
      this.#send({ kind: 'request', source: this.#number, id, request });
    });
  }

  onAnswered({ id, problem }: AnsweredRequest): void {
    this.#requests.get(id)?.(problem);
    this.#requests.delete(id);
  }

  override onClosed(): void {
    this.#endRequests(removed);
    super.onClosed();
  }

  #endRequests(problem: string): void {
    for (const resolve of this.#requests.values()) resolve(problem);
    this.#requests.clear();
  }

  onEmission(emission: Emission): void {
    this.streams.follow(emission.observation);
    this.options.observe({ ...emission, observation: this.#complete(emission.observation) });
  }

  /** A load report crosses the threads without the node that its stream named; see collect-lrs.ts. */
  #complete(observation: Observation): Observation {
    if (observation.kind !== 'load-reported') return this.#share(observation);
    const { node } = this.streams.find(observation.streamId) ?? observation;
    return { ...observation, node };
  }

  /** Shares equal strings of rows, because rows are many and stay in memory. */
  #share(observation: Observation): Observation {
    if (!('changed' in observation)) return observation;
    const changed = observation.changed.map((row) => ({
      ...row,
      typeUrl: this.#strings.share(row.typeUrl),
      versionInfo: this.#strings.share(row.versionInfo),
      clientStatus: this.#strings.share(row.clientStatus),
      configStatus: this.#strings.share(row.configStatus),
    }));
    return { ...observation, changed };
  }

  /** Statuses that were sent before a pause or its end do not change the paused state. */
  onStatus(reported: SourceStatus): void {
    const state = this.#isPaused ? 'paused' : reported.state === 'paused' ? 'connecting' : reported.state;
    // A closed stream has no clients; clients of a poll stay reported.
    const isSilent = this.#isPaused && this.options.vantage === 'probe';
    const named = this.options.vantage === 'lrs' ? this.streams.clients : reported.clients;
    const clients: SourceStatus['clients'] = isSilent ? new Map() : named;
    this.#status = { ...reported, state, problem: state === 'down' ? reported.problem : null, clients };
    this.options.onStatus(this.#status);
  }

  /** Call when the thread ended: its streams end, and accepted resources stay known as after any broken stream. */
  onThreadLost(problem: Problem): void {
    const { sourceId, clock, vantage } = this.options;
    this.endStreams('INTERNAL', problem.message);
    this.#endRequests(problem.message);
    this.options.onForgotten?.();
    if (this.isClosing) return;
    if (!this.#isPaused) this.emit({ kind: 'source-down', at: clock.now(), sourceId, vantage, problem });
    const failures = this.#status.failures + 1;
    this.onStatus({ ...this.#status, state: 'down', problem, clients: new Map(), failures });
  }
}
