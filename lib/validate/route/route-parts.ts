import {
  type Client,
  clientOf,
  type Profile,
  profileSet,
  profilesOf,
  since,
  type Who,
} from '../../xds/profile';
import { RDS } from '../../xds/resource-type';
import { connectionManagersOf } from '../connection-managers';
import type { Field } from '../field';

/** A route configuration, virtual host or route, and the clients that drop it before they validate it. */
interface RoutePart {
  readonly field: Field;
  readonly skippedBy: ReadonlySet<Profile>;
}

const noClients: ReadonlySet<Profile> = new Set();

/** The resource itself, or the route configurations inside the connection managers of a listener. */
export function routeConfigsOf(resource: Field, typeUrl: string): RoutePart[] {
  if (typeUrl === RDS.typeUrl) return [{ field: resource, skippedBy: noClients }];
  return connectionManagersOf(resource)
    .map(({ field, skippedBy }) => ({ field: field.at('routeConfig'), skippedBy }))
    .filter(({ field }) => field.exists);
}

export function virtualHostsOf(config: Field): Field[] {
  return config.at('virtualHosts').items();
}

/** R6: every client except grpc-js-xds and Envoy drops a route with query parameters without reading it. */
export function routesOf(host: Field): RoutePart[] {
  return host
    .at('routes')
    .items()
    .map((field) => {
      const skippedBy: Who[] = [];
      if (field.in('match', 'queryParameters').items().length > 0) skippedBy.push('core', 'go', 'java');
      if (!canMatchGrpc(field.at('match'))) skippedBy.push('core');
      return { field, skippedBy: skippedBy.length === 0 ? noClients : profileSet(...skippedBy) };
    });
}

/** C-core drops a route whose prefix or path cannot match "/service/method". */
export function canMatchGrpc(match: Field): boolean {
  const prefix = match.at('prefix');
  const path = match.at('path');
  if (prefix.exists) {
    if (prefix.text === '') return true;
    const [head, service, ...rest] = prefix.text.split('/');
    return head === '' && rest.length <= 1 && (rest.length === 0 || service !== '');
  }
  if (!path.exists) return true;
  const [head, service, method, ...rest] = path.text.split('/');
  return head === '' && rest.length === 0 && Boolean(service) && Boolean(method);
}

/** Cluster specifiers that the client supports. It drops a route with another one (R13). */
export function hasKnownCluster(action: Field, profile: Profile): boolean {
  const always = ['cluster', 'weightedClusters'];
  const more: Readonly<Record<Client, readonly string[]>> = {
    core: since('core-1.56').includes(profile) ? ['clusterSpecifierPlugin'] : [],
    go: ['clusterSpecifierPlugin'],
    java: ['clusterSpecifierPlugin'],
    node: ['clusterHeader'],
    envoy: ['clusterHeader', 'clusterSpecifierPlugin', 'inlineClusterSpecifierPlugin'],
  };
  return [...always, ...more[clientOf(profile)]].some((name) => action.at(name).exists);
}

/** Clients that drop a route because of its unknown cluster specifier, before they read the rest of it. */
export function foreignTo(action: Field, ...clients: readonly Client[]): ReadonlySet<Profile> {
  if (!action.exists) return noClients;
  return new Set(profilesOf(...clients).filter((profile) => !hasKnownCluster(action, profile)));
}
