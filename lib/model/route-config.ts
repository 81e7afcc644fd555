import type { FieldReader } from './field-reader';
import { type Route, readRoute } from './route';

export interface VirtualHost {
  readonly name: string;
  readonly domains: readonly string[];
  /** In order: the first that matches is taken. */
  readonly routes: readonly Route[];
}

/** A RouteConfiguration: an RDS resource, or inline in a listener. */
export interface RouteTable {
  readonly name: string;
  readonly virtualHosts: readonly VirtualHost[];
  /** Virtual hosts come from VHDS as well, as resources named "<route configuration>/<host>". */
  readonly vhds: boolean;
}

export interface RouteConfigModel extends RouteTable {
  readonly kind: 'route-config';
}

/** A VHDS resource. */
export interface VirtualHostModel {
  readonly kind: 'virtual-host';
  readonly virtualHost: VirtualHost;
}

/** An SRDS resource: which route configuration serves the requests of a scope. */
export interface ScopedRouteConfigModel {
  readonly kind: 'scoped-route-config';
  readonly routeConfigName: string;
  readonly inline: RouteTable | null;
  /** The key's fragments, in words. */
  readonly scope: string;
}

export function readRouteTable(config: FieldReader): RouteTable {
  return {
    name: config.string('name'),
    virtualHosts: config.objects('virtualHosts').map(readVirtualHost),
    vhds: config.has('vhds'),
  };
}

export function readVirtualHost(host: FieldReader): VirtualHost {
  return {
    name: host.string('name'),
    domains: host.strings('domains'),
    routes: host.objects('routes').map(readRoute),
  };
}

export function readScopedRouteConfig(scoped: FieldReader): ScopedRouteConfigModel {
  const inline = scoped.object('routeConfiguration');
  const fragments = scoped.object('key')?.objects('fragments') ?? [];
  return {
    kind: 'scoped-route-config',
    routeConfigName: scoped.string('routeConfigurationName'),
    inline: inline && readRouteTable(inline),
    scope: fragments.map((fragment) => fragment.string('stringKey')).join(', '),
  };
}
