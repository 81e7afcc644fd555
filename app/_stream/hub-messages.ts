import type { StreamChange, StreamTopic } from '@/lib/api/stream';
import type { EpochMs } from '@/lib/xds/units';

/** The state of the page's stream. Only `disconnected` makes the data stale: `reconnecting` lasts a few seconds. */
export interface ConnectionState {
  readonly kind: 'connecting' | 'live' | 'reconnecting' | 'disconnected';
  readonly since: EpochMs;
}

/** Sent by a tab to the hub. */
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
