import { injectFaults } from './fault';
import type { MeshResource } from './mesh-resource';
import { buildClusters } from './shop-clusters';
import { buildEndpoints } from './shop-endpoints';
import { buildListeners } from './shop-listeners';
import { buildRoutes } from './shop-routes';
import type { ShopState } from './shop-state';

/**
 * The shop's mesh:
 *
 *     web      -RDS-> catalog 90/10, x-beta -> canary, cart, search (aggregate: eu, us), recommendations (drops 5%)
 *     mobile   inline, fault filter: ios -> canary, catalog, cart, search
 *     checkout -RDS-> checkout (2 priorities), payment v1/v2, fraud-detection (NACKed), inventory
 *     orders   inline: orders, inventory            inventory -RDS-> orders, search, inventory
 */
export function buildShop(state: ShopState, portOf: (backend: string) => number): readonly MeshResource[] {
  const mesh = [
    ...buildListeners(state),
    ...buildRoutes(state),
    ...buildClusters(state),
    ...buildEndpoints(state, portOf),
  ];
  return injectFaults(mesh, state.activeFaults);
}
