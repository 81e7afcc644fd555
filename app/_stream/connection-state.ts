import type { EpochMs } from '@/lib/xds/units';

/** How the page stands with the server. Only `disconnected` makes what is shown stale: a hiccup does not. */
export type ConnectionState =
  | { readonly kind: 'connecting'; readonly since: EpochMs }
  | { readonly kind: 'live'; readonly since: EpochMs }
  | { readonly kind: 'reconnecting'; readonly since: EpochMs }
  | { readonly kind: 'disconnected'; readonly since: EpochMs };
