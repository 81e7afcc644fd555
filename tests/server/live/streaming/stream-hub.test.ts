import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { StreamNotice, StreamTopic } from '@/lib/views/stream/schema';
import { StreamHub } from '@/server/live/streaming/stream-hub';
import { ManualClock } from '@/tests/support/recorder-manual-clock';

interface SseEvent {
  readonly event: string;
  readonly data: unknown;
}

/** Parses as WHATWG HTML 9.2.6 does, as far as this server writes it. */
function parseSse(text: string): SseEvent[] {
  return text
    .split('\n\n')
    .filter((block) => block !== '')
    .map((block) => {
      const [event = '', data = ''] = block.split('\n').map((line) => line.replace(/^\w+: /, ''));
      return { event, data: JSON.parse(data) };
    });
}

/** Reads a stream chunk by chunk, when the test asks. */
class SseReader {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  readonly #decoder = new TextDecoder();

  constructor(stream: ReadableStream<Uint8Array>) {
    this.#reader = stream.getReader();
  }

  /** The event of the next chunk. */
  async next(): Promise<SseEvent | undefined> {
    const { value } = await this.#reader.read();
    const [event] = value ? parseSse(this.#decoder.decode(value)) : [];
    return event;
  }

  async isAtEnd(): Promise<boolean> {
    return (await this.#reader.read()).done;
  }

  cancel(): Promise<void> {
    return this.#reader.cancel();
  }
}

let clock: ManualClock;
let hub: StreamHub;

beforeEach(() => {
  clock = new ManualClock();
  hub = new StreamHub({ clock });
});
afterEach(() => hub.close());

function subscribe(topics: StreamTopic[], signal = new AbortController().signal): SseReader {
  return new SseReader(hub.subscribe({ topics, signal }));
}

function publish(...notices: StreamNotice[]): void {
  for (const notice of notices) hub.publish(notice);
  clock.advance(100);
}

const noticed = (...notices: StreamNotice[]): SseEvent => ({ event: 'notices', data: notices });

describe('a subscription', () => {
  it('begins with hello, then gets what is published, once for all of 100 ms', async () => {
    const reader = subscribe(['fleet', 'client:a']);
    expect(await reader.next()).toEqual({
      event: 'hello',
      data: { serverStartedAt: Date.UTC(2026, 0, 1) },
    });
    hub.publish('client:a');
    clock.advance(60);
    hub.publish('fleet');
    hub.publish('client:a');
    clock.advance(40);
    expect(await reader.next()).toEqual(noticed('client:a', 'fleet'));
    expect(clock.waiting).toBe(1);
  });

  it('gets only its topics and their parts', async () => {
    const fleet = subscribe(['fleet']);
    const client = subscribe(['client:a', 'sources', 'client:a']);
    await Promise.all([fleet.next(), client.next()]);
    publish('client:b/load');
    publish('fleet/events', 'client:a/detail', 'client:ab', 'sources/imports', 'history');
    expect(await fleet.next()).toEqual(noticed('fleet/events'));
    expect(await client.next()).toEqual(noticed('client:a/detail', 'sources/imports'));
  });

  it('has a heartbeat', async () => {
    const reader = subscribe(['lab']);
    await reader.next();
    publish('fleet');
    clock.advance(15_000);
    expect(await reader.next()).toEqual({ event: 'heartbeat', data: {} });
    clock.advance(15_000);
    expect(await reader.next()).toEqual({ event: 'heartbeat', data: {} });
  });
});

describe('a slow reader', () => {
  /** Publishes until the queue of a reader that does not read is full. */
  function fillQueue(): void {
    const long: StreamTopic = `client:${'x'.repeat(40_000)}`;
    for (let count = 0; count < 5; count++) publish(long);
  }
  const long: StreamTopic = `client:${'x'.repeat(40_000)}`;

  it('gets each notice that it missed once when it reads again, and continues', async () => {
    const slow = subscribe(['fleet', 'issues', long]);
    fillQueue();
    for (let count = 0; count < 1_000; count++) publish('fleet', 'issues');
    clock.advance(600_000);
    // What was in its queue before it counted as slow.
    expect(await slow.next()).toMatchObject({ event: 'hello' });
    for (let count = 0; count < 2; count++) expect(await slow.next()).toEqual(noticed(long));
    expect(await slow.next()).toEqual(noticed(long, 'fleet', 'issues'));
    publish('fleet');
    expect(await slow.next()).toEqual(noticed('fleet'));
  });

  it('does not delay other readers', async () => {
    subscribe([long]);
    const fast = subscribe([long]);
    await fast.next();
    for (let count = 0; count < 10; count++) {
      publish(long);
      expect(await fast.next()).toEqual(noticed(long));
    }
  });
});

describe('a subscription ends', () => {
  const expectNobody = () => {
    expect(hub.hasSubscriber('fleet')).toBe(false);
  };

  it('by its signal', async () => {
    const controller = new AbortController();
    const reader = subscribe(['fleet'], controller.signal);
    await reader.next();
    expect(hub.hasSubscriber('fleet')).toBe(true);
    controller.abort();
    expect(await reader.isAtEnd()).toBe(true);
    expectNobody();
    expect(clock.waiting).toBe(0);
  });

  it('by cancelling its stream, and the signal after that is harmless', async () => {
    const controller = new AbortController();
    const reader = subscribe(['fleet'], controller.signal);
    hub.publish('fleet');
    await reader.cancel();
    controller.abort();
    publish('fleet');
    expectNobody();
  });

  it('at once when its signal was aborted before', async () => {
    const reader = subscribe(['fleet'], AbortSignal.abort());
    expect(await reader.isAtEnd()).toBe(true);
    expectNobody();
  });

  it('with the hub, and what comes after that is harmless', async () => {
    const controller = new AbortController();
    const reader = subscribe(['fleet'], controller.signal);
    await reader.next();
    hub.publish('fleet');
    hub.close();
    expect(await reader.isAtEnd()).toBe(true);
    controller.abort();
    hub.publish('fleet');
    hub.close();
    expect(clock.waiting).toBe(0);
    expect(await subscribe(['fleet']).isAtEnd()).toBe(true);
  });
});
