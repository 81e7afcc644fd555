import type { Failing } from '../../facts/failing-endpoints';
import { formatCounted } from '../../format/count';
import type { HttpConnectionManager, ListenerModel } from '../../model/listener';
import type { ModelOf } from '../../model/model-of';
import type { ResourceRow } from '../../observation/resource-row';
import { whyNoChainMatches } from '../../resolve/unreached-chain';
import { CDS, EDS, LDS, RDS, SDS, SRDS, VHDS } from '../../xds/resource-type';
import { addCluster } from './add-cluster';
import { addEndpoints } from './add-endpoints';
import { addInlineRoutes, addRouteConfig, addScopedRouteConfig, addVirtualHost } from './add-route-config';
import { ChildIds } from './node-id';
import type { ReportedResource } from './reported-resources';
import { describeReported, ReportedResources } from './reported-resources';
import { rollUp } from './roll-up';
import { subsetOfRequests } from './subset-of-requests';
import type { Topology } from './topology';
import { TopologyDraft } from './topology-draft';

export interface TopologyInput {
  readonly rows: readonly ResourceRow[];
  readonly modelOf: ModelOf;
  /** The client is known to be a gRPC client. */
  readonly isGrpc?: boolean | undefined;
  /** The endpoints that fail, as the client measured it. Absent: none is known. */
  readonly failing?: Failing | undefined;
  /** No source reports connections of the client. */
  readonly lacksConnections?: true | undefined;
}

/**
 * Builds the graph of a client's resources:
 *
 *   listener -> route configuration -> virtual host -> route -> cluster -> priority -> locality -> endpoint
 *
 * Every row of these types is in it once, reported or not, and so is every resource that is referred to. The order of the rows
 * does not matter. Aggregate clusters refer to clusters; listeners and clusters refer to secrets.
 */
export function buildTopology(input: TopologyInput): Topology {
  const { rows, modelOf, isGrpc = false, failing, lacksConnections = false } = input;
  const draft = new TopologyDraft(new ReportedResources(rows, modelOf, failing), {
    isGrpc,
    lacksConnections,
  });
  const { reported } = draft;
  for (const listener of reported.ofType(LDS.typeUrl)) addListener(draft, listener);
  for (const routes of reported.ofType(RDS.typeUrl))
    if (!reported.isPartOfAnother(routes)) addRouteConfig(draft, routes);
  for (const scope of reported.ofType(SRDS.typeUrl)) addScopedRouteConfig(draft, scope);
  for (const host of reported.ofType(VHDS.typeUrl)) addVirtualHost(draft, host);
  for (const cluster of reported.ofType(CDS.typeUrl)) addCluster(draft, cluster);
  for (const endpoints of reported.ofType(EDS.typeUrl))
    if (!reported.isPartOfAnother(endpoints)) addEndpoints(draft, endpoints);
  for (const secret of reported.ofType(SDS.typeUrl)) {
    const isInEffect = secret.model?.kind === 'secret' && describeReported(secret) === '';
    draft.addResource(secret, 'secret', isInEffect ? [secret.model.holds] : []);
  }
  return rollUp(draft.finish(), draft.facts);
}

function addListener(draft: TopologyDraft, listener: ReportedResource): void {
  const { name: by } = listener.row;
  const model = listener.model?.kind === 'listener' ? listener.model : undefined;
  const subsets = (model?.filterChains ?? []).map(({ tcpClusters }) =>
    tcpClusters.map(({ name, criteria }) => subsetOfRequests(draft, name, criteria)),
  );
  const details = subsets.flat().map((each) => each?.detail ?? '');
  const id = draft.addResource(
    listener,
    'listener',
    model === undefined ? [] : [formatListener(model), ...details],
  );
  if (model === undefined) return;
  const hasNoHost = subsets.every((all) => all.length > 0 && all.every((each) => each?.failure));
  const closure = whyNoChainMatches(model) ?? (hasNoHost ? subsets[0]?.[0]?.failure : undefined);
  if (closure !== undefined) draft.facts.closed.set(id, closure);

  // Filter chains often share a route configuration or a cluster.
  const seen = new Set<string>();
  const isNew = (key: string): boolean => !seen.has(key) && seen.add(key) !== undefined;
  const ids = new ChildIds(id);
  for (const manager of managersOf(model)) addManager(draft, ids, listener, manager, isNew);
  for (const { name } of model.filterChains.flatMap(({ tcpClusters }) => tcpClusters)) {
    if (name === '' || !isNew(`tcp ${name}`)) continue;
    draft.refer(id, { edge: 'routes', to: 'cluster', name, by, label: 'TCP' });
  }
  for (const { name: filter, clusters } of model.filterChains.flatMap(({ otherFilters }) => otherFilters)) {
    for (const name of clusters) {
      if (!isNew(`filter ${name}`)) continue;
      draft.refer(id, { edge: 'routes', to: 'cluster', name, by, label: nameOfFilter(filter) });
    }
  }
  for (const name of new Set(model.filterChains.flatMap(({ secrets }) => secrets)))
    draft.refer(id, { edge: 'tls', to: 'secret', name, by });
}

/** As in "redis_proxy" of "envoy.filters.network.redis_proxy". */
function nameOfFilter(name: string): string {
  return name.slice(name.lastIndexOf('.') + 1);
}

function addManager(
  draft: TopologyDraft,
  ids: ChildIds,
  listener: ReportedResource,
  { routes }: HttpConnectionManager,
  isNew: (key: string) => boolean,
): void {
  const refer = (name: string, label: string): void => {
    if (name === '' || !isNew(`rds ${name}`)) return;
    draft.refer(ids.parentId, { edge: 'rds', to: 'route-config', name, by: listener.row.name, label });
  };
  if (routes.kind === 'rds') refer(routes.name, '');
  if (routes.kind === 'inline') addInlineRoutes(draft, routes.table, listener, ids);
  if (routes.kind !== 'scoped') return;
  const heldScopes = draft.reported.ofType(SRDS.typeUrl).map(({ model }) => model);
  const scopesOf = new Map<string, string[]>();
  for (const scope of routes.scopes ?? heldScopes) {
    if (scope?.kind !== 'scoped-route-config') continue;
    const { routeConfigName } = scope;
    scopesOf.set(routeConfigName, [...(scopesOf.get(routeConfigName) ?? []), scope.scope]);
    if (scope.inline !== undefined) addInlineRoutes(draft, scope.inline, listener, ids);
  }
  for (const [name, scopes] of scopesOf) refer(name, formatScopes(scopes));
}

/** One edge stands for all scopes of a route configuration. There is room for one name. */
function formatScopes(scopes: readonly string[]): string {
  const [only = '', ...others] = scopes;
  return others.length === 0 ? only : formatCounted(scopes.length, 'scope');
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
    model.isUnbound ? 'bind_to_port false' : '',
    chains > 1 ? formatCounted(chains, 'filter chain') : '',
    model.filterChains.some(({ clusterBySni }) => clusterBySni)
      ? 'cluster named by the server name (SNI)'
      : '',
    filters.map((name) => name.slice(name.lastIndexOf('.') + 1)).join(', '),
  ];
  return parts.filter(Boolean).join(' · ');
}
