import { MessageChannel, Worker } from 'node:worker_threads';
import type { Problem } from '@/lib/observation/observation';
import type { UserType } from '../codec/codec';
import type { Clock } from '../observe';
import { builtProgram } from '../project-root';
import type { RunningSource } from '../source-status';
import { unpackBodies } from '../threads/source-messages';
import type { TapRecordingData } from './recording/tap-recording-worker';
import { RemoteTap, type RemoteTapOptions } from './remote-tap';
import type { RecordingCommand, RecordingNews, RelayCommand, RelayNews } from './tap-messages';

export interface TapThreadsOptions {
  readonly redactionKey: Uint8Array;
  readonly clock: Clock;
  /** See Recorder. */
  readonly keepPace: () => Promise<void>;
  /** Paths of the workers' programs; the built ones by default. */
  readonly programs?: { readonly relay: string; readonly recording: string };
}

const firstRestartMs = 500;
const maxRestartMs = 30_000;
const closeTimeoutMs = 5_000;

/**
 * All taps of this process in two threads: one relays and does nothing else, so that neither pages nor recording delay
 * a stream; the other makes observations of the copies. Each begins anew when it ends by itself: the streams outlive the
 * one that records, and what it missed is reported as a gap.
 */
export class TapThreads {
  readonly #taps = new Map<number, RemoteTap>();
  /** They relay no more, and are closed when all that passed them is reported. */
  readonly #ending = new Set<number>();
  #numbers = 0;
  #relay: Worker | undefined;
  #recording: Worker | undefined;
  #userTypes: readonly UserType[] | undefined;
  readonly #restarts = { relay: new Restart(), recording: new Restart() };
  #isClosed = false;

  constructor(private readonly options: TapThreadsOptions) {}

  open(options: RemoteTapOptions): RunningSource {
    const tap = ++this.#numbers;
    const { sourceId } = options;
    const remote: RemoteTap = new RemoteTap(options, {
      open: (settings) => {
        this.#start();
        this.#tellRecording({ kind: 'tap', tap, sourceId });
        this.#tellRelay({ kind: 'open', tap, settings });
      },
      pause: () => this.#tellRelay({ kind: 'pause', tap }),
      resume: () => this.#tellRelay({ kind: 'resume', tap }),
      close: () => {
        if (this.#relay === undefined) this.#close(tap);
        else this.#tellRelay({ kind: 'close', tap });
      },
    });
    this.#taps.set(tap, remote);
    return remote;
  }

  /** From now on these types of users are known, and no others. */
  setUserTypes(types: readonly UserType[]): void {
    this.#userTypes = types;
    this.#tellRecording({ kind: 'types', types });
  }

  /** For a test: what happens when one of them ends by itself. */
  get threads(): { readonly relay: Worker | undefined; readonly recording: Worker | undefined } {
    return { relay: this.#relay, recording: this.#recording };
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const restart of Object.values(this.#restarts)) restart.cancel();
    const closing = Promise.all([...this.#taps.values()].map((tap) => tap.close()));
    let timer: { cancel(): void } | undefined;
    const timeout = new Promise<void>((resolve) => {
      timer = this.options.clock.setTimeout(resolve, closeTimeoutMs);
    });
    await Promise.race([closing, timeout]);
    timer?.cancel();
    const workers = [this.#relay, this.#recording];
    this.#relay = undefined;
    this.#recording = undefined;
    await Promise.all(workers.map((worker) => worker?.terminate()));
    for (const tap of this.#taps.values()) tap.onClosed();
    this.#taps.clear();
  }

  #start(): void {
    if (this.#isClosed) return;
    const isNew = this.#relay === undefined || this.#recording === undefined;
    if (this.#relay === undefined && !this.#restarts.relay.isWaiting) this.#startRelay();
    if (this.#recording === undefined && !this.#restarts.recording.isWaiting) this.#startRecording();
    if (isNew) this.#join();
  }

  #startRelay(): void {
    const { programs, clock } = this.options;
    const worker = new Worker(programs?.relay ?? builtProgram('tap-relay-worker'), {
      name: 'tap-relay-worker',
    });
    this.#relay = worker;
    this.#restarts.relay.begun(clock.now());
    worker.on('message', (news: RelayNews) => {
      if (worker !== this.#relay) return;
      if (news.kind === 'news') this.#taps.get(news.tap)?.onNews(news.news);
      else if (this.#recording === undefined) this.#close(news.tap);
      // Else when what passed it is recorded, its last word too; that may be so already.
      else if (this.#taps.has(news.tap)) this.#ending.add(news.tap);
    });
    worker.on('error', (error) => this.#onRelayLost(worker, error.message));
    worker.on('exit', (code) => this.#onRelayLost(worker, `it ended with ${code}`));
  }

  #startRecording(): void {
    const { programs, redactionKey, clock } = this.options;
    const workerData: TapRecordingData = { redactionKey };
    const program = programs?.recording ?? builtProgram('tap-recording-worker');
    const worker = new Worker(program, {
      name: 'tap-recording-worker',
      workerData,
      resourceLimits: { maxOldGenerationSizeMb: 2_048 },
    });
    this.#recording = worker;
    this.#restarts.recording.begun(clock.now());
    worker.on('message', (news: RecordingNews) => {
      if (worker === this.#recording) this.#take(news, worker);
    });
    worker.on('error', (error) => this.#onRecordingLost(worker, error.message));
    worker.on('exit', (code) => this.#onRecordingLost(worker, `it ended with ${code}`));
    if (this.#userTypes !== undefined) this.#tellRecording({ kind: 'types', types: this.#userTypes });
  }

  /** Copies go from the one to the other, past this thread. */
  #join(): void {
    if (this.#relay === undefined || this.#recording === undefined) return;
    const { port1, port2 } = new MessageChannel();
    this.#recording.postMessage({ kind: 'copies', port: port1 } satisfies RecordingCommand, [port1]);
    this.#relay.postMessage({ kind: 'recorder', port: port2 } satisfies RelayCommand, [port2]);
  }

  #tellRelay(command: RelayCommand): void {
    this.#relay?.postMessage(command);
  }

  #tellRecording(command: RecordingCommand): void {
    this.#recording?.postMessage(command);
  }

  #take(news: RecordingNews, worker: Worker): void {
    if (news.kind === 'note') {
      this.#taps.get(news.tap)?.onNote(news.note);
      return;
    }
    if (news.kind === 'tap-closed') {
      this.#close(news.tap);
      return;
    }
    const bodies = unpackBodies(news.bodies);
    let from = 0;
    for (const { tap, observation, bodies: count } of news.emissions) {
      this.#taps.get(tap)?.onEmission(observation, bodies.slice(from, from + count));
      from += count;
    }
    void this.#acknowledge(worker);
  }

  /** In another turn of the event loop: what waits there comes first. */
  async #acknowledge(worker: Worker): Promise<void> {
    await this.options.keepPace();
    setImmediate(() => {
      if (worker === this.#recording) this.#tellRecording({ kind: 'taken' });
    });
  }

  #close(tap: number): void {
    this.#ending.delete(tap);
    this.#taps.get(tap)?.onClosed();
    this.#taps.delete(tap);
  }

  #onRelayLost(worker: Worker, reason: string): void {
    if (worker !== this.#relay) return;
    this.#relay = undefined;
    const inMs = this.#restarts.relay.wait(this.options.clock, () => {
      this.#startRelay();
      this.#join();
      for (const remote of this.#taps.values()) remote.start();
    });
    const problem: Problem = {
      code: 'INTERNAL',
      message: `the thread of the taps failed: ${reason}`,
      hint: `They listen again in ${inMs / 1000} s.`,
    };
    for (const [tap, remote] of this.#taps) {
      remote.onRelayLost(problem);
      if (remote.isClosing) this.#close(tap);
    }
  }

  #onRecordingLost(worker: Worker, reason: string): void {
    if (worker !== this.#recording) return;
    this.#recording = undefined;
    this.#tellRelay({ kind: 'recorder-lost' });
    for (const tap of [...this.#ending]) this.#close(tap);
    const inMs = this.#restarts.recording.wait(this.options.clock, () => {
      this.#startRecording();
      for (const [tap, remote] of this.#taps) {
        this.#tellRecording({ kind: 'tap', tap, sourceId: remote.sourceId });
        for (const [streamId, speaker] of remote.speakers) {
          this.#tellRecording({ kind: 'known', streamId, speaker });
        }
        remote.onRecording(null);
      }
      this.#join();
    });
    const problem: Problem = {
      code: 'INTERNAL',
      message: `what records failed (${reason}), and begins anew in ${inMs / 1000} s; streams pass as before`,
      hint: '',
    };
    for (const remote of this.#taps.values()) remote.onRecording(problem);
  }
}

/** Longer from time to time, while it goes on. */
class Restart {
  #delayMs = firstRestartMs;
  #timer: { cancel(): void } | undefined;
  #begunAt = 0;

  get isWaiting(): boolean {
    return this.#timer !== undefined;
  }

  begun(at: number): void {
    this.#begunAt = at;
  }

  wait(clock: Clock, restart: () => void): number {
    if (clock.now() - this.#begunAt > maxRestartMs) this.#delayMs = firstRestartMs;
    const inMs = this.#delayMs;
    this.#delayMs = Math.min(inMs * 2, maxRestartMs);
    this.#timer = clock.setTimeout(() => {
      this.#timer = undefined;
      restart();
    }, inMs);
    return inMs;
  }

  cancel(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
  }
}
