import { RDS } from '../xds/resource-type';
import type { Field } from './field';
import type { Profile } from './profile';

export interface RoutePart {
  readonly field: Field;
  /** Clients that drop the route before they look further. */
  readonly skippedBy: ReadonlySet<Profile>;
}

const everybody: readonly Profile[] = ['core', 'go', 'java', 'node'];

/** The resource itself, or the route configurations inside a listener's connection managers. */
export function routeConfigsOf(resource: Field, typeUrl: string): Field[] {
  if (typeUrl === RDS.typeUrl) return [resource];
  return connectionManagersOf(resource)
    .map((manager) => manager.at('routeConfig'))
    .filter((config) => config.exists);
}

/** The HttpConnectionManager of an API listener; a socket listener's, one per filter chain. */
export function connectionManagersOf(listener: Field): Field[] {
  const api = listener.in('apiListener', 'apiListener');
  const chains = [...listener.at('filterChains').items(), listener.at('defaultFilterChain')];
  const networkFilters = chains.flatMap((chain) => chain.at('filters').items());
  return [api, ...networkFilters.map((filter) => filter.at('typedConfig'))].filter(
    (config) => config.typeName === connectionManager && config.unreadable === undefined,
  );
}

export const connectionManager =
  'envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager';

export function virtualHostsOf(config: Field): Field[] {
  return config.at('virtualHosts').items();
}

/** Every route with its `match`; R6: one with query parameters is dropped unread, by all but Node. */
export function routesOf(host: Field): RoutePart[] {
  return host
    .at('routes')
    .items()
    .map((field) => {
      const skippedBy = new Set<Profile>();
      if (field.in('match', 'queryParameters').items().length > 0) {
        for (const profile of everybody) if (profile !== 'node') skippedBy.add(profile);
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

/** Actions that gRPC can take; a route with another cluster specifier is dropped (R13). */
export function hasKnownCluster(action: Field): boolean {
  return ['cluster', 'weightedClusters', 'clusterSpecifierPlugin'].some((name) => action.at(name).exists);
}
