import type { Observation, StreamOpened } from '@/lib/observation/observation';
import type { Clock, Emission, Observe } from '../../observe';
import type { RunningSource, SourceStatus } from '../../source-status';
import { OpenStreams } from './open-streams';

export interface ThreadedSourceOptions {
  readonly sourceId: string;
  readonly observe: Observe;
  readonly clock: Clock;
  /** Called after each change of `status`. */
  readonly onStatus: (status: SourceStatus) => void;
}

/** The main thread's side of a source that runs in another thread. */
export abstract class ThreadedSource<Options extends ThreadedSourceOptions> implements RunningSource {
  readonly #sendClose: () => void;

  protected readonly streams = new OpenStreams();
  #closing: { readonly done: Promise<void>; readonly resolve: () => void } | undefined;

  constructor(
    protected readonly options: Options,
    sendClose: () => void,
  ) {
    this.#sendClose = sendClose;
  }

  abstract get status(): SourceStatus;
  abstract start(): void;
  abstract pause(): void;
  abstract resume(): void;

  get isClosing(): boolean {
    return this.#closing !== undefined;
  }

  /** Resolves when the thread has closed the source, or has ended. */
  close(): Promise<void> {
    if (this.#closing === undefined) {
      let resolve = (): void => undefined;
      const done = new Promise<void>((settle) => {
        resolve = settle;
      });
      this.#closing = { done, resolve };
      this.#sendClose();
    }
    return this.#closing.done;
  }

  onClosed(): void {
    this.#closing?.resolve();
  }

  protected emit(observation: Observation, bodies: Emission['bodies'] = []): void {
    this.options.observe({ observation, bodies });
  }

  protected endStreams(code: string, details: string, isEnded?: (opened: StreamOpened) => boolean): void {
    for (const end of this.streams.end(this.options.clock.now(), { code, details }, isEnded)) this.emit(end);
  }
}

/** The open sources of a thread, each by a number that is never used twice. */
export class ThreadedSources<Source extends Pick<RunningSource, 'close'> & { onClosed(): void }> {
  readonly #open = new Map<number, Source>();
  #numbers = 0;

  get size(): number {
    return this.#open.size;
  }

  add(create: (number: number) => Source): Source {
    const number = ++this.#numbers;
    const source = create(number);
    this.#open.set(number, source);
    return source;
  }

  find(number: number): Source | undefined {
    return this.#open.get(number);
  }

  *[Symbol.iterator](): Generator<readonly [number: number, source: Source]> {
    yield* [...this.#open];
  }

  onClosed(number: number): void {
    this.#open.get(number)?.onClosed();
    this.#open.delete(number);
  }

  async close(): Promise<void> {
    await Promise.all([...this.#open.values()].map((source) => source.close()));
  }

  onAllClosed(): void {
    for (const [number] of this) this.onClosed(number);
  }
}
