import { type ConfigSourceKind, readConfigSource } from './config-source';
import { FieldReader } from './field-reader';
import { type FilterOverride, readOverrides } from './filter-config';
import { matcherRoutesOf } from './matcher-routes';
import { type Route, readLbWrites, readRetries, readRoute } from './route';

export interface VirtualHost {
  readonly name: string;
  readonly domains: readonly string[];
  /** The routes in order: the first match is used. */
  readonly routes: readonly Route[];
  /** Set if a matcher tree chooses the route, in place of a list: all that it can lead to, with their places in the virtual host. */
  readonly matcherRoutes?: readonly { readonly route: Route; readonly place: string }[];
  /** A route can have others. Absent: none. */
  readonly overrides?: readonly FilterOverride[];
  /** The requests without TLS that are redirected; absent: none. */
  readonly requiresTls?: 'all' | 'external';
  /** retry_on of its retry policy, which a route can replace; absent: none. */
  readonly retryOn?: string;
  /** The config of a filter for it writes metadata by which a subset of hosts is chosen. */
  readonly setsLbMetadata?: true;
}

export interface ClusterSpecifierPlugin {
  readonly name: string;
  /** Message name of its config; empty if there is none. */
  readonly typeName: string;
  readonly isOptional: boolean;
  /** RLS: the cluster for requests that the lookup service does not map; empty if there is none. */
  readonly defaultTarget: string;
}

/** A RouteConfiguration: an RDS resource, or inline in a listener. */
export interface RouteTable {
  readonly name: string;
  readonly virtualHosts: readonly VirtualHost[];
  /** True if virtual hosts also come from VHDS, as resources named "<route configuration>/<host>". */
  readonly vhds: boolean;
  readonly vhdsFrom: ConfigSourceKind;
  /** Cluster specifier plugins: routes name them, and they name clusters. */
  readonly plugins: readonly ClusterSpecifierPlugin[];
  /** The config of a filter for it writes metadata by which a subset of hosts is chosen. */
  readonly setsLbMetadata?: true;
}

export interface RouteConfigModel extends RouteTable {
  readonly kind: 'route-config';
}

/** A VHDS resource. */
export interface VirtualHostModel {
  readonly kind: 'virtual-host';
  readonly virtualHost: VirtualHost;
}

/** An SRDS resource: the route configuration for the requests of a scope. */
export interface ScopedRouteConfigModel {
  readonly kind: 'scoped-route-config';
  readonly routeConfigName: string;
  readonly inline?: RouteTable | undefined;
  /** The fragments of the key, formatted. */
  readonly scope: string;
  readonly key: readonly string[];
  /** Its route configuration is requested with the first request of the scope. */
  readonly isOnDemand?: true;
}

export function readRouteTable(config: FieldReader): RouteTable {
  return {
    name: config.string('name'),
    virtualHosts: config.objects('virtualHosts').map(readVirtualHost),
    vhds: config.has('vhds'),
    vhdsFrom: readConfigSource(config.object('vhds')?.object('configSource')),
    plugins: config.objects('clusterSpecifierPlugins').map(readPlugin),
    ...readLbWrites(config),
  };
}

function readPlugin(plugin: FieldReader): ClusterSpecifierPlugin {
  const extension = plugin.object('extension');
  const config = extension?.object('typedConfig') ?? null;
  return {
    name: extension?.string('name') ?? '',
    typeName: config?.messageName() ?? '',
    isOptional: plugin.boolean('isOptional'),
    defaultTarget: config?.object('routeLookupConfig')?.string('defaultTarget') ?? '',
  };
}

export function readVirtualHost(host: FieldReader): VirtualHost {
  const requirement = host.enumName('requireTls', 'NONE');
  return {
    name: host.string('name'),
    domains: host.strings('domains'),
    routes: host.objects('routes').map(readRoute),
    ...(host.has('matcher') && { matcherRoutes: readMatcherRoutes(host) }),
    ...readOverrides(host),
    ...(requirement === 'ALL' && { requiresTls: 'all' as const }),
    ...(requirement === 'EXTERNAL_ONLY' && { requiresTls: 'external' as const }),
    ...readRetries(host),
    ...readLbWrites(host),
  };
}

function readMatcherRoutes(host: FieldReader): VirtualHost['matcherRoutes'] {
  const all = matcherRoutesOf(host.object('matcher')?.json, 'matcher');
  return [...all].map(({ route, place }) => ({ route: readRoute(FieldReader.open(route, [])), place }));
}

/** Each route of the virtual host, with its place in it. */
export function* routesOfHost({ routes, matcherRoutes = [] }: VirtualHost) {
  for (const [index, route] of routes.entries()) yield { route, place: `routes[${index}]` };
  yield* matcherRoutes;
}

export function readScopedRouteConfig(scoped: FieldReader): ScopedRouteConfigModel {
  const inline = scoped.object('routeConfiguration');
  const fragments = scoped.object('key')?.objects('fragments') ?? [];
  const key = fragments.map((fragment) => fragment.string('stringKey'));
  return {
    kind: 'scoped-route-config',
    routeConfigName: scoped.string('routeConfigurationName'),
    inline: inline && readRouteTable(inline),
    scope: key.join(', '),
    key,
    ...(scoped.boolean('onDemand') && { isOnDemand: true }),
  };
}
