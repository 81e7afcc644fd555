import type { ModelOf } from '../../model/body-in-effect';
import type { ResourceRow } from '../../observation/resource-row';
import { CDS, EDS, LDS, RDS, SDS, SRDS, VHDS } from '../../xds/resource-type';
import { addCluster } from './add-cluster';
import { addEndpoints } from './add-endpoints';
import { addListener } from './add-listener';
import { addRouteConfig, addScopedRouteConfig, addVirtualHost } from './add-route-config';
import { describeHeld, HeldResources } from './held-resources';
import { rollUp } from './roll-up';
import type { Topology } from './topology';
import { TopologyDraft } from './topology-draft';

export interface TopologyInput {
  readonly rows: readonly ResourceRow[];
  readonly modelOf: ModelOf;
}

/**
 * Builds the graph of a client's resources:
 *
 *   listener -> route configuration -> virtual host -> route -> cluster -> priority -> locality -> endpoint
 *
 * Every row of these types is in it once, held or not, and so is every resource that is referred to. The order of the rows
 * does not matter. Aggregate clusters refer to clusters; listeners and clusters refer to secrets.
 */
export function buildTopology({ rows, modelOf }: TopologyInput): Topology {
  const draft = new TopologyDraft(new HeldResources(rows, modelOf));
  const { held } = draft;
  for (const listener of held.ofType(LDS.typeUrl)) addListener(draft, listener);
  for (const routes of held.ofType(RDS.typeUrl))
    if (!held.isPartOfAnother(routes)) addRouteConfig(draft, routes);
  for (const scope of held.ofType(SRDS.typeUrl)) addScopedRouteConfig(draft, scope);
  for (const host of held.ofType(VHDS.typeUrl)) addVirtualHost(draft, host);
  for (const cluster of held.ofType(CDS.typeUrl)) addCluster(draft, cluster);
  for (const endpoints of held.ofType(EDS.typeUrl))
    if (!held.isPartOfAnother(endpoints)) addEndpoints(draft, endpoints);
  for (const secret of held.ofType(SDS.typeUrl)) {
    const isInEffect = secret.model?.kind === 'secret' && describeHeld(secret) === '';
    draft.addResource(secret, 'secret', isInEffect ? [secret.model.holds] : []);
  }
  return rollUp(draft.finish());
}
