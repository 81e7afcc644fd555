'use client';

import { notifyManager, QueryClient, QueryClientProvider, type QueryKey } from '@tanstack/react-query';
import { type ReactNode, useEffect, useMemo, useRef, useState } from 'react';
import { ApiError } from '@/app/_hooks/api-error';
import type { StreamTopic } from '@/lib/views/stream/schema';
import { holdNavigation } from './hold-navigation';
import type { ConnectionState, FromHub, ToHub } from './hub-messages';
import { Invalidator, isOfLoad } from './invalidator';
import { keysOf, keysOfTopic } from './notice-keys';
import { PressHold } from './press-hold';
import { openEventSource } from './server-stream';
import { browserClock, StreamHub } from './stream-hub';
import { LiveContext } from './use-live-stream';

/** Provides the query cache, which the stream keeps up to date, and the state of the connection. */
export function LiveProvider({ children }: { readonly children: ReactNode }) {
  const [queryClient] = useState(makeQueryClient);
  const [connection, setConnection] = useState<ConnectionState>({ kind: 'connecting', since: 0 });
  const hub = useRef<HubConnection | null>(null);
  const [topics] = useState(() => new TopicCounter((wanted) => hub.current?.setTopics(wanted)));

  useEffect(() => {
    const unheld = window.fetch;
    window.fetch = holdNavigation(unheld);
    return () => {
      window.fetch = unheld;
    };
  }, []);

  useEffect(() => {
    // All data that pages show comes through the query cache.
    const hold = new PressHold(window);
    notifyManager.setScheduler((flush) => setTimeout(() => hold.run(flush)));
    const unseen = new AbortController();
    const readAgain = async (queryKey: QueryKey) => {
      if (isOfLoad(queryKey)) await untilSeen(unseen.signal);
      return queryClient.invalidateQueries({ queryKey });
    };
    const invalidator = new Invalidator(readAgain, {
      now: () => performance.now(),
      setTimeout: (callback, delayMs) => void setTimeout(callback, delayMs),
    });
    const receive = (message: FromHub) => {
      switch (message.kind) {
        case 'connection':
          hold.run(() => setConnection(message.connection));
          return;
        case 'fresh':
          for (const topic of message.topics)
            for (const key of keysOfTopic(queryClient, topic)) invalidator.invalidate(key);
          return;
        case 'notices':
          for (const notice of message.notices)
            for (const key of keysOf(queryClient, notice))
              if (notice.endsWith('/settled')) invalidator.hurry(key);
              else invalidator.invalidate(key);
          return;
        case 'reset':
          void queryClient.invalidateQueries();
          return;
        case 'ping':
          return;
      }
    };
    const joined = connectHub(receive);
    hub.current = joined;
    topics.publish();
    return () => {
      hub.current = null;
      unseen.abort();
      joined.close();
    };
  }, [queryClient, topics]);

  const live = useMemo(
    () => ({ connection, subscribe: (wanted: Parameters<TopicCounter['add']>[0]) => topics.add(wanted) }),
    [connection, topics],
  );

  return (
    <QueryClientProvider client={queryClient}>
      <LiveContext value={live}>{children}</LiveContext>
    </QueryClientProvider>
  );
}

/** Resolves when the tab is visible, or when aborted. */
function untilSeen(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const look = () => {
      if (document.visibilityState === 'hidden' && !signal.aborted) return;
      document.removeEventListener('visibilitychange', look);
      signal.removeEventListener('abort', look);
      resolve();
    };
    document.addEventListener('visibilitychange', look);
    signal.addEventListener('abort', look);
    look();
  });
}

const retriesWithoutAnswer = 2;

/** The stream keeps data fresh, so focus does not reload it. */
function makeQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      mutations: { networkMode: 'always' },
      queries: {
        staleTime: 30_000,
        // A server on loopback is reachable offline as well.
        networkMode: 'always',
        refetchOnWindowFocus: false,
        refetchOnReconnect: false,
        retry: (failures, error) =>
          error instanceof ApiError && error.status === 0 && failures < retriesWithoutAnswer,
      },
    },
  });
}

const workerUrl = '/generated/stream-worker.js';

interface HubConnection {
  setTopics(topics: readonly StreamTopic[]): void;
  close(): void;
}

/** Joins the hub of the browser; without a SharedWorker the tab has its own hub. */
function connectHub(onMessage: (message: FromHub) => void): HubConnection {
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

/** The topics of all components of a tab, with reference counts. */
class TopicCounter {
  readonly #onChange: (topics: readonly StreamTopic[]) => void;
  readonly #counts = new Map<StreamTopic, number>();
  #isScheduled = false;

  constructor(onChange: (topics: readonly StreamTopic[]) => void) {
    this.#onChange = onChange;
  }

  /** Returns a function that removes the topics. */
  add(topics: readonly StreamTopic[]): () => void {
    for (const topic of topics) this.#counts.set(topic, (this.#counts.get(topic) ?? 0) + 1);
    this.publish();
    return () => {
      for (const topic of topics) {
        const count = (this.#counts.get(topic) ?? 0) - 1;
        if (count > 0) this.#counts.set(topic, count);
        else this.#counts.delete(topic);
      }
      this.publish();
    };
  }

  /** The effects of one render are combined into one message. */
  publish(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    queueMicrotask(() => {
      this.#isScheduled = false;
      this.#onChange([...this.#counts.keys()].sort());
    });
  }
}
