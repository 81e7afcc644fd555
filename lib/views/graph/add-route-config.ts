import { formatCounted } from '../../format/count';
import { formatWeightShare } from '../../format/share';
import type { Route, WeightedCluster } from '../../model/route';
import { type RouteTable, routesOfHost, type VirtualHost } from '../../model/route-config';
import { CDS, VHDS } from '../../xds/resource-type';
import { ChildIds, rootId } from './node-id';
import type { ReportedResource } from './reported-resources';
import { formatRouteAction } from './route-action';
import { subsetOfRequests } from './subset-of-requests';
import type { TopologyDraft } from './topology-draft';

export function addRouteConfig(draft: TopologyDraft, resource: ReportedResource): void {
  if (resource.model?.kind !== 'route-config') {
    draft.addResource(resource, 'route-config');
    return;
  }
  const id = draft.addResource(resource, 'route-config', [formatHostCount(resource.model)]);
  addHosts(draft, id, resource.model, resource, true);
}

export function addInlineRoutes(
  draft: TopologyDraft,
  table: RouteTable,
  listener: ReportedResource,
  ids: ChildIds,
): void {
  const id = draft.addChild(ids, `inline ${table.name}`, 'inline', listener, {
    kind: 'route-config',
    name: table.name || 'inline routes',
    detail: `inline · ${formatHostCount(table)}`,
  });
  addHosts(draft, id, table, listener, false);
}

function formatHostCount({ virtualHosts }: RouteTable): string {
  return formatCounted(virtualHosts.length, 'virtual host');
}

/** `isWhole`: the table is the resource; otherwise it is somewhere inside a listener. */
function addHosts(
  draft: TopologyDraft,
  id: string,
  table: RouteTable,
  resource: ReportedResource,
  isWhole: boolean,
): void {
  const used = usedHosts(draft, table);
  const hostIds = new ChildIds(id);
  for (const [index, host] of table.virtualHosts.entries()) {
    const fieldPath = isWhole ? `virtualHosts[${index}]` : undefined;
    const hostId = draft.addChild(hostIds, host.name, 'contains', resource, {
      kind: 'virtual-host',
      name: host.name || 'unnamed virtual host',
      detail: formatDomains(host),
      ...(fieldPath !== undefined && { fieldPath }),
    });
    const { setsLbMetadata = host.setsLbMetadata } = table;
    addRoutes(draft, { hostId, host, resource, isUsed: used.has(host), fieldPath, setsLbMetadata });
  }
  if (!table.vhds) return;
  const prefix = `${table.name}/`;
  for (const { row } of draft.reported.ofType(VHDS.typeUrl)) {
    if (row.name.startsWith(prefix)) draft.connect(id, 'contains', rootId('virtual-host', row.name));
  }
}

export function addVirtualHost(draft: TopologyDraft, resource: ReportedResource): void {
  const host = resource.model?.kind === 'virtual-host' ? resource.model.virtualHost : undefined;
  const id = draft.addResource(resource, 'virtual-host', host === undefined ? [] : [formatDomains(host)]);
  if (host === undefined) return;
  const { setsLbMetadata } = host;
  addRoutes(draft, { hostId: id, host, resource, isUsed: true, fieldPath: '', setsLbMetadata });
}

/** SRDS resources are edges from listeners. One that is neither ACKED nor ACTIVE, or cannot be read, has a node of its own. */
export function addScopedRouteConfig(draft: TopologyDraft, resource: ReportedResource): void {
  const { state } = resource.row;
  const isEdge = resource.model !== undefined && (state === 'ACKED' || state === 'ACTIVE');
  if (!isEdge) draft.addResource(resource, 'route-config', [], 'scope');
}

function formatDomains({ domains }: VirtualHost): string {
  const more = domains.length - 3;
  const shown = domains.slice(0, 3).join(', ') || 'no domains';
  return more > 0 ? `${shown} and ${more} more` : shown;
}

interface RoutesInput {
  readonly hostId: string;
  readonly host: VirtualHost;
  readonly resource: ReportedResource;
  readonly isUsed: boolean;
  /** The path of the virtual host in the resource; empty: it is the resource; undefined: not known. */
  readonly fieldPath: string | undefined;
  /** The configs of filters for the virtual host, or for all, write metadata by which a subset of hosts is chosen. */
  readonly setsLbMetadata: true | undefined;
}

function addRoutes(
  draft: TopologyDraft,
  { hostId, host, resource, isUsed, fieldPath, setsLbMetadata }: RoutesInput,
): void {
  const routeIds = new ChildIds(hostId);
  for (const { route, place } of routesOfHost(host)) {
    const targets = setsLbMetadata || route.setsLbMetadata ? [] : targetsOf(route);
    const subsets = targets.map(({ name, criteria }) => subsetOfRequests(draft, name, criteria));
    const routeId = draft.addChild(routeIds, route.name || route.match, 'contains', resource, {
      kind: 'route',
      name: route.match,
      detail: [route.name, formatAction(route), ...subsets.map((each) => each?.detail)]
        .filter(Boolean)
        .join(' · '),
      ...(fieldPath !== undefined && {
        fieldPath: `${fieldPath === '' ? '' : `${fieldPath}.`}${place}`,
      }),
    });
    const [failure, ...others] = subsets.map((each) => each?.failure);
    if (failure && others.every(Boolean)) draft.facts.closed.set(routeId, failure);
    const by = `${resource.row.name}, ${host.name}, ${route.match}`;
    for (const use of clustersOf(route)) {
      draft.refer(routeId, { ...use, to: 'cluster', by, isRequested: isUsed });
    }
  }
}

/** The clusters to which requests of a route are forwarded. */
function targetsOf({ action, criteria }: Route): Pick<WeightedCluster, 'name' | 'criteria'>[] {
  if (action.kind === 'cluster') return [{ name: action.cluster, ...(criteria && { criteria }) }];
  return action.kind === 'weighted' ? action.clusters.filter(({ weight }) => weight > 0) : [];
}

interface ClusterUse {
  readonly name: string;
  readonly edge: 'routes' | 'weighted' | 'mirror';
  readonly label: string;
}

/** Lists each kind of edge and cluster once. A cluster that is listed twice gets the sum of its weights. */
function clustersOf({ action, mirrors }: Route): ClusterUse[] {
  const uses: ClusterUse[] = [];
  if (action.kind === 'cluster' && action.cluster !== '') {
    uses.push({ name: action.cluster, edge: 'routes', label: '' });
  }
  if (action.kind === 'weighted') {
    const total = action.clusters.reduce((sum, { weight }) => sum + weight, 0);
    const weights = new Map<string, number>();
    for (const { name, weight } of action.clusters) weights.set(name, (weights.get(name) ?? 0) + weight);
    for (const [name, weight] of weights) {
      const label = formatWeightShare(weight, total) ?? `weight ${weight}`;
      if (name !== '') uses.push({ name, edge: 'weighted', label });
    }
  }
  const shares = new Map(mirrors.map(({ cluster, percent }) => [cluster, percent]));
  for (const [name, percent] of shares) {
    uses.push({ name, edge: 'mirror', label: percent === undefined ? 'mirror' : `mirror ${percent}%` });
  }
  return uses;
}

function formatAction({ action, mirrors }: Route): string {
  const mirrored = mirrors.length > 0 ? ', mirrored' : '';
  switch (action.kind) {
    case 'cluster':
      return mirrors.length > 0 ? 'mirrored' : '';
    case 'weighted':
      return `${formatCounted(action.clusters.length, 'cluster')} by weight${mirrored}`;
    case 'cluster-header':
    case 'plugin':
      return `${formatRouteAction(action)}${mirrored}`;
    default:
      return formatRouteAction(action);
  }
}

/**
 * A gRPC client subscribes to the clusters of one virtual host only, which matches its authority (gRFC A31). If some
 * virtual hosts have reported clusters, those without any are considered unused, and their clusters are not missing.
 */
function usedHosts(draft: TopologyDraft, { virtualHosts }: RouteTable): Set<VirtualHost> {
  const withHeld = virtualHosts.filter((host) =>
    [...routesOfHost(host)].some(({ route }) =>
      clustersOf(route).some(({ name }) => draft.reported.find(CDS.typeUrl, name) !== undefined),
    ),
  );
  return new Set(withHeld.length === 0 ? virtualHosts : withHeld);
}
