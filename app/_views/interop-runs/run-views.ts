import type { ClientViewName } from '@/lib/views/client/client-views';

/** The views of a client that show what a case does with it. */
export const runViews = [
  'graph',
  'failover',
  'connections',
  'load',
  'resources',
  'test-client',
  'history',
] as const satisfies readonly ClientViewName[];
export type RunView = (typeof runViews)[number];
