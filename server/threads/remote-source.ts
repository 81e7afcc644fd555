import type { Observation, Problem, StreamOpened } from '@/lib/observation/observation';
import type { EpochMs } from '@/lib/xds/units';
import type { Clock, Emission, Observe } from '../observe';
import {
  type Confirmation,
  confirmStatus,
  initialSourceStatus,
  type RunningSource,
  type SourceStatus,
} from '../source-status';
import type { SharedStrings } from './shared-strings';
import type { SourceCommand } from './source-messages';

export interface RemoteSourceOptions<Setup> {
  readonly sourceId: string;
  readonly setup: Setup;
  readonly vantage: 'probe' | 'csds' | 'lrs';
  readonly observe: Observe;
  readonly clock: Clock;
  /** What it reports next is complete again, as after a start: the thread that knew what it reported is gone. */
  readonly onForgotten?: () => void;
  /** After each change of `status`. */
  readonly onStatus: (status: SourceStatus) => void;
}

interface OpenStream {
  readonly opened: StreamOpened;
  hadResponse: boolean;
}

/** A source that runs in another thread, as a source of this one. */
export class RemoteSource<Setup> implements RunningSource {
  #status: SourceStatus = initialSourceStatus;
  #isStarted = false;
  #isPaused = false;
  /** As far as they were reported: the thread that knows may be gone. */
  readonly #streams = new Map<string, OpenStream>();
  /** Of a receiver of load reports: clients with an open stream, and when each was last heard. */
  readonly #reporters = new Map<string, EpochMs>();
  #closing: { readonly done: Promise<void>; readonly resolve: () => void } | undefined;

  constructor(
    private readonly number: number,
    private readonly options: RemoteSourceOptions<Setup>,
    private readonly send: (command: SourceCommand<Setup>) => void,
    /** Of all sources of the thread. */
    private readonly strings: SharedStrings,
  ) {
    this.open();
  }

  get status(): SourceStatus {
    return this.#status;
  }

  get isClosing(): boolean {
    return this.#closing !== undefined;
  }

  /** A source that begins paused goes on with resume(). */
  start(): void {
    this.#isStarted = true;
    if (!this.#isPaused) this.send({ kind: 'start', source: this.number });
  }

  pause(): void {
    this.#isPaused = true;
    this.send({ kind: 'pause', source: this.number });
    this.onStatus(this.#status);
  }

  resume(): void {
    this.#isPaused = false;
    this.start();
    this.onStatus(this.#status);
  }

  /** Resolves when the thread has closed it, or is gone itself. */
  close(): Promise<void> {
    if (this.#closing === undefined) {
      let resolve = (): void => undefined;
      const done = new Promise<void>((settle) => {
        resolve = settle;
      });
      this.#closing = { done, resolve };
      this.send({ kind: 'close', source: this.number });
    }
    return this.#closing.done;
  }

  /** Makes it in the thread, which knows nothing of it: at first, and when there is a new thread. */
  open(): void {
    const { sourceId, setup } = this.options;
    this.send({ kind: 'open', source: this.number, sourceId, setup });
    if (this.#isPaused) this.send({ kind: 'pause', source: this.number });
    else if (this.#isStarted) this.send({ kind: 'start', source: this.number });
  }

  onEmission(emission: Emission): void {
    this.#follow(emission.observation);
    this.options.observe({ ...emission, observation: this.#complete(emission.observation) });
  }

  /** A load report crosses the threads without the node that its stream named; see lrs-worker.ts. */
  #complete(observation: Observation): Observation {
    if (observation.kind !== 'load-reported') return this.#share(observation);
    const { node } = this.#streams.get(observation.streamId)?.opened ?? observation;
    return { ...observation, node };
  }

  /** Rows stay in memory, and are many. */
  #share(observation: Observation): Observation {
    if (!('changed' in observation)) return observation;
    const changed = observation.changed.map((row) => ({
      ...row,
      typeUrl: this.strings.share(row.typeUrl),
      versionInfo: this.strings.share(row.versionInfo),
      clientStatus: this.strings.share(row.clientStatus),
      configStatus: this.strings.share(row.configStatus),
    }));
    return { ...observation, changed };
  }

  /** What was reported before a pause, or before its end, does not take it back. */
  onStatus(reported: SourceStatus): void {
    const state = this.#isPaused ? 'paused' : reported.state === 'paused' ? 'connecting' : reported.state;
    // A stream that is closed names nobody; what a poll reported stays reported.
    const isSilent = this.#isPaused && this.options.vantage === 'probe';
    const named = this.options.vantage === 'lrs' ? this.#reporters : reported.clients;
    const clients: SourceStatus['clients'] = isSilent ? new Map() : named;
    this.#status = { ...reported, state, problem: state === 'down' ? reported.problem : null, clients };
    this.options.onStatus(this.#status);
  }

  onConfirmed(confirmation: Confirmation): void {
    if (this.#status === initialSourceStatus) return;
    confirmStatus(this.#status, confirmation);
    this.options.onStatus(this.#status);
  }

  onClosed(): void {
    this.#closing?.resolve();
  }

  /** The thread is gone, and with it the streams. What was accepted stays known, as after any broken stream. */
  onThreadLost(problem: Problem): void {
    const { sourceId, clock, vantage } = this.options;
    const base = { at: clock.now(), sourceId };
    const left = new Map<string, number>();
    for (const { opened } of this.#streams.values())
      left.set(opened.clientId, (left.get(opened.clientId) ?? 0) + 1);
    for (const [streamId, { opened, hadResponse }] of this.#streams) {
      const { clientId } = opened;
      const othersOpen = (left.get(clientId) ?? 1) - 1;
      left.set(clientId, othersOpen);
      const end = { code: 'INTERNAL', details: problem.message, hadResponse };
      this.#observe({
        ...{ kind: 'stream-closed', ...base, vantage: opened.vantage, clientId, streamId, ...end },
        ...(othersOpen > 0 && { othersOpen }),
      });
    }
    this.#streams.clear();
    this.#reporters.clear();
    this.options.onForgotten?.();
    if (this.isClosing) return;
    if (!this.#isPaused) this.#observe({ kind: 'source-down', ...base, vantage, problem });
    const failures = this.#status.failures + 1;
    this.onStatus({ ...this.#status, state: 'down', problem, clients: new Map(), failures });
  }

  #observe(observation: Observation): void {
    this.options.observe({ observation, bodies: [] });
  }

  #follow(observation: Observation): void {
    if (observation.kind === 'stream-opened') {
      const hadResponse = observation.vantage === 'lrs';
      this.#streams.set(observation.streamId, { opened: observation, hadResponse });
      if (hadResponse) this.#reporters.set(observation.clientId, observation.at);
    } else if (observation.kind === 'load-reported') {
      this.#reporters.set(observation.clientId, observation.at);
    } else if (observation.kind === 'stream-closed') {
      this.#streams.delete(observation.streamId);
      if ((observation.othersOpen ?? 0) === 0) this.#reporters.delete(observation.clientId);
    } else if (observation.kind === 'response-received') {
      const stream = this.#streams.get(observation.streamId);
      if (stream !== undefined) stream.hadResponse = true;
    }
  }
}
