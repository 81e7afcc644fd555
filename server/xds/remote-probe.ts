import type { Observation, Problem, StreamOpened } from '@/lib/observation/observation';
import type { Clock, Observe, Sighting } from '../observe';
import { initialSourceStatus, type RunningSource, type SourceStatus } from '../source-status';
import { SharedStrings } from '../threads/shared-strings';
import type { ProbeCommand } from './probe-messages';
import type { ProbeSettings } from './probe-settings';
import type { XdsNode } from './xds-node';

export interface RemoteProbeOptions {
  readonly sourceId: string;
  readonly settings: ProbeSettings;
  readonly node: XdsNode;
  readonly observe: Observe;
  readonly clock: Clock;
  /** After each change of `status`. */
  readonly onStatus: (status: SourceStatus) => void;
}

interface OpenStream {
  readonly opened: StreamOpened;
  hadResponse: boolean;
}

/** A probe that runs in another thread, as a source of this one. */
export class RemoteProbe implements RunningSource {
  #status: SourceStatus = initialSourceStatus;
  #isStarted = false;
  #isPaused = false;
  readonly #strings = new SharedStrings();
  /** As far as they were told: the thread that knows may be gone. */
  readonly #streams = new Map<string, OpenStream>();
  #closing: { readonly done: Promise<void>; readonly resolve: () => void } | undefined;

  constructor(
    private readonly number: number,
    private readonly options: RemoteProbeOptions,
    private readonly send: (command: ProbeCommand) => void,
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
    if (!this.#isPaused) this.send({ kind: 'start', probe: this.number });
  }

  pause(): void {
    this.#isPaused = true;
    this.send({ kind: 'pause', probe: this.number });
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
      this.send({ kind: 'close', probe: this.number });
    }
    return this.#closing.done;
  }

  /** Makes it in the thread, which knows nothing of it: at first, and when there is a new thread. */
  open(): void {
    const { sourceId, settings, node } = this.options;
    this.send({ kind: 'open', probe: this.number, sourceId, settings, node });
    if (this.#isPaused) this.send({ kind: 'pause', probe: this.number });
    else if (this.#isStarted) this.send({ kind: 'start', probe: this.number });
  }

  onSighting(sighting: Sighting): void {
    this.#follow(sighting.observation);
    this.options.observe({ ...sighting, observation: this.#share(sighting.observation) });
  }

  /** Rows stay in memory, and are many. */
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

  /** What was told before a pause, or before its end, does not take it back. */
  onStatus(told: SourceStatus): void {
    const state = this.#isPaused ? 'paused' : told.state === 'paused' ? 'connecting' : told.state;
    const clients: SourceStatus['clients'] = this.#isPaused ? new Map() : told.clients;
    this.#status = { ...told, state, problem: state === 'down' ? told.problem : null, clients };
    this.options.onStatus(this.#status);
  }

  onClosed(): void {
    this.#closing?.resolve();
  }

  /** The thread is gone, and with it the streams. What was accepted stays known, as after any broken stream. */
  onThreadLost(problem: Problem): void {
    const { sourceId, clock } = this.options;
    const base = { at: clock.now(), vantage: 'probe', sourceId } as const;
    for (const [streamId, { opened, hadResponse }] of this.#streams) {
      const { clientId } = opened;
      const end = { code: 'INTERNAL', details: problem.message, hadResponse };
      this.#observe({ kind: 'stream-closed', ...base, clientId, streamId, ...end });
    }
    this.#streams.clear();
    if (this.isClosing) return;
    if (!this.#isPaused) this.#observe({ kind: 'source-down', ...base, problem });
    const failures = this.#status.failures + 1;
    this.onStatus({ ...this.#status, state: 'down', problem, clients: new Map(), failures });
  }

  #observe(observation: Observation): void {
    this.options.observe({ observation, bodies: [] });
  }

  #follow(observation: Observation): void {
    if (observation.kind === 'stream-opened') {
      this.#streams.set(observation.streamId, { opened: observation, hadResponse: false });
    } else if (observation.kind === 'stream-closed') {
      this.#streams.delete(observation.streamId);
    } else if (observation.kind === 'response-received') {
      const stream = this.#streams.get(observation.streamId);
      if (stream !== undefined) stream.hadResponse = true;
    }
  }
}
