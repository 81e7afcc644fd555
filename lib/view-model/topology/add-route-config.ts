import { formatCounted } from '../../format/count';
import { formatWeightShare } from '../../format/share';
import type { Route } from '../../model/route';
import type { RouteTable, VirtualHost } from '../../model/route-config';
import { CDS, VHDS } from '../../xds/resource-type';
import { formatRouteAction } from '../format-route-action';
import { formatStanding, type HeldResource, reasonOf } from './held-resources';
import { ChildIds, rootId } from './node-id';
import type { NewNode, TopologyDraft } from './topology-draft';

/** An RDS resource with its virtual hosts and routes. */
export function addRouteConfig(draft: TopologyDraft, resource: HeldResource): void {
  if (resource.model?.kind === 'route-config') {
    addRouteTable(draft, { table: resource.model, resource, inlineIn: null });
    return;
  }
  addBare(draft, resource, 'route-config', 'route-config');
}

export interface RouteTableInput {
  readonly table: RouteTable;
  /** The resource that says it: its own, or the listener around it. */
  readonly resource: HeldResource;
  /** Below that listener; null for an RDS resource. */
  readonly inlineIn: ChildIds | null;
}

export function addRouteTable(draft: TopologyDraft, { table, resource, inlineIn }: RouteTableInput): void {
  const count = formatCounted(table.virtualHosts.length, 'virtual host');
  const id =
    inlineIn === null
      ? draft.add(rootId('route-config', resource.row.name), resource, {
          kind: 'route-config',
          name: resource.row.name,
          status: resource.row.clientStatus,
          reason: reasonOf(resource),
          detail: [formatStanding(resource), count].filter((part) => part !== '').join(' · '),
        })
      : draft.addChild(inlineIn, `inline ${table.name}`, 'inline', resource, {
          kind: 'route-config',
          name: table.name || 'inline routes',
          detail: `inline · ${count}`,
        });

  const used = usedHosts(draft, table);
  const hostIds = new ChildIds(id);
  for (const host of table.virtualHosts) {
    const hostId = draft.addChild(hostIds, host.name, 'contains', resource, describeHost(host));
    addRoutes(draft, hostId, host, resource, used.has(host));
  }
  if (!table.vhds) return;
  const prefix = `${table.name}/`;
  for (const { row } of draft.held.ofType(VHDS.typeUrl)) {
    if (row.name.startsWith(prefix)) draft.connect(id, 'contains', rootId('virtual-host', row.name));
  }
}

/** A VHDS resource. */
export function addVirtualHost(draft: TopologyDraft, resource: HeldResource): void {
  const id = addBare(draft, resource, 'virtual-host', 'virtual-host');
  if (resource.model?.kind !== 'virtual-host') return;
  addRoutes(draft, id, resource.model.virtualHost, resource, true);
}

/** SRDS resources are edges from listeners; one that is not in use has a node of its own, so that it is seen. */
export function addScopedRouteConfig(draft: TopologyDraft, resource: HeldResource): void {
  const isEdge = resource.model !== undefined && resource.row.clientStatus === 'ACKED';
  if (!isEdge) addBare(draft, resource, 'route-config', 'scope');
}

function addBare(
  draft: TopologyDraft,
  resource: HeldResource,
  kind: 'route-config' | 'virtual-host',
  idKind: 'route-config' | 'scope' | 'virtual-host',
): string {
  const { row, model } = resource;
  const host = model?.kind === 'virtual-host' ? describeHost(model.virtualHost).detail : '';
  return draft.add(rootId(idKind, row.name), resource, {
    kind,
    name: row.name,
    status: row.clientStatus,
    reason: reasonOf(resource),
    detail: [formatStanding(resource), host].filter((part) => part !== '').join(' · '),
  });
}

function describeHost({ name, domains }: VirtualHost): NewNode {
  const more = domains.length - 3;
  const reported = domains.slice(0, 3).join(', ');
  return {
    kind: 'virtual-host',
    name: name || 'unnamed virtual host',
    detail: domains.length === 0 ? 'no domains' : more > 0 ? `${reported} and ${more} more` : reported,
  };
}

function addRoutes(
  draft: TopologyDraft,
  hostId: string,
  host: VirtualHost,
  resource: HeldResource,
  isUsed: boolean,
): void {
  const routeIds = new ChildIds(hostId);
  for (const route of host.routes) {
    const routeId = draft.addChild(routeIds, route.name || route.match, 'contains', resource, {
      kind: 'route',
      name: route.match,
      detail: [route.name, formatAction(route)].filter((part) => part !== '').join(' · '),
    });
    const by = `${resource.row.name}, ${host.name}, ${route.match}`;
    for (const { cluster, kind, label } of clustersOf(route)) {
      draft.refer(routeId, kind, { kind: 'cluster', typeUrl: CDS.typeUrl, name: cluster }, by, label, isUsed);
    }
  }
}

interface ClusterUse {
  readonly cluster: string;
  readonly kind: 'routes' | 'weighted' | 'mirror';
  readonly label: string;
}

/** Each kind and cluster once; a cluster that is listed twice gets the sum of its weights. */
function clustersOf({ action, mirrors }: Route): ClusterUse[] {
  const uses: ClusterUse[] = [];
  if (action.kind === 'cluster' && action.cluster !== '') {
    uses.push({ cluster: action.cluster, kind: 'routes', label: '' });
  }
  if (action.kind === 'weighted') {
    const total = action.clusters.reduce((sum, { weight }) => sum + weight, 0);
    const weights = new Map<string, number>();
    for (const { name, weight } of action.clusters) weights.set(name, (weights.get(name) ?? 0) + weight);
    for (const [cluster, weight] of weights) {
      if (cluster !== '')
        uses.push({
          cluster,
          kind: 'weighted',
          label: formatWeightShare(weight, total) ?? `weight ${weight}`,
        });
    }
  }
  const shares = new Map(mirrors.map(({ cluster, percent }) => [cluster, percent]));
  for (const [cluster, percent] of shares) {
    uses.push({ cluster, kind: 'mirror', label: percent === null ? 'mirror' : `mirror ${percent} %` });
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
 * A gRPC client asks for the clusters of one virtual host only: the one for its authority (gRFC A31). A host none of
 * whose clusters is held, beside one with held clusters, is taken for unused, and what it lacks is not missing.
 */
function usedHosts(draft: TopologyDraft, { virtualHosts }: RouteTable): Set<VirtualHost> {
  const withHeld = virtualHosts.filter((host) =>
    host.routes.some((route) =>
      clustersOf(route).some(({ cluster }) => draft.held.find(CDS.typeUrl, cluster) !== undefined),
    ),
  );
  return new Set(withHeld.length === 0 ? virtualHosts : withHeld);
}
