import type { OpenServerStream, ServerStreamEvents } from '@/app/_stream/server-stream';
import type { HubClock } from '@/app/_stream/stream-hub';
import type { StreamTopic } from '@/lib/api/stream';

/** Streams that a test opens, feeds and breaks by hand. */
export class FakeServer {
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

  /** Topics of the streams that are open, oldest first. */
  get openTopics(): string[] {
    return this.streams.filter(({ isOpen }) => isOpen).map(({ topics }) => topics.join(','));
  }

  get newest(): ServerStreamEvents {
    const stream = this.streams.at(-1);
    if (stream === undefined) throw new Error('no stream was opened');
    return stream.events;
  }
}

/** Time that passes when the test says so. */
export class FakeClock implements HubClock {
  private time = 0;
  private timers: { at: number; callback: () => void }[] = [];

  now(): number {
    return this.time;
  }

  setTimeout(callback: () => void, delayMs: number): () => void {
    const timer = { at: this.time + delayMs, callback };
    this.timers.push(timer);
    return () => {
      this.timers = this.timers.filter((other) => other !== timer);
    };
  }

  advance(ms: number): void {
    const end = this.time + ms;
    for (;;) {
      const [next] = this.timers.filter(({ at }) => at <= end).sort((a, b) => a.at - b.at);
      if (next === undefined) break;
      this.timers = this.timers.filter((timer) => timer !== next);
      this.time = next.at;
      next.callback();
    }
    this.time = end;
  }
}
