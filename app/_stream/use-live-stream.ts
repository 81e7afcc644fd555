'use client';

import { useContext, useEffect } from 'react';
import type { StreamTopic } from '@/lib/api/stream';
import type { ConnectionState } from './hub-messages';
import { LiveContext } from './live-context';

/** The state of the connection to the server. */
export function useConnection(): ConnectionState {
  return useContext(LiveContext).connection;
}

/** Subscribes to the topics while the component is mounted. */
export function useLiveStream(...topics: readonly StreamTopic[]): void {
  const { subscribe } = useContext(LiveContext);
  const wanted = topics.join(',');
  useEffect(() => subscribe(wanted === '' ? [] : (wanted.split(',') as StreamTopic[])), [subscribe, wanted]);
}
