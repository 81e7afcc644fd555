import { beforeEach, describe, expect, it } from 'vitest';
import type { FromHub } from '@/app/_stream/hub-messages';
import { type HubPort, StreamHub } from '@/app/_stream/stream-hub';
import type { StreamChange, StreamTopic } from '@/lib/api/stream';
import { notableEvent } from '../../support/fleet-fixtures';
import { FakeClock, FakeServer } from './fake-server-stream';

class Tab implements HubPort {
  readonly heard: FromHub[] = [];
  constructor(private readonly hub: StreamHub) {}

  post(message: FromHub): void {
    this.heard.push(message);
    if (message.kind === 'ping' && this.answersPings) this.hub.receive(this, { kind: 'pong' });
  }

  answersPings = true;

  want(...topics: StreamTopic[]): void {
    this.hub.receive(this, { kind: 'topics', topics });
  }

  /** What it heard since the last look, as short words. */
  take(): string[] {
    const words = this.heard.map((message) => {
      switch (message.kind) {
        case 'connection':
          return message.connection.kind;
        case 'fresh':
          return `fresh ${message.topics.join(',')}`;
        case 'changes':
          return message.changes.map(wordOf).join(' ');
        default:
          return message.kind;
      }
    });
    this.heard.length = 0;
    return words.filter((word) => word !== 'ping');
  }
}

const happened = (clientId: string): StreamChange => ({
  type: 'event',
  event: notableEvent({ clientId, text: clientId }),
});
const loaded = (clientId: string | null): StreamChange => ({ type: 'load', clientId });
const wordOf = (change: StreamChange) => {
  if (change.type === 'event') return `event:${change.event.text}`;
  return 'clientId' in change ? `${change.type}:${change.clientId}` : change.type;
};

describe('StreamHub', () => {
  let clock: FakeClock;
  let server: FakeServer;
  let hub: StreamHub;
  let a: Tab;
  let b: Tab;

  beforeEach(() => {
    clock = new FakeClock();
    server = new FakeServer();
    hub = new StreamHub(server.open, clock);
    a = new Tab(hub);
    b = new Tab(hub);
  });

  const hello = (revision: number, serverStartedAt = 'one') =>
    server.newest.onHello({ revision, serverStartedAt });

  it('opens one stream for the union of all tabs’ topics', () => {
    a.want('fleet', 'sources');
    b.want('fleet', 'load');
    clock.advance(50);
    expect(server.openTopics).toEqual(['fleet,load,sources']);
  });

  it('delivers to each tab only its topics', () => {
    a.want('fleet', 'client:y');
    b.want('load');
    clock.advance(50);
    hello(1);
    a.take();
    b.take();
    server.newest.onFrame({ revision: 2, changes: [happened('x'), loaded('y'), loaded('z'), loaded(null)] });
    expect(a.take()).toEqual(['event:x load:y']);
    expect(b.take()).toEqual(['load:null']);
  });

  it('marks topics as fresh when the stream carries them, because earlier changes were not received', () => {
    a.want('fleet');
    clock.advance(50);
    expect(a.take()).toEqual(['connecting']);
    hello(1);
    expect(a.take()).toEqual(['live', 'fresh fleet']);
    // Another tab with the same topic needs no new stream.
    b.want('fleet');
    expect(b.take()).toEqual(['live', 'fresh fleet']);
    clock.advance(50);
    expect(server.streams).toHaveLength(1);
  });

  it('replaces the stream by a wider one without losing or reordering a change', () => {
    a.want('fleet');
    clock.advance(50);
    hello(1);
    const first = server.newest;
    a.take();

    // 1. A second topic opens a second stream; the first goes on.
    a.want('fleet', 'load');
    clock.advance(50);
    expect(server.openTopics).toEqual(['fleet', 'fleet,load']);
    // 2. The second one is at revision 3, the first has delivered 1: what lies between comes on the first only.
    hello(3);
    server.newest.onFrame({ revision: 4, changes: [happened('four')] });
    expect(a.take()).toEqual([]);
    // 3. The first catches up: it is closed, and what waited follows.
    first.onFrame({ revision: 3, changes: [happened('three')] });
    expect(a.take()).toEqual(['event:three', 'fresh load', 'event:four']);
    expect(server.openTopics).toEqual(['fleet,load']);
  });

  it('does not wait for a silent old stream', () => {
    a.want('fleet');
    clock.advance(50);
    hello(1);
    a.want('fleet', 'load');
    clock.advance(50);
    hello(9);
    a.take();
    clock.advance(300);
    expect(a.take()).toEqual(['fresh load']);
    expect(server.openTopics).toEqual(['fleet,load']);
  });

  it('closes the stream when the last tab leaves', () => {
    a.want('fleet');
    clock.advance(50);
    hub.receive(a, { kind: 'bye' });
    clock.advance(50);
    expect(server.openTopics).toEqual([]);
  });

  it('does not reopen when a page leaves and the next one has the same topics', () => {
    a.want('fleet');
    clock.advance(50);
    hello(1);
    a.want();
    clock.advance(10);
    a.want('fleet');
    clock.advance(100);
    expect(server.streams).toHaveLength(1);
  });

  it('drops a tab that disappeared without a message, and accepts it again when it returns', () => {
    a.want('fleet');
    b.want('load');
    b.answersPings = false;
    clock.advance(50);
    hello(1);
    clock.advance(61_000);
    expect(server.openTopics.at(-1)).toBe('fleet');
    b.take();
    b.want('load');
    clock.advance(50);
    expect(server.openTopics.at(-1)).toBe('fleet,load');
    hello(1);
    expect(b.take()).toContain('fresh load');
  });

  it('reports reconnecting at once and disconnected after 5 s', () => {
    a.want('fleet');
    clock.advance(50);
    hello(1);
    a.take();
    server.newest.onBreak(true);
    expect(a.take()).toEqual(['reconnecting']);
    clock.advance(4_999);
    server.newest.onBreak(true);
    expect(a.take()).toEqual([]);
    clock.advance(1);
    expect(a.take()).toEqual(['disconnected']);
    hello(2);
    expect(a.take()).toEqual(['live']);
  });

  it('reopens with growing pauses when the browser gave up, and marks all topics as fresh', () => {
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
    hello(1);
    expect(a.take()).toEqual(['live', 'fresh fleet']);
  });

  it('resets all tabs when another server answers, or when the ring was too short', () => {
    a.want('fleet');
    clock.advance(50);
    hello(100);
    a.take();
    hello(1, 'two');
    expect(a.take()).toEqual(['reset']);
    server.newest.onReset();
    expect(a.take()).toEqual(['reset']);
  });

  it('replaces a silent stream, and reports it', () => {
    a.want('fleet');
    clock.advance(50);
    server.newest.onHello({ serverStartedAt: 'x', revision: 1 });
    a.take();
    clock.advance(39_000);
    server.newest.onHeartbeat();
    clock.advance(39_000);
    expect(a.take()).toEqual([]);
    clock.advance(1_000);
    expect(a.take()).toEqual(['reconnecting']);
    expect(server.streams).toHaveLength(2);
    expect(server.openTopics).toEqual(['fleet']);
    clock.advance(5_000);
    expect(a.heard.at(-1)).toEqual({
      kind: 'connection',
      connection: { kind: 'disconnected', since: 39_050 },
    });
    a.take();
    server.newest.onHello({ serverStartedAt: 'x', revision: 9 });
    expect(a.take()).toEqual(['live', 'fresh fleet']);
  });

  it('continues to reconnect while no server answers', () => {
    a.want('fleet');
    clock.advance(50);
    clock.advance(40_000);
    clock.advance(40_000);
    expect(server.streams).toHaveLength(3);
    expect(server.openTopics).toEqual(['fleet']);
  });
});
