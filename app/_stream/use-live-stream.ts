'use client';

import { createContext, useContext, useEffect } from 'react';
import type { StreamTopic } from '@/lib/views/stream/schema';
import type { ConnectionState } from './hub-messages';

interface Live {
  readonly connection: ConnectionState;
  /** Subscribes to topics; the returned function unsubscribes. */
  readonly subscribe: (topics: readonly StreamTopic[]) => () => void;
}

/** The default of stored views, where nothing is live or stale. */
export const LiveContext = createContext<Live>({
  connection: { kind: 'live', since: 0 },
  subscribe: () => () => {},
});

export function useConnection(): ConnectionState {
  return useContext(LiveContext).connection;
}

export function useLiveStream(...topics: readonly StreamTopic[]): void {
  const { subscribe } = useContext(LiveContext);
  const wanted = topics.join(',');
  useEffect(() => subscribe(wanted === '' ? [] : (wanted.split(',') as StreamTopic[])), [subscribe, wanted]);
}
