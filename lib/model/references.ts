import { resourceKey } from '../observation/client-state';
import { CDS, ECDS, EDS, RDS, SDS, SRDS, VHDS } from '../xds/resource-type';
import type { ConfigSourceKind } from './config-source';
import type { HttpConnectionManager, ListenerModel } from './listener';
import type { ResourceModel } from './parse-resource';
import type { Route } from './route';
import { type RouteTable, routesOfHost } from './route-config';

export const referenceHows = [
  'rds',
  'srds',
  'vhds',
  'route',
  'weighted',
  'mirror',
  'tcp',
  'plugin',
  'aggregate',
  'eds',
  'tls',
  'ecds',
  'service',
] as const;
/**
 * `plugin`: the default target of a cluster specifier plugin. `service`: a cluster that a filter, an access log or a
 * tracer calls.
 */
type ReferenceKind = (typeof referenceHows)[number];

export interface Reference {
  readonly typeUrl: string;
  /** A name that ends with "*" references every resource with that prefix (VHDS, SRDS). */
  readonly name: string;
  readonly how: ReferenceKind;
  /** Kind of the reference's ConfigSource; absent if a name is sufficient (clusters). */
  readonly from?: ConfigSourceKind | undefined;
}

/** References of a resource in the order of its body, without repetitions of type and name. */
export function referencesOf(model: ResourceModel): Reference[] {
  return [...referencesByKey(model).values()];
}

/** The same by resourceKey(). */
export function referencesByKey(model: ResourceModel): ReadonlyMap<string, Reference> {
  const found = new Map<string, Reference>();
  const embedded = new Map(model.embedded.map((reference) => [resourceKey(reference), reference]));
  for (const reference of ownReferences(model)) {
    const key = resourceKey(reference);
    if (reference.name === '' || found.has(key)) continue;
    found.set(key, { ...reference, from: embedded.get(key)?.from ?? reference.from });
  }
  for (const [key, reference] of embedded) if (!found.has(key)) found.set(key, reference);
  return found;
}

function* ownReferences(model: ResourceModel): Generator<Reference> {
  switch (model.kind) {
    case 'listener':
      yield* ofListener(model);
      break;
    case 'route-config':
      yield* ofRouteTable(model);
      break;
    case 'virtual-host':
      for (const { route } of routesOfHost(model.virtualHost)) yield* ofRoute(route);
      break;
    case 'scoped-route-config':
      yield { typeUrl: RDS.typeUrl, name: model.routeConfigName, how: 'rds', from: 'self' };
      if (model.inline !== undefined) yield* ofRouteTable(model.inline);
      break;
    case 'cluster':
      if (model.discovery.kind === 'eds') {
        const { serviceName, from } = model.discovery;
        yield { typeUrl: EDS.typeUrl, name: serviceName, how: 'eds', from };
      }
      if (model.discovery.kind === 'aggregate') {
        for (const name of model.discovery.clusters) yield ofCluster(name, 'aggregate');
      }
      for (const name of model.secrets) yield ofSecret(name);
      break;
    case 'endpoints':
    case 'secret':
    case 'host-health':
    case 'extension':
    case 'other':
  }
}

function* ofListener(listener: ListenerModel): Generator<Reference> {
  if (listener.apiListener !== null) yield* ofManager(listener.apiListener);
  for (const chain of listener.filterChains) {
    for (const manager of chain.managers) yield* ofManager(manager);
    for (const { name } of chain.tcpClusters) yield ofCluster(name, 'tcp');
  }
  for (const { secrets } of listener.filterChains) for (const name of secrets) yield ofSecret(name);
}

function* ofManager({ routes, httpFilters }: HttpConnectionManager): Generator<Reference> {
  if (routes.kind === 'rds') {
    yield { typeUrl: RDS.typeUrl, name: routes.name, how: 'rds', from: routes.from };
  }
  if (routes.kind === 'inline') yield* ofRouteTable(routes.table);
  if (routes.kind === 'scoped') {
    if (routes.scopes === null) {
      yield { typeUrl: SRDS.typeUrl, name: '*', how: 'srds', from: routes.from };
    }
    for (const scope of routes.scopes ?? []) {
      yield { typeUrl: RDS.typeUrl, name: scope.routeConfigName, how: 'rds', from: 'self' };
      if (scope.inline !== undefined) yield* ofRouteTable(scope.inline);
    }
  }
  for (const { name, isDiscovered } of httpFilters) {
    if (isDiscovered) yield { typeUrl: ECDS.typeUrl, name, how: 'ecds', from: 'unset' };
  }
}

function* ofRouteTable(table: RouteTable): Generator<Reference> {
  if (table.vhds) {
    yield { typeUrl: VHDS.typeUrl, name: `${table.name}/*`, how: 'vhds', from: table.vhdsFrom };
  }
  for (const { defaultTarget } of table.plugins) yield ofCluster(defaultTarget, 'plugin');
  for (const host of table.virtualHosts) for (const { route } of routesOfHost(host)) yield* ofRoute(route);
}

function* ofRoute({ action, mirrors }: Route): Generator<Reference> {
  if (action.kind === 'cluster') yield ofCluster(action.cluster, 'route');
  if (action.kind === 'weighted') {
    for (const { name } of action.clusters) yield ofCluster(name, 'weighted');
  }
  for (const { cluster } of mirrors) yield ofCluster(cluster, 'mirror');
}

function ofCluster(name: string, how: ReferenceKind): Reference {
  return { typeUrl: CDS.typeUrl, name, how };
}

function ofSecret(name: string): Reference {
  return { typeUrl: SDS.typeUrl, name, how: 'tls', from: 'unset' };
}
