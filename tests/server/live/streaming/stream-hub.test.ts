import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { StreamChange, StreamTopic } from '@/lib/views/stream/schema';
import { createStreamHub, type StreamHub } from '@/server/live/streaming/stream-hub';
import {
  clientChange,
  eventChange,
  rowOf,
  rowsChange,
  sourceChange,
} from '@/tests/support/builders/stream-changes';
import { ManualClock } from '@/tests/support/recorder-manual-clock';

/** One server-sent event, or an id that came without data. */
interface SseEvent {
  readonly event: string;
  readonly id: string;
  readonly data: string;
}

/** Parses as WHATWG HTML 9.2.6 does, as far as this server writes it. Comments are left out. */
function parseSse(text: string): SseEvent[] {
  return text
    .split('\n\n')
    .filter((block) => block !== '')
    .map((block) => {
      const fields = new Map<string, string>();
      for (const line of block.split('\n')) {
        const colon = line.indexOf(':');
        if (colon > 0) fields.set(line.slice(0, colon), line.slice(colon + 1).replace(/^ /, ''));
      }
      return { event: fields.get('event') ?? '', id: fields.get('id') ?? '', data: fields.get('data') ?? '' };
    });
}

/** Reads a stream chunk by chunk, when the test asks. */
class SseReader {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  readonly #decoder = new TextDecoder();

  constructor(stream: ReadableStream<Uint8Array>) {
    this.#reader = stream.getReader();
  }

  /** The events of the next chunk; the hub writes whole events. Empty at the end. */
  async next(): Promise<SseEvent[]> {
    const { value } = await this.#reader.read();
    return value ? parseSse(this.#decoder.decode(value)) : [];
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
  hub = createStreamHub({ clock, ringFrames: 50 });
});
afterEach(() => hub.close());

function subscribe(
  topics: StreamTopic[],
  lastEventId?: string,
  signal = new AbortController().signal,
): SseReader {
  return new SseReader(hub.subscribe({ topics, lastEventId, signal }));
}

function publish(...changes: StreamChange[]): void {
  for (const change of changes) hub.publish(change);
  clock.advance(33);
}

describe('a subscription', () => {
  it('begins with hello, then gets what is published as frames', async () => {
    const reader = subscribe(['fleet', 'client:a', 'client:b']);
    const [hello] = await reader.next();
    expect(hello).toMatchObject({ event: 'hello', id: expect.stringMatching(/^[0-9a-f]+-0$/) });
    expect(JSON.parse(hello?.data ?? '')).toEqual({
      revision: 0,
      serverStartedAt: Date.UTC(2026, 0, 1),
    });
    publish(clientChange('a'));
    const [frame] = await reader.next();
    expect(frame).toMatchObject({ event: 'frame', id: expect.stringMatching(/^[0-9a-f]+-1$/) });
    expect(JSON.parse(frame?.data ?? '')).toEqual({ revision: 1, changes: [clientChange('a')] });
  });

  it('gets one frame for all of 33 ms, coalesced', async () => {
    const reader = subscribe(['fleet', 'client:a', 'client:b']);
    await reader.next();
    hub.publish(clientChange('a', 1));
    clock.advance(20);
    hub.publish(clientChange('a', 2));
    hub.publish(eventChange(1));
    clock.advance(13);
    expect(changesOf(await reader.next())).toEqual([clientChange('a', 2), eventChange(1)]);
    expect(clock.waiting).toBe(1);
  });

  it('gets only its topics and its client', async () => {
    const fleet = subscribe(['fleet']);
    const client = subscribe(['client:a', 'sources', 'client:a']);
    await Promise.all([fleet.next(), client.next()]);
    publish(rowsChange('b', [rowOf('x')]));
    publish(
      { type: 'fleet' },
      clientChange('a'),
      rowsChange('a', [rowOf('x')]),
      sourceChange('s'),
      rowsChange('b', [rowOf('y')]),
    );
    expect(changesOf(await fleet.next())).toEqual([{ type: 'fleet' }]);
    expect(changesOf(await client.next())).toEqual([
      clientChange('a'),
      rowsChange('a', [rowOf('x')]),
      sourceChange('s'),
    ]);
  });

  it('shares the bytes of a frame with all readers of the same topics', async () => {
    const streams = [1, 2, 3].map(() =>
      hub.subscribe({ topics: ['fleet', 'client:a'], signal: new AbortController().signal }).getReader(),
    );
    for (const reader of streams) await reader.read();
    publish(clientChange('a'));
    const chunks = await Promise.all(streams.map(async (reader) => (await reader.read()).value));
    expect(chunks[1]).toBe(chunks[0]);
    expect(chunks[2]).toBe(chunks[0]);
  });

  it('is not broken by a name of a peer', async () => {
    const reader = subscribe(['fleet', 'client:a', 'client:b']);
    await reader.next();
    const hostile = 'x\n\ndata: {"a":1}\r\nevent: reset\n\n\u2028\u0000';
    publish(eventChange(1, hostile));
    const events = await reader.next();
    expect(events).toHaveLength(1);
    expect(changesOf(events)).toEqual([eventChange(1, hostile)]);
  });

  it('has a heartbeat that advances the id of a quiet topic', async () => {
    const reader = subscribe(['lab']);
    const [hello] = await reader.next();
    publish(clientChange('a'));
    clock.advance(15_000);
    expect(await reader.next()).toEqual([
      { event: 'heartbeat', id: hello?.id.replace(/-0$/, '-1'), data: '{"revision":1}' },
    ]);
    clock.advance(15_000);
    expect(await reader.next()).toHaveLength(1);
  });
});

describe('a browser that comes back', () => {
  it('gets the missed changes in one frame, and continues', async () => {
    const first = subscribe(['fleet', 'client:a', 'client:b']);
    await first.next();
    publish(clientChange('a', 1));
    const [seen] = await first.next();
    await first.cancel();
    publish(clientChange('a', 2), sourceChange('s'));
    publish(clientChange('a', 3), eventChange(1));
    const second = subscribe(['fleet', 'client:a', 'client:b'], seen?.id);
    const [hello] = await second.next();
    expect(hello).toMatchObject({ event: 'hello', id: seen?.id });
    const [frame] = await second.next();
    expect(frame?.id).toMatch(/-3$/);
    expect(changesOf(frame ? [frame] : [])).toEqual([clientChange('a', 3), eventChange(1)]);
    publish(clientChange('b'));
    expect(changesOf(await second.next())).toEqual([clientChange('b')]);
  });

  it('gets nothing but hello when it missed nothing', async () => {
    const first = subscribe(['fleet', 'client:a', 'client:b']);
    const [hello] = await first.next();
    const second = subscribe(['fleet', 'client:a', 'client:b'], hello?.id);
    expect(await second.next()).toEqual([hello]);
    publish(clientChange('a'));
    expect(changesOf(await second.next())).toEqual([clientChange('a')]);
  });

  it('receives a reset when the ring no longer holds what it missed', async () => {
    const first = subscribe(['fleet', 'client:a', 'client:b']);
    const [hello] = await first.next();
    for (let seq = 0; seq < 51; seq++) publish(eventChange(seq));
    const second = subscribe(['fleet', 'client:a', 'client:b'], hello?.id);
    expect(await eventNames(second, 2)).toEqual(['hello', 'reset']);
    publish(clientChange('a'));
    expect(changesOf(await second.next())).toEqual([clientChange('a')]);
  });

  it.each(['', 'x', '0-0', 'abcdef012345-1', '-1', '9'.repeat(1000), 'é-1', '1-1e3'])(
    'is reported so too for an id of another life of the server, or none of ours (%j)',
    async (lastEventId) => {
      expect(await eventNames(subscribe(['fleet', 'client:a', 'client:b'], lastEventId), 2)).toEqual([
        'hello',
        'reset',
      ]);
    },
  );

  it('receives a reset for a future revision', async () => {
    const [hello] = await subscribe(['fleet', 'client:a', 'client:b']).next();
    const future = hello?.id.replace(/-0$/, '-7');
    expect(await eventNames(subscribe(['fleet', 'client:a', 'client:b'], future), 2)).toEqual([
      'hello',
      'reset',
    ]);
  });
});

describe('a slow reader', () => {
  const large = 'x'.repeat(40_000);

  it('gets the missed changes coalesced into one frame when it reads again', async () => {
    const slow = subscribe(['fleet', 'client:a', 'client:b']);
    for (let seq = 1; seq <= 3; seq++) publish(clientChange('a', seq), eventChange(seq, large));
    for (let trouble = 4; trouble <= 40; trouble++) publish(clientChange('a', trouble));
    publish(eventChange(4));
    // The frames that were in its queue before it counted as slow: hello and two frames of 40 kB.
    expect(await eventNames(slow, 3)).toEqual(['hello', 'frame', 'frame']);
    const [caughtUp] = await slow.next();
    expect(caughtUp?.id).toMatch(/-41$/);
    expect(changesOf(caughtUp ? [caughtUp] : [])).toEqual([
      clientChange('a', 40),
      eventChange(3, large),
      eventChange(4),
    ]);
    publish(clientChange('b'));
    expect(changesOf(await slow.next())).toEqual([clientChange('b')]);
  });

  it('receives a reset after a long pause, and continues', async () => {
    const slow = subscribe(['fleet', 'client:a', 'client:b']);
    for (let seq = 1; seq <= 60; seq++) publish(eventChange(seq, large));
    expect(await eventNames(slow, 4)).toEqual(['hello', 'frame', 'frame', 'reset']);
    publish(clientChange('b'));
    expect(changesOf(await slow.next())).toEqual([clientChange('b')]);
  });

  it('costs nothing more while it does not read, heartbeats included', async () => {
    const stream = hub.subscribe({ topics: ['fleet', 'client:a'], signal: new AbortController().signal });
    for (let seq = 1; seq <= 500; seq++) publish(eventChange(seq, large));
    clock.advance(600_000);
    let bytes = 0;
    const reader = stream.getReader();
    // Three in the queue (hello, two frames); the fourth is made when there is room.
    for (let chunk = 0; chunk < 3; chunk++) bytes += (await reader.read()).value?.byteLength ?? 0;
    expect(bytes).toBeLessThan(100_000);
  });

  it('does not delay other readers', async () => {
    subscribe(['fleet', 'client:a', 'client:b']);
    const fast = subscribe(['fleet', 'client:a', 'client:b']);
    await fast.next();
    for (let seq = 1; seq <= 10; seq++) {
      publish(eventChange(seq, large));
      expect(changesOf(await fast.next())).toEqual([eventChange(seq, large)]);
    }
  });
});

describe('a subscription ends', () => {
  it('by its signal', async () => {
    const controller = new AbortController();
    const reader = subscribe(['fleet', 'client:a', 'client:b'], undefined, controller.signal);
    await reader.next();
    controller.abort();
    expect(await reader.isAtEnd()).toBe(true);
    expect(hub.subscribers()).toBe(0);
    expect(hub.hasSubscriber('fleet')).toBe(false);
    expect(clock.waiting).toBe(0);
  });

  it('by cancelling its stream, and the signal after that is harmless', async () => {
    const controller = new AbortController();
    const reader = subscribe(['fleet', 'client:a', 'client:b'], undefined, controller.signal);
    await reader.cancel();
    controller.abort();
    publish(clientChange('a'));
    expect(hub.subscribers()).toBe(0);
    expect(hub.hasSubscriber('fleet')).toBe(false);
  });

  it('at once when its signal was aborted before', async () => {
    const reader = subscribe(['fleet', 'client:a', 'client:b'], undefined, AbortSignal.abort());
    expect(await reader.isAtEnd()).toBe(true);
    expect(hub.subscribers()).toBe(0);
    expect(hub.hasSubscriber('fleet')).toBe(false);
  });

  it('with the hub, and what comes after that is harmless', async () => {
    const controller = new AbortController();
    const reader = subscribe(['fleet', 'client:a', 'client:b'], undefined, controller.signal);
    await reader.next();
    hub.publish(clientChange('a'));
    hub.close();
    expect(await reader.isAtEnd()).toBe(true);
    controller.abort();
    hub.publish(clientChange('b'));
    hub.close();
    expect(clock.waiting).toBe(0);
    expect(await subscribe(['fleet', 'client:a', 'client:b']).isAtEnd()).toBe(true);
  });
});

function changesOf(events: readonly { data: string }[]): StreamChange[] {
  return events.flatMap(({ data }) => JSON.parse(data).changes);
}

async function eventNames(reader: SseReader, chunks: number): Promise<string[]> {
  const names: string[] = [];
  for (let chunk = 0; chunk < chunks; chunk++) names.push(...(await reader.next()).map(({ event }) => event));
  return names;
}
