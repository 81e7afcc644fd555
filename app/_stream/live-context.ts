'use client';

import { createContext } from 'react';
import type { StreamTopic } from '@/lib/api/stream';
import type { ConnectionState } from './hub-messages';

export interface Live {
  readonly connection: ConnectionState;
  /** Asks for topics; the returned function gives them back. */
  readonly subscribe: (topics: readonly StreamTopic[]) => () => void;
}

/** Outside a LiveProvider (a stored view) nothing is live and nothing is stale. */
export const LiveContext = createContext<Live>({
  connection: { kind: 'live', since: 0 },
  subscribe: () => () => {},
});
