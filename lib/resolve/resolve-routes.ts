import { isOnSameStream } from '../model/config-source';
import { FieldReader } from '../model/field-reader';
import type { RouteSource } from '../model/listener';
import type { RouteTable, ScopedRouteConfigModel, VirtualHost } from '../model/route-config';
import { readRouteMatch } from '../model/route-match';
import { type RuntimeValues, withRuntime } from '../model/runtime';
import { isInDoubt } from '../observation/effect-stage';
import type { ResourceKey } from '../observation/resource-state';
import { clientOf, type Profile } from '../xds/profile';
import { RDS, SRDS, VHDS } from '../xds/resource-type';
import type { Rejection } from './rejection';
import type { ResourceStore } from './resource-store';
import type { MissingResource, UsedResource } from './xds-config';

export interface TableHost {
  /** The path of the host, such as "virtualHosts[0]"; '' for a VHDS resource. */
  readonly path: string;
  readonly resource: ResourceKey;
  readonly host: VirtualHost;
}

export interface RouteConfigUse {
  readonly source: 'rds' | 'inline' | 'scoped';
  readonly name: string;
  /** Absent if it is inline or absent. */
  readonly resource?: UsedResource | undefined;
  /** null if unknown. */
  readonly table: RouteTable | null;
  /** Includes virtual hosts of VHDS if the client supports VHDS. */
  readonly hosts: readonly TableHost[];
  /** The reason why it fails; empty if it does not. */
  readonly error: string;
  readonly missing: readonly MissingResource[];
  readonly notes: readonly string[];
  /** The requests that a scope of SRDS serves, formatted. */
  readonly scope: string;
  readonly scopeKey?: readonly string[];
  /** The scope is on_demand. */
  readonly isOnDemand?: true;
  /** The resource that contains an inline route configuration, and the path in it. */
  readonly inline?: InlineTable;
  /** Its body, if another client accepted it and the profile's client would reject it. */
  readonly rejected: readonly Rejection[];
}

interface InlineTable {
  readonly resource: ResourceKey;
  /** As in "filterChains[0].filters[0].typedConfig.routeConfig". */
  readonly path: string;
}

interface RouteSourceInput {
  readonly store: ResourceStore;
  readonly routes: RouteSource;
  readonly owner: ResourceKey;
  /** The path of the manager in it, such as "apiListener.apiListener". */
  readonly path: string;
  readonly profile: Profile;
  readonly runtime: RuntimeValues | undefined;
  /**
   * Called with each resource on which the result depends; with name null if it depends on all resources of the type.
   */
  readonly dependOn: (key: ResourceKey | { readonly typeUrl: string; readonly name: null }) => void;
}

/** The route configurations of one connection manager: one, or several with scoped routes. */
export function resolveRouteSource(input: RouteSourceInput): RouteConfigUse[] {
  const { routes, profile } = input;
  switch (routes.kind) {
    case 'rds':
      if (clientOf(profile) !== 'envoy' && !isOnSameStream(routes.from)) {
        const error = `routes from ${routes.from}: gRPC accepts them only from ADS (rule L13)`;
        return [failure('rds', routes.name, error)];
      }
      return [resolveRds(input, routes.name, 'rds', '')];
    case 'inline':
      return [
        inlineUse(input, routes.table, 'inline', {
          resource: input.owner,
          path: `${input.path}.routeConfig`,
        }),
      ];
    case 'none':
      return [failure('inline', '', 'neither rds nor route_config (rule L12)')];
    case 'scoped':
      return clientOf(profile) === 'envoy'
        ? resolveScopes(input)
        : [failure('scoped', '', 'scoped routes: supported by Envoy, not by gRPC (rule L12)')];
  }
}

function resolveScopes(input: RouteSourceInput): RouteConfigUse[] {
  const { store, routes, dependOn } = input;
  if (routes.kind !== 'scoped') return [];
  if (routes.scopes !== null) {
    const path = `${input.path}.scopedRoutes.scopedRouteConfigurationsList.scopedRouteConfigurations`;
    return routes.scopes.map((scope, index) =>
      resolveScope(input, scope, { resource: input.owner, path: `${path}[${index}].routeConfiguration` }),
    );
  }
  dependOn({ typeUrl: SRDS.typeUrl, name: null });
  return store
    .ofKind(SRDS.typeUrl, 'scoped-route-config')
    .map(({ row: { typeUrl, name }, model }) =>
      resolveScope(input, model, { resource: { typeUrl, name }, path: 'routeConfiguration' }),
    );
}

function resolveScope(
  input: RouteSourceInput,
  { inline, routeConfigName, scope, key, isOnDemand }: ScopedRouteConfigModel,
  place: InlineTable,
): RouteConfigUse {
  const use =
    inline === undefined
      ? resolveRds(input, routeConfigName, 'scoped', scope)
      : { ...inlineUse(input, inline, 'scoped', place), scope };
  return { ...use, scopeKey: key, ...(isOnDemand && { isOnDemand }) };
}

function resolveRds(
  input: RouteSourceInput,
  name: string,
  source: RouteConfigUse['source'],
  scope: string,
): RouteConfigUse {
  const { store, owner, dependOn } = input;
  const key = { typeUrl: RDS.typeUrl, name };
  dependOn(key);
  const standing = store.standingOf(RDS.typeUrl, name, 'route-config', `listener "${owner.name}"`);
  if (standing.kind === 'missing' && isServedWithout(input, key)) {
    const error = `route configuration "${name}": none was accepted, and the listener serves without it`;
    return { ...failure(source, name, error), scope };
  }
  if (standing.kind === 'missing') {
    return { ...failure(source, name, ''), scope, missing: [standing.missing] };
  }
  const rejected = standing.rejection === null ? [] : [standing.rejection];
  if (standing.kind === 'error') {
    const subject = standing.rejection === null ? '' : `route configuration "${name}": `;
    return { ...failure(source, name, `${subject}${standing.reason}`), scope, rejected };
  }
  const { model, used } = standing;
  const { hosts, notes } = hostsOf(input, model, key, '');
  const ambient = used.note === '' ? [] : [used.note];
  return {
    ...failure(source, name, ''),
    scope,
    resource: used,
    table: model,
    hosts,
    notes: [...ambient, ...notes],
    rejected,
  };
}

/** Envoy serves an active listener whose route configuration it requests and has not accepted. */
function isServedWithout({ store, owner, profile }: RouteSourceInput, routes: ResourceKey): boolean {
  if (clientOf(profile) !== 'envoy' || store.find(routes)?.row.clientStatus !== 'REQUESTED') return false;
  const listener = store.find(owner)?.row;
  return listener?.stage === 'active' || (listener?.isStatic === true && !isInDoubt(listener));
}

function inlineUse(
  input: RouteSourceInput,
  table: RouteTable,
  source: RouteConfigUse['source'],
  inline: InlineTable,
): RouteConfigUse {
  const { hosts, notes } = hostsOf(input, table, inline.resource, `${inline.path}.`);
  return { ...failure(source, table.name, ''), table, hosts, notes, inline };
}

function hostsOf(
  { store, profile, runtime, dependOn }: RouteSourceInput,
  table: RouteTable,
  resource: ResourceKey,
  path: string,
): { hosts: TableHost[]; notes: string[] } {
  const hosts: TableHost[] = table.virtualHosts.map((host, index) => ({
    path: `${path}virtualHosts[${index}]`,
    resource,
    host: hostWithRuntime(host, runtime),
  }));
  if (!table.vhds) return { hosts, notes: [] };
  if (clientOf(profile) !== 'envoy') {
    return { hosts, notes: ['Virtual hosts on demand (VHDS): supported by Envoy, not by gRPC'] };
  }
  dependOn({ typeUrl: VHDS.typeUrl, name: null });
  for (const { row, model } of store.ofKind(VHDS.typeUrl, 'virtual-host')) {
    if (!row.name.startsWith(`${table.name}/`)) continue;
    const key = { typeUrl: row.typeUrl, name: row.name };
    hosts.push({ path: '', resource: key, host: hostWithRuntime(model.virtualHost, runtime) });
  }
  return { hosts, notes: ['Virtual hosts on demand (VHDS): only those received so far are shown'] };
}

/** The runtime sets the share of requests that a route matches. */
function hostWithRuntime(host: VirtualHost, runtime: RuntimeValues | undefined): VirtualHost {
  if (runtime === undefined) return host;
  const routes = host.routes.map((route) => {
    const matcher = withRuntime(route.matcher, runtime);
    return matcher === undefined || matcher === route.matcher
      ? route
      : { ...route, matcher, match: readRouteMatch(FieldReader.open(matcher, [])) };
  });
  return { ...host, routes };
}

function failure(source: RouteConfigUse['source'], name: string, error: string): RouteConfigUse {
  return {
    source,
    name,
    table: null,
    hosts: [],
    error,
    missing: [],
    notes: [],
    scope: '',
    rejected: [],
  };
}
