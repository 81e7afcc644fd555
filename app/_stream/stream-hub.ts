import { type StreamHello, type StreamNotice, type StreamTopic, topicOf } from '@/lib/views/stream/schema';
import type { EpochMs } from '@/lib/xds/units';
import type { ConnectionState, FromHub, ToHub } from './hub-messages';
import type { OpenServerStream, ServerStream } from './server-stream';

export interface HubPort {
  post(message: FromHub): void;
}

interface HubClock {
  now(): EpochMs;
  /** Returns a function that cancels it. */
  setTimeout(callback: () => void, delayMs: number): () => void;
}

export const browserClock: HubClock = {
  now: () => Date.now(),
  setTimeout(callback, delayMs) {
    const timer = setTimeout(callback, delayMs);
    return () => clearTimeout(timer);
  },
};

/** Tabs come and go in bursts, so the stream is reopened once per burst. */
const gatherTopicsMs = 50;
const disconnectedAfterMs = 5_000;
const pingEveryMs = 15_000;
/** Two unanswered pings. A sleeping tab rejoins when it wakes. */
const silentAfterMs = 40_000;
/** Two and a half missed heartbeats: the connection is half open. */
const deafAfterMs = 40_000;
const firstRetryMs = 1_000;
const slowestRetryMs = 10_000;

interface Tab {
  topics: ReadonlySet<StreamTopic>;
  lastMessageAt: EpochMs;
}

interface Link {
  readonly stream: ServerStream;
  readonly topics: ReadonlySet<StreamTopic>;
  /** Its hello has arrived, and it has not broken since: no notice of its topics is missed. */
  isWhole: boolean;
}

/**
 * One stream from the server for all tabs of a browser (over HTTP/1.1 a browser opens six connections, so that with
 * a stream for each the seventh tab would hang).
 *
 *     tab --topics--> hub --union of topics--> EventSource
 *     tab <--notices of its topics-- hub <--notices-- EventSource
 *
 * When the union changes, a second stream is opened, and the first goes on until the hello of the second, so that nothing is
 * missed. A notice that comes from both is harmless.
 */
export class StreamHub {
  readonly #open: OpenServerStream;
  readonly #clock: HubClock;
  readonly #tabs = new Map<HubPort, Tab>();
  #current: Link | undefined;
  /** A link for another union of topics, which has not taken over yet. */
  #next: Link | undefined;
  #connection: ConnectionState;
  #serverStartedAt: EpochMs | undefined;
  #retryMs = firstRetryMs;
  /** The time of the last message; undefined before the first. */
  #lastMessageAt: EpochMs | undefined;
  #cancelDeaf: (() => void) | undefined;
  #cancelGather: (() => void) | undefined;
  #cancelRetry: (() => void) | undefined;
  #cancelPing: (() => void) | undefined;
  #cancelVerdict: (() => void) | undefined;

  constructor(open: OpenServerStream, clock: HubClock) {
    this.#open = open;
    this.#clock = clock;
    this.#connection = { kind: 'connecting', since: clock.now() };
  }

  receive(port: HubPort, message: ToHub): void {
    switch (message.kind) {
      case 'topics': {
        const known = this.#tabs.get(port);
        const topics = new Set(message.topics);
        this.#tabs.set(port, { topics, lastMessageAt: this.#clock.now() });
        if (known === undefined) port.post({ kind: 'connection', connection: this.#connection });
        // Topics that the stream already carries are fresh at once; the others after it is reopened.
        this.#announce(
          port,
          [...topics].filter((topic) => known?.topics.has(topic) !== true),
        );
        this.#gather();
        this.#keepPinging();
        return;
      }
      case 'pong': {
        const tab = this.#tabs.get(port);
        if (tab !== undefined) tab.lastMessageAt = this.#clock.now();
        return;
      }
      case 'bye':
        this.#tabs.delete(port);
        this.#gather();
        return;
    }
  }

  #announce(port: HubPort, topics: readonly StreamTopic[]): void {
    const carried = topics.filter((topic) => this.#current?.topics.has(topic) === true);
    if (carried.length > 0) port.post({ kind: 'fresh', topics: carried });
  }

  #gather(): void {
    this.#cancelGather ??= this.#clock.setTimeout(() => {
      this.#cancelGather = undefined;
      this.#align();
    }, gatherTopicsMs);
  }

  /** Opens, reopens or closes the stream to match the topics of all tabs. */
  #align(): void {
    const wanted = new Set([...this.#tabs.values()].flatMap((tab) => [...tab.topics]));
    if (wanted.size === 0) {
      this.#closeAll();
      return;
    }
    const newest = this.#next ?? this.#current;
    if (newest !== undefined && isSame(newest.topics, wanted)) return;
    this.#dropNext();
    this.#openLink(wanted);
  }

  #openLink(topics: ReadonlySet<StreamTopic>): void {
    this.#cancelRetry?.();
    this.#cancelRetry = undefined;
    const link: Link = {
      topics,
      isWhole: false,
      stream: this.#open([...topics].sort(), {
        onHello: (hello) => {
          this.#noteMessage();
          this.#hello(link, hello);
        },
        onNotices: (notices) => {
          this.#noteMessage();
          this.#deliver(notices);
        },
        onHeartbeat: () => this.#noteMessage(),
        onBreak: (retries) => this.#broke(link, retries),
      }),
    };
    this.#next = link;
    this.#listen();
  }

  #noteMessage(): void {
    this.#lastMessageAt = this.#clock.now();
    this.#listen();
  }

  /** A vanished peer sends no FIN: after a long silence the stream is reopened. */
  #listen(): void {
    this.#cancelDeaf?.();
    this.#cancelDeaf = this.#clock.setTimeout(() => {
      this.#cancelDeaf = undefined;
      this.#setConnection('reconnecting');
      this.#closeAll();
      this.#align();
    }, deafAfterMs);
  }

  #hello(link: Link, hello: StreamHello): void {
    this.#retryMs = firstRetryMs;
    const isOtherServer =
      this.#serverStartedAt !== undefined && this.#serverStartedAt !== hello.serverStartedAt;
    this.#serverStartedAt = hello.serverStartedAt;
    this.#setConnection('live');
    const before = this.#current;
    const wasBroken = before?.isWhole === false;
    link.isWhole = true;
    if (link === this.#next) {
      this.#current = link;
      this.#next = undefined;
      before?.stream.close();
    }
    if (link !== this.#current) return;
    if (isOtherServer || wasBroken) this.#broadcast({ kind: 'reset' });
    const added = [...link.topics].filter((topic) => before?.topics.has(topic) !== true);
    for (const [port, tab] of this.#tabs)
      this.#announce(
        port,
        added.filter((topic) => tab.topics.has(topic)),
      );
  }

  #deliver(notices: readonly StreamNotice[]): void {
    for (const [port, tab] of this.#tabs) {
      const wanted = notices.filter((notice) => tab.topics.has(topicOf(notice)));
      if (wanted.length > 0) port.post({ kind: 'notices', notices: wanted });
    }
  }

  #broke(link: Link, retries: boolean): void {
    if (link !== this.#current && link !== this.#next) return;
    link.isWhole = false;
    this.#setConnection('reconnecting');
    if (retries) return;
    // The browser gave up on an answer that is not an event stream: a new EventSource has no Last-Event-ID.
    this.#closeAll();
    this.#cancelRetry = this.#clock.setTimeout(() => this.#align(), this.#retryMs);
    this.#retryMs = Math.min(slowestRetryMs, this.#retryMs * 2);
  }

  #setConnection(kind: 'live' | 'reconnecting'): void {
    const isBroken = this.#connection.kind === 'reconnecting' || this.#connection.kind === 'disconnected';
    if (this.#connection.kind === kind || (kind === 'reconnecting' && isBroken)) return;
    this.#cancelVerdict?.();
    this.#cancelVerdict = undefined;
    // The last message came before the break was noticed.
    const since = kind === 'live' ? this.#clock.now() : (this.#lastMessageAt ?? this.#clock.now());
    this.#publishConnection({ kind, since });
    if (kind === 'live') return;
    this.#cancelVerdict = this.#clock.setTimeout(
      () => this.#publishConnection({ kind: 'disconnected', since }),
      disconnectedAfterMs,
    );
  }

  #publishConnection(connection: ConnectionState): void {
    this.#connection = connection;
    this.#broadcast({ kind: 'connection', connection });
  }

  #keepPinging(): void {
    this.#cancelPing ??= this.#clock.setTimeout(() => {
      this.#cancelPing = undefined;
      const silentSince = this.#clock.now() - silentAfterMs;
      for (const [port, tab] of this.#tabs) {
        if (tab.lastMessageAt < silentSince) this.#tabs.delete(port);
        else port.post({ kind: 'ping' });
      }
      this.#gather();
      if (this.#tabs.size > 0) this.#keepPinging();
    }, pingEveryMs);
  }

  #broadcast(message: FromHub): void {
    for (const port of this.#tabs.keys()) port.post(message);
  }

  #dropNext(): void {
    this.#next?.stream.close();
    this.#next = undefined;
  }

  #dropCurrent(): void {
    this.#current?.stream.close();
    this.#current = undefined;
  }

  #closeAll(): void {
    this.#cancelDeaf?.();
    this.#cancelDeaf = undefined;
    this.#dropNext();
    this.#dropCurrent();
  }
}

function isSame(a: ReadonlySet<StreamTopic>, b: ReadonlySet<StreamTopic>): boolean {
  return a.size === b.size && [...a].every((topic) => b.has(topic));
}
