import type { StreamTopic } from '@/lib/api/stream';
import type { FromHub, ToHub } from './hub-messages';
import { openEventSource } from './server-stream';
import { browserClock, StreamHub } from './stream-hub';

const workerUrl = '/generated/stream-worker.js';

export interface HubConnection {
  setTopics(topics: readonly StreamTopic[]): void;
  close(): void;
}

/** Joins the hub of the browser; without a SharedWorker the tab has its own hub. */
export function connectHub(onMessage: (message: FromHub) => void): HubConnection {
  let topics: readonly StreamTopic[] = [];
  const receive = (message: FromHub) => {
    if (message.kind === 'ping') send({ kind: 'pong' });
    else onMessage(message);
  };
  let send = joinWorker(receive, () => {
    send = ownHub(receive);
    send({ kind: 'topics', topics });
  });

  const leave = () => send({ kind: 'bye' });
  // The hub may have dropped a sleeping tab, and a tab of the back-forward cache has left.
  const rejoin = () => {
    if (document.visibilityState === 'visible' && topics.length > 0) send({ kind: 'topics', topics });
  };
  addEventListener('pagehide', leave);
  addEventListener('pageshow', rejoin);
  document.addEventListener('visibilitychange', rejoin);

  return {
    setTopics(wanted) {
      topics = wanted;
      send({ kind: 'topics', topics });
    },
    close() {
      removeEventListener('pagehide', leave);
      removeEventListener('pageshow', rejoin);
      document.removeEventListener('visibilitychange', rejoin);
      leave();
    },
  };
}

type Send = (message: ToHub) => void;

function joinWorker(receive: (message: FromHub) => void, onFailure: () => void): Send {
  if (typeof SharedWorker === 'undefined') return ownHub(receive);
  const worker = new SharedWorker(workerUrl, { name: 'xdscope stream' });
  worker.onerror = onFailure;
  worker.port.onmessage = ({ data }: MessageEvent<FromHub>) => receive(data);
  return (message) => worker.port.postMessage(message);
}

function ownHub(receive: (message: FromHub) => void): Send {
  const hub = new StreamHub(openEventSource, browserClock);
  const port = { post: receive };
  return (message) => hub.receive(port, message);
}
