import type { TearKind } from '../../resolve/tear-kind';

export const tearTexts = {
  'route-to-unknown-cluster': 'a route to a cluster not received',
  'cluster-removed-in-use': 'a cluster removed while in use',
  'endpoints-not-come': 'endpoints not received',
  'routes-not-come': 'routes not received',
} as const satisfies Record<TearKind, string>;
