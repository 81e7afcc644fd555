import type { ToHub } from './hub-messages';
import { openEventSource } from './server-stream';
import { browserClock, StreamHub } from './stream-hub';

const hub = new StreamHub(openEventSource, browserClock);

// The DOM types have no SharedWorkerGlobalScope.
addEventListener('connect', (event) => {
  if (!(event instanceof MessageEvent)) return;
  const [channel] = event.ports;
  if (channel === undefined) return;
  const port = { post: (message: unknown) => channel.postMessage(message) };
  channel.onmessage = ({ data }: MessageEvent<ToHub>) => hub.receive(port, data);
});
