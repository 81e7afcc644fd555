'use client';

import { QueryClientProvider, type QueryKey } from '@tanstack/react-query';
import { type ReactNode, useEffect, useMemo, useRef, useState } from 'react';
import type { StreamChange } from '@/lib/api/stream';
import { applyChanges, keysOfEndedImports } from './apply-change';
import { ChangeGatherer } from './change-gatherer';
import { connectHub, type HubConnection } from './connect-hub';
import type { ConnectionState } from './connection-state';
import { FetchOverlap } from './fetch-overlap';
import type { FromHub } from './hub-messages';
import { Invalidator, isOfLoad } from './invalidator';
import { LiveContext } from './live-context';
import { makeQueryClient } from './make-query-client';
import { TopicCounter } from './topic-counter';
import { findTopicKeys } from './topic-keys';
import { untilSeen } from './until-seen';

/** The query cache, kept up to date by the stream; and whether it is. */
export function LiveProvider({ children }: { readonly children: ReactNode }) {
  const [queryClient] = useState(makeQueryClient);
  const [connection, setConnection] = useState<ConnectionState>({ kind: 'connecting', since: 0 });
  const hub = useRef<HubConnection | null>(null);
  const [topics] = useState(() => new TopicCounter((wanted) => hub.current?.setTopics(wanted)));

  useEffect(() => {
    const unseen = new AbortController();
    const readAgain = async (queryKey: QueryKey) => {
      if (isOfLoad(queryKey)) await untilSeen(unseen.signal);
      return queryClient.invalidateQueries({ queryKey });
    };
    const invalidator = new Invalidator(readAgain, {
      now: () => performance.now(),
      setTimeout: (callback, delayMs) => void setTimeout(callback, delayMs),
    });
    const apply = (changes: readonly StreamChange[]) => {
      const ended = keysOfEndedImports(queryClient, changes);
      for (const key of applyChanges(queryClient, changes)) invalidator.invalidate(key);
      for (const key of ended) invalidator.hurry(key);
    };
    const overlap = new FetchOverlap();
    const gatherer = new ChangeGatherer((changes) => {
      overlap.record(changes);
      apply(changes);
    });
    const unwatch = queryClient.getQueryCache().subscribe(({ type, query }) => {
      const isFetching = type !== 'removed' && query.state.fetchStatus !== 'idle';
      const missed = overlap.follow(query.queryHash, isFetching);
      // What has to be read again was reported when the change came.
      if (missed.length > 0) applyChanges(queryClient, missed);
    });
    const receive = (message: FromHub) => {
      switch (message.kind) {
        case 'connection':
          setConnection(message.connection);
          return;
        case 'fresh':
          for (const key of message.topics.flatMap(findTopicKeys)) invalidator.invalidate(key);
          return;
        case 'changes':
          gatherer.add(message.changes);
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
      gatherer.close();
      unwatch();
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
