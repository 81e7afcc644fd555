import type { StreamFrame, StreamHello, StreamTopic } from '@/lib/api/stream';

export interface ServerStreamEvents {
  readonly onHello: (hello: StreamHello) => void;
  readonly onFrame: (frame: StreamFrame) => void;
  readonly onReset: () => void;
  readonly onHeartbeat: () => void;
  /** `retries`: the browser itself tries again; otherwise this stream is over. */
  readonly onBreak: (retries: boolean) => void;
}

export interface ServerStream {
  close(): void;
}

export type OpenServerStream = (topics: readonly StreamTopic[], events: ServerStreamEvents) => ServerStream;

/** GET /api/v1/stream over EventSource, which resumes after a break with Last-Event-ID by itself. */
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
