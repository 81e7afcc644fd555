import type { StreamHello, StreamNotice, StreamTopic } from '@/lib/views/stream/schema';

export interface ServerStreamEvents {
  /** Called again after each break from which the browser reconnected. */
  readonly onHello: (hello: StreamHello) => void;
  readonly onNotices: (notices: readonly StreamNotice[]) => void;
  readonly onHeartbeat: () => void;
  /** `retries`: the browser reconnects by itself; otherwise the stream has ended. */
  readonly onBreak: (retries: boolean) => void;
}

export interface ServerStream {
  close(): void;
}

export type OpenServerStream = (topics: readonly StreamTopic[], events: ServerStreamEvents) => ServerStream;

/** GET /api/v1/stream by EventSource. */
export const openEventSource: OpenServerStream = (topics, events) => {
  const query = topics.map(encodeURIComponent).join(',');
  const source = new EventSource(`/api/v1/stream?topics=${query}`);
  source.addEventListener('hello', (event) => events.onHello(JSON.parse(event.data)));
  source.addEventListener('notices', (event) => events.onNotices(JSON.parse(event.data)));
  source.addEventListener('heartbeat', () => events.onHeartbeat());
  source.addEventListener('error', () => events.onBreak(source.readyState !== EventSource.CLOSED));
  return { close: () => source.close() };
};
