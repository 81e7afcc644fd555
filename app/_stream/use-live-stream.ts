'use client';

import { useContext, useEffect } from 'react';
import type { StreamTopic } from '@/lib/api/stream';
import type { ConnectionState } from './hub-messages';
import { LiveContext } from './live-context';

/** Is what this page shows still fed by the server? */
export function useConnection(): ConnectionState {
  return useContext(LiveContext).connection;
}

/** Asks for these topics as long as the component is on the page. */
export function useLiveStream(...topics: readonly StreamTopic[]): void {
  const { subscribe } = useContext(LiveContext);
  const wanted = topics.join(',');
  useEffect(() => subscribe(wanted === '' ? [] : (wanted.split(',') as StreamTopic[])), [subscribe, wanted]);
}
