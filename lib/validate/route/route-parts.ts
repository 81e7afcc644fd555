import { RDS } from '../../xds/resource-type';
import { connectionManagersOf } from '../connection-managers';
import type { Field } from '../field';
import { grpcProfiles, type Profile } from '../profile';

/** A route configuration, virtual host or route, with the clients that drop it before they look further. */
export interface RoutePart {
  readonly field: Field;
  readonly skippedBy: ReadonlySet<Profile>;
}

const nobody: ReadonlySet<Profile> = new Set();

/** The resource itself, or the route configurations inside a listener's connection managers. */
export function routeConfigsOf(resource: Field, typeUrl: string): RoutePart[] {
  if (typeUrl === RDS.typeUrl) return [{ field: resource, skippedBy: nobody }];
  return connectionManagersOf(resource)
    .map(({ field, skippedBy }) => ({ field: field.at('routeConfig'), skippedBy }))
    .filter(({ field }) => field.exists);
}

export function virtualHostsOf(config: Field): Field[] {
  return config.at('virtualHosts').items();
}

/** R6: a route with query parameters is dropped unread, by all but grpc-js-xds and Envoy. */
export function routesOf(host: Field): RoutePart[] {
  return host
    .at('routes')
    .items()
    .map((field) => {
      const skippedBy = new Set<Profile>();
      if (field.in('match', 'queryParameters').items().length > 0) {
        for (const profile of grpcProfiles) if (profile !== 'node') skippedBy.add(profile);
      }
      if (!canMatchGrpc(field.at('match'))) skippedBy.add('core');
      return { field, skippedBy };
    });
}

/** C-core drops a route whose prefix or path cannot be (the start of) "/service/method". */
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

/** Cluster specifiers that the client can take; a route with another one is dropped (R13). */
export function hasKnownCluster(action: Field, profile: Profile): boolean {
  const always = ['cluster', 'weightedClusters'];
  const more: Readonly<Record<Profile, readonly string[]>> = {
    // Cluster specifier plugins (RLS) are behind an environment variable in C-core 1.51.
    core: [],
    go: ['clusterSpecifierPlugin'],
    java: ['clusterSpecifierPlugin'],
    node: ['clusterHeader'],
    envoy: ['clusterHeader', 'clusterSpecifierPlugin', 'inlineClusterSpecifierPlugin'],
  };
  return [...always, ...more[profile]].some((name) => action.at(name).exists);
}

/** Clients that leave a route for its foreign cluster specifier, before they look at the rest of it. */
export function foreignTo(action: Field, ...who: readonly Profile[]): ReadonlySet<Profile> {
  if (!action.exists) return nobody;
  return new Set(who.filter((profile) => !hasKnownCluster(action, profile)));
}
