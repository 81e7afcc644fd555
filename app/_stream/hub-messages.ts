import type { StreamChange, StreamTopic } from '@/lib/api/stream';
import type { ConnectionState } from './connection-state';

/** What a tab reports the hub. */
export type ToHub =
  /** All that the tab wants from now on; it replaces what it wanted before. Also the way back in after silence. */
  | { readonly kind: 'topics'; readonly topics: readonly StreamTopic[] }
  | { readonly kind: 'pong' }
  | { readonly kind: 'bye' };

/** What the hub reports a tab. */
export type FromHub =
  | { readonly kind: 'connection'; readonly connection: ConnectionState }
  /** From now on changes of these topics arrive; what was read of them before may be old. */
  | { readonly kind: 'fresh'; readonly topics: readonly StreamTopic[] }
  | { readonly kind: 'changes'; readonly changes: readonly StreamChange[] }
  /** Changes were lost: read everything again. */
  | { readonly kind: 'reset' }
  | { readonly kind: 'ping' };
