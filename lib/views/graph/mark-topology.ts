import { type HostReach, reachOfHost } from '../../explain/reach/reach-of-host';
import type { LoadAssignment } from '../../model/endpoints';
import { routesOfHost } from '../../model/route-config';
import { weighsLocalities, whySkipped, whyUnused } from '../../resolve/endpoint-use';
import { describeDenied } from '../../resolve/nothing-served';
import type { HostConfig } from '../../resolve/resolve-listener';
import type { RouteConfigUse } from '../../resolve/resolve-routes';
import type { Resolver } from '../../resolve/resolver';
import {
  type ClusterConfig,
  type ClusterEntry,
  errorOfCluster,
  type Ignored,
} from '../../resolve/xds-config';
import { clientOf, type Profile } from '../../xds/profile';
import { CDS } from '../../xds/resource-type';
import { sortLocalities } from './add-endpoints';
import { ChildIds, childId, rootId } from './node-id';
import type { NodeMark } from './node-mark';
import type { Topology } from './topology';

const used: NodeMark = { use: 'used', reason: '' };
const unused: NodeMark = { use: 'unused', reason: 'not part of this resolved config' };

/**
 * Marks by node ID how a resolved config uses each node: used; ignored, with the reason; dangling: referred to, but
 * not held; unused: only other targets use it, or none.
 */
export function markTopology(
  topology: Topology,
  resolver: Resolver,
  profile: Profile,
  /** What the client reports of the channel to the listener; empty if it does not fail. */
  channelFailure = '',
): Map<string, NodeMark> {
  const marks = new Map<string, NodeMark>();
  for (const { id, status, reason } of topology.nodes) {
    marks.set(id, status === 'MISSING' ? { use: 'dangling', reason } : unused);
  }
  const mark = (id: string, as: NodeMark): void => {
    if (marks.has(id)) marks.set(id, as);
  };
  markRoutes(resolver, mark, channelFailure, profile);
  const dnsClusters = new Set<string>();
  for (const { entry } of resolver.clusters()) {
    markCluster(entry, mark, profile);
    if (entry.config?.ok === true && entry.config.value.children.kind === 'dns') dnsClusters.add(entry.name);
  }
  // The DNS names to resolve are nodes of their cluster.
  for (const { id, kind, typeUrl, resourceName } of topology.nodes) {
    const isPart = kind === 'priority' || kind === 'locality' || kind === 'endpoint';
    if (isPart && typeUrl === CDS.typeUrl && dnsClusters.has(resourceName ?? '')) mark(id, used);
  }
  for (const { kind, source, target } of topology.edges) {
    if (kind === 'tls' && marks.get(source)?.use === 'used' && marks.get(target) === unused)
      mark(target, used);
  }
  return marks;
}

type Mark = (id: string, as: NodeMark) => void;

function markRoutes(
  { listener, start }: Resolver,
  mark: Mark,
  channelFailure: string,
  profile: Profile,
): void {
  const listenerId = rootId('listener', start.listener);
  const { error, missing } = listener;
  if (error !== '') mark(listenerId, { use: 'ignored', reason: error });
  if (listener.listener === undefined) {
    const reason = [channelFailure, missing[0]?.text ?? ''].filter(Boolean).join('; ');
    if (error === '') mark(listenerId, { use: 'dangling', reason });
    return;
  }
  if (error === '')
    mark(listenerId, {
      use: 'used',
      reason: [channelFailure, ...listener.doubts, describeDenied(listener.chains, profile)]
        .filter(Boolean)
        .join('; '),
    });
  const inlineIds = new ChildIds(listenerId);
  for (const chain of listener.chains) {
    for (const config of chain.routeConfigs) {
      const isOwn = config.table !== null && config.resource === undefined;
      const id = isOwn ? inlineIds.next(`inline ${config.name}`) : rootId('route-config', config.name);
      mark(id, config.table === null ? missingMark(config) : used);
      const chosen = chain.hosts.filter(({ routeConfig }) => routeConfig === config.name);
      const reachOf = (host: HostConfig) =>
        reachOfHost({ host, chain, authority: listener.authority, profile });
      markHosts(id, config, chosen, reachOf, mark);
    }
  }
}

function missingMark({ error, missing }: RouteConfigUse): NodeMark {
  return { use: 'dangling', reason: error || (missing[0]?.text ?? '') };
}

function markHosts(
  configId: string,
  config: RouteConfigUse,
  chosen: readonly HostConfig[],
  reachOf: (host: HostConfig) => HostReach,
  mark: Mark,
): void {
  const ids = new ChildIds(configId);
  for (const { host, resource, path } of config.hosts) {
    const id = path === '' ? rootId('virtual-host', resource.name) : ids.next(host.name);
    const found = chosen.find((each) => each.host === host);
    const other: NodeMark = { use: 'unused', reason: 'another virtual host matches the authority' };
    mark(id, found === undefined ? other : used);
    const ignoredAt = new Map(found?.use.ignored.map((ignored) => [ignored.path, ignored]));
    const reach = found === undefined ? [] : reachOf(found);
    const routeIds = new ChildIds(id);
    for (const [index, { route, place }] of [...routesOfHost(host)].entries()) {
      const routeId = routeIds.next(route.name || route.match);
      const ignored = ignoredAt.get(`${path}.${place}`);
      if (found === undefined) mark(routeId, other);
      else mark(routeId, ignored === undefined ? markOfReach(reach[index]) : markOf(ignored));
    }
  }
}

function markOfReach(reach: HostReach[number]): NodeMark {
  if (reach === undefined || reach.kind === 'reached') return used;
  return { use: reach.kind === 'never' ? 'ignored' : 'used', reason: reach.reason };
}

function markOf({ part, reason, rule }: Ignored): NodeMark {
  const text = rule === '' ? reason : `${reason} (${rule})`;
  return { use: part === 'action' ? 'used' : 'ignored', reason: text };
}

function markCluster(entry: ClusterEntry, mark: Mark, profile: Profile): void {
  const { name, config, missing } = entry;
  const id = rootId('cluster', name);
  if (config === null) {
    mark(id, { use: 'dangling', reason: missing[0]?.text ?? '' });
    return;
  }
  if (!config.ok) {
    mark(id, { use: config.why === 'absent' ? 'dangling' : 'ignored', reason: config.error });
    return;
  }
  mark(id, { use: 'used', reason: errorOfCluster(entry) });
  const { children } = config.value;
  if (children.kind !== 'endpoints') return;
  const isInline = children.resource === undefined && children.endpoints !== null;
  const ownerId = isInline ? id : rootId('endpoints', children.serviceName);
  if (children.endpoints === null) mark(ownerId, { use: 'dangling', reason: children.resolutionNote });
  else markEndpoints(ownerId, children.endpoints, config.value, mark, profile);
}

function markEndpoints(
  ownerId: string,
  { priorities }: LoadAssignment,
  { balancing }: ClusterConfig,
  mark: Mark,
  profile: Profile,
): void {
  mark(ownerId, used);
  for (const { priority, localities } of priorities) {
    const id = childId(ownerId, `P${priority}`);
    mark(id, used);
    const localityIds = new ChildIds(id);
    for (const { group, name, endpoints } of sortLocalities(localities)) {
      const localityId = localityIds.next(name);
      const skipped = whySkipped(group, clientOf(profile), weighsLocalities(localities, balancing));
      mark(localityId, skipped === '' ? used : { use: 'ignored', reason: skipped });
      const endpointIds = new ChildIds(localityId);
      for (const endpoint of endpoints) {
        const reason = skipped === '' ? whyUnused(endpoint, clientOf(profile)) : skipped;
        mark(endpointIds.next(endpoint.address), reason === '' ? used : { use: 'ignored', reason });
      }
    }
  }
}
