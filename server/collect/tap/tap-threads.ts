import { setImmediate as nextTurn } from 'node:timers/promises';
import { MessageChannel, type Worker } from 'node:worker_threads';
import type { Problem } from '@/lib/observation/observation';
import type { UserType } from '../../codec/codec';
import type { Clock } from '../../observe';
import { unpackBodies } from '../../packed-bodies';
import type { RunningSource } from '../../source-status';
import { ManagedWorker, sourceBackoff, type WorkerLoss } from '../../workers/managed-worker';
import { ThreadedSources } from '../../workers/threads/threaded-source';
import type { TapRecordingData } from './recording/tap-recording-worker';
import { RemoteTap, type RemoteTapOptions } from './remote-tap';
import type {
  RecordingCommand,
  RecordingNews,
  RelayCommand,
  RelayNews,
  TapProgramData,
} from './tap-messages';

interface TapThreadsOptions {
  readonly redactionKey: Uint8Array;
  readonly clock: Clock;
  /** Resolves when the recorder can accept more; see Recorder. */
  readonly keepPace: () => Promise<void>;
}

/**
 * Runs all taps in two threads. The relay thread does nothing else, so that neither pages nor recording delay a stream; the
 * recording thread emits observations for the copies. A thread that fails is restarted; streams outlive the recording thread.
 * A new one begins with what the log has of the clients, and what was missed in between is reported as a gap.
 */
export class TapThreads {
  readonly #options: TapThreadsOptions;
  readonly #taps = new ThreadedSources<RemoteTap>();
  /** The taps that are closed in the relay thread but not yet in the recording thread. */
  readonly #ending = new Set<number>();
  readonly #relay: ManagedWorker<RelayCommand, RelayNews>;
  readonly #recording: ManagedWorker<RecordingCommand, RecordingNews>;
  /** The taps that the recording thread knows. */
  readonly #introduced = new Set<number>();
  /** The recording thread knows the taps and clients, and can receive copies. */
  #isPrepared = false;
  #userTypes: readonly UserType[] | undefined;

  constructor(options: TapThreadsOptions) {
    this.#options = options;
    const { redactionKey, clock } = options;
    const data: TapRecordingData & TapProgramData = { role: 'recording', redactionKey };
    this.#relay = new ManagedWorker({
      program: { name: 'tap', data: { role: 'relay' } satisfies TapProgramData },
      ...{ clock, backoff: sourceBackoff },
      onMessage: (news) => this.#onRelayNews(news),
      onLost: (loss) => this.#onRelayLost(loss),
      onRestartDue: () => {
        this.#start();
        for (const [, tap] of this.#taps) tap.start();
      },
    });
    this.#recording = new ManagedWorker({
      program: { name: 'tap', data, maxHeapMb: 2_048 },
      ...{ clock, backoff: sourceBackoff },
      onMessage: (news) => this.#onRecordingNews(news),
      onLost: (loss) => this.#onRecordingLost(loss),
      onRestartDue: () => this.#start(),
    });
  }

  open(options: RemoteTapOptions): RunningSource {
    return this.#taps.add(
      (tap) =>
        new RemoteTap(options, {
          open: (settings) => {
            this.#start();
            for (const _ of this.#introduce(tap));
            this.#relay.post({ kind: 'open', tap, settings });
          },
          pause: () => this.#relay.post({ kind: 'pause', tap }),
          resume: () => this.#relay.post({ kind: 'resume', tap }),
          close: () => {
            if (!this.#relay.post({ kind: 'close', tap })) this.#close(tap);
          },
        }),
    );
  }

  /** Replaces the users' types. */
  setUserTypes(types: readonly UserType[]): void {
    this.#userTypes = types;
    this.#recording.post({ kind: 'types', types });
  }

  /** Tests make a thread fail through it. */
  get threads(): { readonly relay: Worker | undefined; readonly recording: Worker | undefined } {
    return { relay: this.#relay.thread, recording: this.#recording.thread };
  }

  async close(): Promise<void> {
    const closing = this.#taps.close();
    await Promise.all([this.#relay.close(closing), this.#recording.close(closing)]);
    this.#taps.onAllClosed();
  }

  #start(): void {
    const isNewRelay = this.#relay.start();
    const isNewRecording = this.#recording.start();
    if (isNewRecording) void this.#prepareRecording();
    else if (isNewRelay) this.#join();
  }

  /** Other work is done between the clients, each of which can have any number of rows. */
  async #prepareRecording(): Promise<void> {
    const { thread } = this.#recording;
    if (this.#userTypes !== undefined) this.#recording.post({ kind: 'types', types: this.#userTypes });
    for (const [tap, remote] of this.#taps) {
      for (const _ of this.#introduce(tap)) {
        await nextTurn();
        if (thread !== this.#recording.thread) return;
      }
      remote.onRecording(null);
    }
    this.#isPrepared = true;
    this.#join();
  }

  /** Hands over what is known of a tap, in steps, unless the recording thread has it. */
  *#introduce(tap: number): Generator<undefined> {
    const remote = this.#taps.find(tap);
    if (remote === undefined || this.#introduced.has(tap)) return;
    if (!this.#recording.post({ kind: 'tap', tap, sourceId: remote.sourceId })) return;
    this.#introduced.add(tap);
    for (const client of remote.recordedClients()) {
      this.#recording.post({ kind: 'client', tap, client });
      yield;
    }
  }

  #join(): void {
    if (!this.#relay.isRunning || !this.#isPrepared) return;
    const { port1, port2 } = new MessageChannel();
    this.#recording.post({ kind: 'copies', port: port1 }, [port1]);
    this.#relay.post({ kind: 'recorder', port: port2 }, [port2]);
  }

  #onRelayNews(news: RelayNews): void {
    if (news.kind === 'news') this.#taps.find(news.tap)?.onNews(news.news);
    else if (!this.#recording.isRunning) this.#close(news.tap);
    // Otherwise the tap is closed once the recording thread has reported everything, which may have happened already.
    else if (this.#taps.find(news.tap) !== undefined) this.#ending.add(news.tap);
  }

  #onRecordingNews(news: RecordingNews): void {
    if (news.kind === 'note') {
      this.#taps.find(news.tap)?.onNote(news.note);
      return;
    }
    if (news.kind === 'closed') this.#close(news.source);
    else this.#taps.find(news.source)?.onEmission(news.observation, unpackBodies(news.bodies));
    this.#recording.acknowledge({ kind: 'taken' }, this.#options.keepPace());
  }

  #close(tap: number): void {
    this.#ending.delete(tap);
    this.#taps.onClosed(tap);
  }

  #onRelayLost({ reason, restartMs }: WorkerLoss): void {
    const problem: Problem = {
      code: 'INTERNAL',
      message: `the thread of the taps failed: ${reason}`,
      hint: `They listen again in ${restartMs / 1000} s.`,
    };
    for (const [tap, remote] of this.#taps) {
      remote.onRelayLost(problem);
      if (remote.isClosing) this.#close(tap);
    }
  }

  #onRecordingLost({ reason, restartMs }: WorkerLoss): void {
    this.#introduced.clear();
    this.#isPrepared = false;
    this.#relay.post({ kind: 'recorder-lost' });
    for (const tap of [...this.#ending]) this.#close(tap);
    const problem: Problem = {
      code: 'INTERNAL',
      message: `the recording thread failed (${reason}) and restarts in ${restartMs / 1000} s; streams are still relayed`,
      hint: '',
    };
    for (const [, remote] of this.#taps) remote.onRecording(problem);
  }
}
