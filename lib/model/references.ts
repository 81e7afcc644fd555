import { CDS, ECDS, EDS, RDS, SDS, SRDS, VHDS } from '../xds/resource-type';
import type { HttpConnectionManager, ListenerModel } from './listener';
import type { ResourceModel } from './parse-resource';
import type { Route } from './route';
import type { RouteTable } from './route-config';

export type ReferenceKind =
  | 'rds'
  | 'srds'
  | 'vhds'
  | 'route'
  | 'weighted'
  | 'mirror'
  | 'tcp'
  | 'aggregate'
  | 'eds'
  | 'tls'
  | 'ecds';

export interface Reference {
  readonly typeUrl: string;
  /** A name that ends with "*" means every held resource with that prefix (VHDS, SRDS). */
  readonly name: string;
  readonly how: ReferenceKind;
}

/** What a resource asks for by name, in the order of its body, each once (by type and name). */
export function referencesOf(model: ResourceModel): Reference[] {
  const found = new Map<string, Reference>();
  for (const reference of allReferences(model)) {
    const key = `${reference.typeUrl}\u0000${reference.name}`;
    if (reference.name !== '' && !found.has(key)) found.set(key, reference);
  }
  return [...found.values()];
}

function* allReferences(model: ResourceModel): Generator<Reference> {
  switch (model.kind) {
    case 'listener':
      yield* ofListener(model);
      break;
    case 'route-config':
      yield* ofRouteTable(model);
      break;
    case 'virtual-host':
      for (const route of model.virtualHost.routes) yield* ofRoute(route);
      break;
    case 'scoped-route-config':
      yield { typeUrl: RDS.typeUrl, name: model.routeConfigName, how: 'rds' };
      if (model.inline !== null) yield* ofRouteTable(model.inline);
      break;
    case 'cluster':
      if (model.discovery.kind === 'eds') {
        yield { typeUrl: EDS.typeUrl, name: model.discovery.serviceName, how: 'eds' };
      }
      if (model.discovery.kind === 'aggregate') {
        for (const name of model.discovery.clusters) yield { typeUrl: CDS.typeUrl, name, how: 'aggregate' };
      }
      for (const name of model.secrets) yield { typeUrl: SDS.typeUrl, name, how: 'tls' };
      break;
    case 'endpoints':
    case 'secret':
    case 'other':
  }
}

function* ofListener(listener: ListenerModel): Generator<Reference> {
  if (listener.apiListener !== null) yield* ofManager(listener.apiListener);
  for (const chain of listener.filterChains) {
    for (const manager of chain.managers) yield* ofManager(manager);
    for (const { name } of chain.tcpClusters) yield { typeUrl: CDS.typeUrl, name, how: 'tcp' };
  }
  for (const name of listener.secrets) yield { typeUrl: SDS.typeUrl, name, how: 'tls' };
}

function* ofManager({ routes, httpFilters }: HttpConnectionManager): Generator<Reference> {
  if (routes.kind === 'rds') yield { typeUrl: RDS.typeUrl, name: routes.name, how: 'rds' };
  if (routes.kind === 'inline') yield* ofRouteTable(routes.table);
  if (routes.kind === 'scoped') {
    if (routes.scopes === null) yield { typeUrl: SRDS.typeUrl, name: '*', how: 'srds' };
    for (const scope of routes.scopes ?? []) {
      yield { typeUrl: RDS.typeUrl, name: scope.routeConfigName, how: 'rds' };
      if (scope.inline !== null) yield* ofRouteTable(scope.inline);
    }
  }
  for (const { name, isDiscovered } of httpFilters) {
    if (isDiscovered) yield { typeUrl: ECDS.typeUrl, name, how: 'ecds' };
  }
}

function* ofRouteTable(table: RouteTable): Generator<Reference> {
  if (table.vhds) yield { typeUrl: VHDS.typeUrl, name: `${table.name}/*`, how: 'vhds' };
  for (const host of table.virtualHosts) for (const route of host.routes) yield* ofRoute(route);
}

function* ofRoute({ action, mirrors }: Route): Generator<Reference> {
  if (action.kind === 'cluster') yield { typeUrl: CDS.typeUrl, name: action.cluster, how: 'route' };
  if (action.kind === 'weighted') {
    for (const { name } of action.clusters) yield { typeUrl: CDS.typeUrl, name, how: 'weighted' };
  }
  for (const { cluster } of mirrors) yield { typeUrl: CDS.typeUrl, name: cluster, how: 'mirror' };
}
