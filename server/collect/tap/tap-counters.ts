import type { Problem } from '@/lib/observation/observation';
import type { Clock } from '../../observe';

/** The status of a listener. Connections and streams are the open ones, the other counts are those of this process. */
export interface ListenerNews {
  /** The address; absent while the tap does not listen. */
  readonly address?: string | undefined;
  readonly listenProblem: Problem | null;
  /** The problem of the last connection to the server. */
  readonly upstreamProblem: Problem | null;
  readonly hasDialled: boolean;
  /** Problems of certificate files, and of the last failed handshake of a client. */
  readonly notes: readonly string[];
  readonly connections: number;
  readonly streams: number;
  readonly bytesUp: number;
  readonly bytesDown: number;
  readonly droppedMessages: number;
}

const newsEveryMs = 250;

/** Collects the counts of one listener, and reports them at most every 250 ms. */
export class TapCounters {
  readonly #clock: Clock;
  readonly #onNews: (news: ListenerNews) => void;

  #news: ListenerNews = {
    listenProblem: null,
    upstreamProblem: null,
    hasDialled: false,
    notes: [],
    connections: 0,
    streams: 0,
    bytesUp: 0,
    bytesDown: 0,
    droppedMessages: 0,
  };
  #bytesUp = 0;
  #bytesDown = 0;
  readonly #files: Record<'listen' | 'upstream', readonly string[]> = { listen: [], upstream: [] };
  #rejection = '';
  #timer: { cancel(): void } | undefined;
  #isClosed = false;

  constructor(clock: Clock, onNews: (news: ListenerNews) => void) {
    this.#clock = clock;
    this.#onNews = onNews;
  }

  listening(address: string | undefined, listenProblem: Problem | null): void {
    this.#change({ address, listenProblem });
    this.#publish();
  }

  dialled(upstreamProblem: Problem | null): void {
    const isNews = upstreamProblem?.message !== this.#news.upstreamProblem?.message;
    this.#change({ upstreamProblem, hasDialled: true });
    if (isNews) this.#publish();
  }

  files(side: 'listen' | 'upstream', problems: readonly string[]): void {
    this.#files[side] = problems;
    this.#changeNotes();
  }

  fileProblems(side: 'listen' | 'upstream'): readonly string[] {
    return this.#files[side];
  }

  rejected(rejection: string): void {
    this.#rejection = rejection;
    this.#changeNotes();
  }

  connections(change: 1 | -1): void {
    this.#change({ connections: this.#news.connections + change });
  }

  streams(change: 1 | -1): void {
    this.#change({ streams: this.#news.streams + change });
  }

  bytes(direction: 'up' | 'down', sizeBytes: number): void {
    if (direction === 'up') this.#bytesUp += sizeBytes;
    else this.#bytesDown += sizeBytes;
    this.#publishSoon();
  }

  dropped(messages: number): void {
    this.#change({ droppedMessages: this.#news.droppedMessages + messages });
  }

  close(): void {
    this.#isClosed = true;
    this.#timer?.cancel();
  }

  #changeNotes(): void {
    const { listen, upstream } = this.#files;
    const rejection = this.#rejection === '' ? [] : [this.#rejection];
    this.#change({ notes: [...listen, ...upstream.map((each) => `to the server: ${each}`), ...rejection] });
  }

  #change(change: Partial<ListenerNews>): void {
    this.#news = { ...this.#news, ...change };
    this.#publishSoon();
  }

  #publishSoon(): void {
    this.#timer ??= this.#clock.setTimeout(() => this.#publish(), newsEveryMs);
  }

  #publish(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    if (this.#isClosed) return;
    this.#news = { ...this.#news, bytesUp: this.#bytesUp, bytesDown: this.#bytesDown };
    this.#onNews(this.#news);
  }
}
