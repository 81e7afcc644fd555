import type { TearKind } from '../../resolve/tear-kind';

export const tearWords = {
  'route-to-unknown-cluster': 'a route to a cluster not yet known',
  'cluster-removed-in-use': 'a cluster removed while in use',
  'endpoints-not-come': 'endpoints had not come',
  'routes-not-come': 'routes had not come',
} as const satisfies Record<TearKind, string>;
