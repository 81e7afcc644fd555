import { beforeEach, describe, expect, it } from 'vitest';
import type { FromHub } from '@/app/_stream/hub-messages';
import type { OpenServerStream, ServerStreamEvents } from '@/app/_stream/server-stream';
import { type HubPort, StreamHub } from '@/app/_stream/stream-hub';
import type { StreamTopic } from '@/lib/views/stream/schema';
import { ManualClock } from '../../support/recorder-manual-clock';

/** The test opens, feeds and closes its streams. */
class FakeServer {
  readonly streams: { topics: readonly StreamTopic[]; events: ServerStreamEvents; isOpen: boolean }[] = [];

  readonly open: OpenServerStream = (topics, events) => {
    const stream = { topics, events, isOpen: true };
    this.streams.push(stream);
    return {
      close() {
        stream.isOpen = false;
      },
    };
  };

  /** Topics of the open streams, oldest first. */
  get openTopics(): string[] {
    return this.streams.filter(({ isOpen }) => isOpen).map(({ topics }) => topics.join(','));
  }

  get newest(): ServerStreamEvents {
    const stream = this.streams.at(-1);
    if (stream === undefined) throw new Error('expected an open stream, got none');
    return stream.events;
  }
}

class Tab implements HubPort {
  readonly #hub: StreamHub;

  readonly received: FromHub[] = [];
  constructor(hub: StreamHub) {
    this.#hub = hub;
  }

  post(message: FromHub): void {
    this.received.push(message);
    if (message.kind === 'ping' && this.answersPings) this.#hub.receive(this, { kind: 'pong' });
  }

  answersPings = true;

  want(...topics: StreamTopic[]): void {
    this.#hub.receive(this, { kind: 'topics', topics });
  }

  /** A short text for each message since the last call. */
  take(): string[] {
    const summaries = this.received.map((message) => {
      switch (message.kind) {
        case 'connection':
          return message.connection.kind;
        case 'fresh':
          return `fresh ${message.topics.join(',')}`;
        case 'notices':
          return message.notices.join(' ');
        default:
          return message.kind;
      }
    });
    this.received.length = 0;
    return summaries.filter((summary) => summary !== 'ping');
  }
}

describe('StreamHub', () => {
  let clock: ManualClock;
  let server: FakeServer;
  let hub: StreamHub;
  let a: Tab;
  let b: Tab;

  beforeEach(() => {
    clock = new ManualClock(0);
    server = new FakeServer();
    hub = new StreamHub(server.open, {
      now: () => clock.now(),
      setTimeout: (callback, delayMs) => clock.setTimeout(callback, delayMs).cancel,
    });
    a = new Tab(hub);
    b = new Tab(hub);
  });

  const hello = (serverStartedAt = 1) => server.newest.onHello({ serverStartedAt });

  function openFleetStream(): void {
    a.want('fleet');
    clock.advance(50);
    hello();
    a.take();
  }

  it('opens one stream with the topics of all tabs', () => {
    a.want('fleet', 'sources');
    b.want('fleet', 'load');
    clock.advance(50);
    expect(server.openTopics).toEqual(['fleet,load,sources']);
  });

  it('sends each tab only notices of its topics', () => {
    a.want('fleet', 'client:y');
    b.want('load');
    clock.advance(50);
    hello();
    a.take();
    b.take();
    server.newest.onNotices(['fleet/events', 'client:y/load', 'client:z/load', 'load']);
    expect(a.take()).toEqual(['fleet/events client:y/load']);
    expect(b.take()).toEqual(['load']);
  });

  it('reports topics as fresh once the stream includes them, as earlier notices were missed', () => {
    a.want('fleet');
    clock.advance(50);
    expect(a.take()).toEqual(['connecting']);
    hello();
    expect(a.take()).toEqual(['live', 'fresh fleet']);
    // A second tab with the same topic needs no new stream.
    b.want('fleet');
    expect(b.take()).toEqual(['live', 'fresh fleet']);
    clock.advance(50);
    expect(server.streams).toHaveLength(1);
  });

  it('switches to a stream with more topics without losing a notice', () => {
    openFleetStream();
    const first = server.newest;
    // A second topic opens a second stream; the first goes on until the hello of the second.
    a.want('fleet', 'load');
    clock.advance(50);
    expect(server.openTopics).toEqual(['fleet', 'fleet,load']);
    first.onNotices(['fleet']);
    expect(a.take()).toEqual(['fleet']);
    hello();
    expect(a.take()).toEqual(['fresh load']);
    expect(server.openTopics).toEqual(['fleet,load']);
  });

  it('sends a reset when the stream that is replaced was broken', () => {
    openFleetStream();
    const first = server.newest;
    a.want('fleet', 'load');
    clock.advance(50);
    first.onBreak(true);
    hello();
    expect(a.take()).toEqual(['reconnecting', 'live', 'reset', 'fresh load']);
  });

  it('closes the stream when the last tab leaves', () => {
    a.want('fleet');
    clock.advance(50);
    hub.receive(a, { kind: 'bye' });
    clock.advance(50);
    expect(server.openTopics).toEqual([]);
  });

  it('keeps the stream when one page leaves and the next one has the same topics', () => {
    openFleetStream();
    a.want();
    clock.advance(10);
    a.want('fleet');
    clock.advance(100);
    expect(server.streams).toHaveLength(1);
  });

  it('drops a tab that answers no ping, and serves it again when it sends topics', () => {
    a.want('fleet');
    b.want('load');
    b.answersPings = false;
    clock.advance(50);
    hello();
    clock.advance(61_000);
    expect(server.openTopics.at(-1)).toBe('fleet');
    b.take();
    b.want('load');
    clock.advance(50);
    expect(server.openTopics.at(-1)).toBe('fleet,load');
    hello();
    expect(b.take()).toContain('fresh load');
  });

  it('reports reconnecting at once and disconnected after 5 s', () => {
    openFleetStream();
    server.newest.onBreak(true);
    expect(a.take()).toEqual(['reconnecting']);
    clock.advance(4_999);
    server.newest.onBreak(true);
    expect(a.take()).toEqual([]);
    clock.advance(1);
    expect(a.take()).toEqual(['disconnected']);
    hello();
    expect(a.take()).toEqual(['live', 'reset']);
  });

  it('reopens after 1 s, then 2 s, when the browser closed the stream, and reports all topics as fresh', () => {
    a.want('fleet');
    clock.advance(50);
    server.newest.onBreak(false);
    expect(server.openTopics).toEqual([]);
    clock.advance(1_000);
    expect(server.streams).toHaveLength(2);
    server.newest.onBreak(false);
    clock.advance(1_999);
    expect(server.streams).toHaveLength(2);
    clock.advance(1);
    expect(server.streams).toHaveLength(3);
    a.take();
    hello();
    expect(a.take()).toEqual(['live', 'fresh fleet']);
  });

  it('sends a reset after a break, and when the server restarted', () => {
    openFleetStream();
    server.newest.onBreak(true);
    hello();
    expect(a.take()).toEqual(['reconnecting', 'live', 'reset']);
    hello(2);
    expect(a.take()).toEqual(['reset']);
  });

  it('replaces a stream without a heartbeat for 40 s, and reports it', () => {
    openFleetStream();
    clock.advance(39_000);
    server.newest.onHeartbeat();
    clock.advance(39_000);
    expect(a.take()).toEqual([]);
    clock.advance(1_000);
    expect(a.take()).toEqual(['reconnecting']);
    expect(server.streams).toHaveLength(2);
    expect(server.openTopics).toEqual(['fleet']);
    clock.advance(5_000);
    expect(a.received.at(-1)).toEqual({
      kind: 'connection',
      connection: { kind: 'disconnected', since: 39_050 },
    });
    a.take();
    hello();
    expect(a.take()).toEqual(['live', 'fresh fleet']);
  });

  it('reopens the stream while the server doesn’t answer', () => {
    a.want('fleet');
    clock.advance(50);
    clock.advance(40_000);
    clock.advance(40_000);
    expect(server.streams).toHaveLength(3);
    expect(server.openTopics).toEqual(['fleet']);
  });
});
