import { formatCounted } from '../../format/count';
import type { HttpConnectionManager, ListenerModel } from '../../model/listener';
import { CDS, RDS, SDS, SRDS } from '../../xds/resource-type';
import { addRouteTable } from './add-route-config';
import { formatStanding, type HeldResource, reasonOf } from './held-resources';
import { ChildIds, rootId } from './node-id';
import type { TopologyDraft } from './topology-draft';

/** A listener, the route configurations that are inline in it, and its references. */
export function addListener(draft: TopologyDraft, listener: HeldResource): void {
  const { row } = listener;
  const model = listener.model?.kind === 'listener' ? listener.model : undefined;
  const parts = [formatStanding(listener), model === undefined ? '' : formatListener(model)];
  const id = draft.add(rootId('listener', row.name), listener, {
    kind: 'listener',
    name: row.name,
    status: row.clientStatus,
    reason: reasonOf(listener),
    detail: parts.filter((part) => part !== '').join(' · '),
  });
  if (model === undefined) return;

  const seen = new Set<string>();
  const once = (key: string): boolean => !seen.has(key) && seen.add(key) !== undefined;
  const ids = new ChildIds(id);
  for (const manager of managersOf(model)) addManager(draft, ids, listener, manager, once);
  for (const chain of model.filterChains) {
    for (const { name } of chain.tcpClusters) {
      if (name === '' || !once(`tcp ${name}`)) continue;
      draft.refer(id, 'routes', { kind: 'cluster', typeUrl: CDS.typeUrl, name }, row.name, 'TCP');
    }
  }
  for (const name of model.secrets) {
    draft.refer(id, 'tls', { kind: 'secret', typeUrl: SDS.typeUrl, name }, row.name);
  }
}

/** Filter chains often share one route configuration: `once` says whether a key comes for the first time. */
function addManager(
  draft: TopologyDraft,
  ids: ChildIds,
  listener: HeldResource,
  { routes }: HttpConnectionManager,
  once: (key: string) => boolean,
): void {
  const refer = (name: string, label: string): void => {
    if (name === '' || !once(`rds ${name}`)) return;
    draft.refer(
      ids.parentId,
      'rds',
      { kind: 'route-config', typeUrl: RDS.typeUrl, name },
      listener.row.name,
      label,
    );
  };
  if (routes.kind === 'rds') refer(routes.name, '');
  if (routes.kind === 'inline')
    addRouteTable(draft, { table: routes.table, resource: listener, inlineIn: ids });
  if (routes.kind !== 'scoped') return;
  const heldScopes = draft.held.ofType(SRDS.typeUrl).map(({ model }) => model);
  for (const scope of routes.scopes ?? heldScopes) {
    if (scope?.kind !== 'scoped-route-config') continue;
    refer(scope.routeConfigName, scope.scope);
    if (scope.inline !== null)
      addRouteTable(draft, { table: scope.inline, resource: listener, inlineIn: ids });
  }
}

function managersOf(model: ListenerModel): HttpConnectionManager[] {
  const inChains = model.filterChains.flatMap((chain) => chain.managers);
  return model.apiListener === null ? inChains : [model.apiListener, ...inChains];
}

function formatListener(model: ListenerModel): string {
  const filters = [
    ...new Set(managersOf(model).flatMap((manager) => manager.httpFilters.map(({ name }) => name))),
  ];
  const chains = model.filterChains.length;
  const parts = [
    model.apiListener === null ? model.address : 'API listener',
    chains > 1 ? formatCounted(chains, 'filter chain') : '',
    filters.map((name) => name.slice(name.lastIndexOf('.') + 1)).join(', '),
  ];
  return parts.filter((part) => part !== '').join(' · ');
}
