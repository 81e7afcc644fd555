import type { StreamNotice, StreamTopic } from '@/lib/views/stream/schema';
import type { EpochMs } from '@/lib/xds/units';

/** The state of the page's stream. Only `disconnected` makes the data stale: `reconnecting` lasts a few seconds. */
export interface ConnectionState {
  readonly kind: 'connecting' | 'live' | 'reconnecting' | 'disconnected';
  readonly since: EpochMs;
}

/** Sent by a tab to the hub. */
export type ToHub =
  /** All topics of the tab, replacing earlier ones. It also rejoins a tab that the hub has dropped. */
  | { readonly kind: 'topics'; readonly topics: readonly StreamTopic[] }
  | { readonly kind: 'pong' }
  | { readonly kind: 'bye' };

/** Sent by the hub to a tab. */
export type FromHub =
  | { readonly kind: 'connection'; readonly connection: ConnectionState }
  /** Notices of these topics arrive from now on; data that was loaded before may be stale. */
  | { readonly kind: 'fresh'; readonly topics: readonly StreamTopic[] }
  | { readonly kind: 'notices'; readonly notices: readonly StreamNotice[] }
  /** Notices were lost: all data must be reloaded. */
  | { readonly kind: 'reset' }
  | { readonly kind: 'ping' };
