import type { Route } from '../model/route';
import {
  type ClusterSpecifierPlugin,
  type RouteTable,
  routesOfHost,
  type VirtualHost,
} from '../model/route-config';
import type { ResourceKey } from '../observation/resource-state';
import { Field } from '../validate/field';
import { canMatchGrpc } from '../validate/route/route-parts';
import { clientOf, type Profile } from '../xds/profile';
import type { ClusterUse, Ignored } from './xds-config';

export interface DynamicClusters {
  readonly plugin: string;
  readonly typeName: string;
  /** Formatted: which clusters are possible. */
  readonly text: string;
}

export interface HostUse {
  /** Every cluster that the client watches, in the order of the routes. */
  readonly clusters: ReadonlyMap<string, readonly ClusterUse[]>;
  /** Clusters that are named only by requests. */
  readonly dynamic: readonly DynamicClusters[];
  readonly ignored: readonly Ignored[];
}

/** The reasons why the client does not use routes of the virtual host at `path`, by index. */
export function ignoredRoutesOf({ ignored }: Pick<HostUse, 'ignored'>, path: string): Map<number, string> {
  const before = `${path}.routes[`;
  const found = new Map<number, string>();
  for (const { part, path: at, reason } of ignored)
    if (part === 'route' && at.startsWith(before))
      found.set(Number.parseInt(at.slice(before.length), 10), reason);
  return found;
}

interface HostUseInput {
  readonly table: RouteTable;
  /** The resource that contains the host, and the path in it, such as "virtualHosts[0]". */
  readonly resource: ResourceKey;
  readonly path: string;
  readonly host: VirtualHost;
  readonly profile: Profile;
}

/**
 * gRFC A74: a client watches every cluster that a route of the selected virtual host names, weighted clusters
 * included.
 */
export function describeHostUse({ table, resource, path, host, profile }: HostUseInput): HostUse {
  const clusters = new Map<string, ClusterUse[]>();
  const dynamic = new Map<string, DynamicClusters>();
  const ignored: Ignored[] = [];
  const plugins = new Map(table.plugins.map((plugin) => [plugin.name, plugin]));
  // gRPC does not read the field.
  const isFollowed = host.matcherRoutes === undefined || clientOf(profile) === 'envoy';
  if (!isFollowed) {
    const text = 'a matcher tree chooses the route and its cluster, which is not followed';
    dynamic.set('matcher', { plugin: `virtual host ${host.name}`, typeName: '', text });
  }
  for (const { route, place } of isFollowed ? routesOfHost(host) : []) {
    const at = `${path}.${place}`;
    const by = `route "${route.name || route.match}"`;
    const watch = (name: string, how: ClusterUse['how']): void => {
      const uses = clusters.get(name);
      if (uses === undefined) clusters.set(name, [{ how, by }]);
      else uses.push({ how, by });
    };
    const ignore = (part: Ignored['part'], reason: string, rule: string, below = ''): void => {
      ignored.push({ part, resource, path: `${at}${below}`, reason, rule });
    };
    const isGrpc = canBeGrpc(route);
    const dropped = whyDropped(route, plugins, profile, isGrpc);
    if (dropped !== null) {
      ignore('route', dropped.reason, dropped.rule);
      continue;
    }
    if (clientOf(profile) !== 'envoy' && !isGrpc)
      ignore('route', 'its path cannot be /service/method: no RPC matches', 'R9');
    addAction(route, { watch, ignore, plugins, dynamic, profile });
  }
  return { clusters, dynamic: [...dynamic.values()], ignored };
}

interface Unused {
  readonly reason: string;
  readonly rule: string;
}

/**
 * Returns why the client drops the route when it reads the resource; it then does not watch the clusters. null if it
 * keeps the route.
 */
function whyDropped(
  route: Route,
  plugins: ReadonlyMap<string, ClusterSpecifierPlugin>,
  profile: Profile,
  isGrpc: boolean,
): Unused | null {
  if (clientOf(profile) === 'envoy') return null;
  // Measured: grpc-js-xds 1.14.1 does not read them, and uses the route.
  if (route.hasQueryParameters && clientOf(profile) !== 'node')
    return { reason: 'gRPC never uses a route with query parameters', rule: 'R6' };
  if (clientOf(profile) === 'core' && !isGrpc) {
    return { reason: 'C-core drops a route whose path cannot be /service/method', rule: 'R9' };
  }
  const { action } = route;
  if (action.kind === 'cluster-header') {
    return { reason: `gRPC does not support a cluster named by a header (${action.header})`, rule: 'R13' };
  }
  if (action.kind === 'other' && action.text === 'no cluster') {
    return { reason: 'gRPC does not support the cluster specifier of this route', rule: 'R13' };
  }
  const plugin = action.kind === 'plugin' ? plugins.get(action.plugin) : undefined;
  if (plugin?.isOptional === true && !isLookup(plugin)) {
    return { reason: `the plugin "${plugin.name}" is optional, and gRPC does not support it`, rule: 'R14' };
  }
  return null;
}

function canBeGrpc({ matcher }: Route): boolean {
  return matcher === undefined || canMatchGrpc(new Field(matcher));
}

function isLookup({ typeName }: ClusterSpecifierPlugin): boolean {
  return typeName === 'grpc.lookup.v1.RouteLookupClusterSpecifier';
}

interface ActionSinks {
  readonly watch: (name: string, how: ClusterUse['how']) => void;
  readonly ignore: (part: Ignored['part'], reason: string, rule: string, below?: string) => void;
  readonly plugins: ReadonlyMap<string, ClusterSpecifierPlugin>;
  readonly dynamic: Map<string, DynamicClusters>;
  readonly profile: Profile;
}

function addAction(
  { action, mirrors }: Route,
  { watch, ignore, plugins, dynamic, profile }: ActionSinks,
): void {
  const isEnvoy = clientOf(profile) === 'envoy';
  switch (action.kind) {
    case 'cluster':
      if (action.cluster !== '') watch(action.cluster, 'route');
      break;
    case 'weighted':
      for (const [index, { name, weight }] of action.clusters.entries()) {
        if (name !== '' && weight > 0) watch(name, 'weighted');
        else if (weight === 0) {
          const below = `.route.weightedClusters.clusters[${index}]`;
          ignore('cluster', `cluster "${name}" has weight 0 and gets no requests`, 'R15', below);
        }
      }
      break;
    case 'plugin': {
      const plugin = plugins.get(action.plugin);
      const target = plugin?.defaultTarget ?? '';
      if (target !== '') watch(target, 'plugin');
      const text = `the plugin chooses a cluster for each request${target === '' ? '' : `; by default "${target}"`}`;
      dynamic.set(action.plugin, { plugin: action.plugin, typeName: plugin?.typeName ?? '', text });
      break;
    }
    case 'cluster-header':
      dynamic.set(action.header, {
        plugin: `header ${action.header}`,
        typeName: '',
        text: 'a request header names the cluster',
      });
      break;
    case 'redirect':
    case 'direct-response':
    case 'other':
      if (isEnvoy) break;
      ignore(
        'action',
        clientOf(profile) === 'java' || clientOf(profile) === 'node'
          ? 'Java and Node reject a RouteConfiguration with this action'
          : 'gRPC forwards nothing here: an RPC that matches fails with UNAVAILABLE',
        'R12',
      );
      break;
    case 'non-forwarding':
      break;
  }
  for (const [index, mirror] of mirrors.entries()) {
    if (isEnvoy) watch(mirror.cluster, 'mirror');
    else {
      const below = `.route.requestMirrorPolicies[${index}]`;
      ignore('mirror', `gRPC mirrors no requests (to cluster "${mirror.cluster}")`, '', below);
    }
  }
}
