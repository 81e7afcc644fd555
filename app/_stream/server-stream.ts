import type { StreamFrame, StreamHello, StreamTopic } from '@/lib/views/stream/schema';

export interface ServerStreamEvents {
  readonly onHello: (hello: StreamHello) => void;
  readonly onFrame: (frame: StreamFrame) => void;
  readonly onReset: () => void;
  readonly onHeartbeat: () => void;
  /** `retries`: the browser reconnects by itself; otherwise the stream has ended. */
  readonly onBreak: (retries: boolean) => void;
}

export interface ServerStream {
  close(): void;
}

export type OpenServerStream = (topics: readonly StreamTopic[], events: ServerStreamEvents) => ServerStream;

/** GET /api/v1/stream by EventSource, which resumes with Last-Event-ID after a break. */
export const openEventSource: OpenServerStream = (topics, events) => {
  const query = topics.map(encodeURIComponent).join(',');
  const source = new EventSource(`/api/v1/stream?topics=${query}`);
  source.addEventListener('hello', (event) => events.onHello(JSON.parse(event.data)));
  source.addEventListener('frame', (event) => events.onFrame(JSON.parse(event.data)));
  source.addEventListener('reset', () => events.onReset());
  source.addEventListener('heartbeat', () => events.onHeartbeat());
  source.addEventListener('error', () => events.onBreak(source.readyState !== EventSource.CLOSED));
  return { close: () => source.close() };
};
