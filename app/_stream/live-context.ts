'use client';

import { createContext } from 'react';
import type { StreamTopic } from '@/lib/api/stream';
import type { ConnectionState } from './hub-messages';

export interface Live {
  readonly connection: ConnectionState;
  /** Subscribes to topics; the returned function unsubscribes. */
  readonly subscribe: (topics: readonly StreamTopic[]) => () => void;
}

/** The default of stored views, where nothing is live or stale. */
export const LiveContext = createContext<Live>({
  connection: { kind: 'live', since: 0 },
  subscribe: () => () => {},
});
