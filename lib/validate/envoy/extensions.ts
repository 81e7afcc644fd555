import { CDS } from '../../xds/resource-type';
import { connectionManagersOf, filterChainsOf } from '../connection-managers';
import type { Field } from '../field';
import { overridesOf } from '../filters/filter-places';
import { rbac, unwrapOverride } from '../http-filters';
import { routeConfigsOf, routesOf, virtualHostsOf } from '../route/route-parts';
import { compositeOf } from './composite';
import { type Extension, extensionOf, httpFilters } from './extension';
import { transportSocketsOf } from './transport-sockets';

const anyOfEnvoy = ['envoy.'];
const networkFilters = ['envoy.extensions.filters.network.'];
const listenerFilters = [
  'envoy.extensions.filters.listener.',
  'envoy.extensions.filters.udp.',
  'envoy.extensions.filters.common.',
];

/**
 * Listener, network and HTTP filters with what they contain, overrides, transport sockets, protocol options, cluster types and
 * cluster specifier plugins.
 */
export function extensionsOf(resource: Field, typeUrl: string): Extension[] {
  if (resource.at('apiListener').exists) return [];
  const chains = filterChainsOf(resource);
  const overrides = (typeUrl === CDS.typeUrl ? [] : routeConfigsOf(resource, typeUrl)).flatMap(({ field }) =>
    overridesOf(field).map((each) => unwrapOverride(each.field)),
  );
  const http = connectionManagersOf(resource)
    .filter(({ side }) => side === 'server')
    .flatMap(({ field }) => field.at('httpFilters').items());
  const inHttp = http.map((filter) => filter.at('typedConfig'));
  return [
    ...resource
      .at('listenerFilters')
      .items()
      .flatMap((filter) => extensionOf(filter, listenerFilters)),
    ...chains.flatMap((chain) =>
      chain
        .at('filters')
        .items()
        .filter((filter) => filter.at('typedConfig').exists)
        .flatMap((filter) => extensionOf(filter, networkFilters)),
    ),
    ...transportSocketsOf(resource, typeUrl).map((socket) =>
      typed(socket.at('typedConfig'), ['envoy.extensions.transport_sockets.']),
    ),
    ...resource
      .at('typedExtensionProtocolOptions')
      .entries()
      .map(([, field]) => typed(field, anyOfEnvoy)),
    typed(resource.in('clusterType', 'typedConfig'), ['envoy.extensions.clusters.']),
    ...pluginsOf(resource).map((plugin) =>
      typed(plugin.in('extension', 'typedConfig'), ['envoy.extensions.router.cluster_specifiers.']),
    ),
    ...overrides.filter(({ isOptional }) => !isOptional).map(({ config }) => typed(config, anyOfEnvoy)),
    ...http
      .filter((filter) => !filter.at('isOptional').isTrue)
      .flatMap((filter) => extensionOf(filter, httpFilters)),
    ...inHttp
      .flatMap((config) => (config.typeName === rbac ? matchersOf(config) : []))
      .flatMap((each) => extensionOf(each, ['envoy.extensions.'])),
    ...inHttp.flatMap(compositeOf),
  ];
}

function typed(config: Field, prefixes: readonly string[]): Extension {
  return { config, prefixes };
}

/** Returns the cluster specifier plugins of a route configuration that are not optional. */
function pluginsOf(resource: Field): Field[] {
  const inline = virtualHostsOf(resource).flatMap((host) =>
    routesOf(host).map(({ field }) => field.in('route', 'inlineClusterSpecifierPlugin')),
  );
  return [...resource.at('clusterSpecifierPlugins').items(), ...inline].filter(
    (plugin) => plugin.exists && !plugin.at('isOptional').isTrue,
  );
}

/** The extensions that match in the permissions of an RBAC filter. */
function matchersOf(config: Field): Field[] {
  const permissions = ['rules', 'shadowRules']
    .flatMap((name) => config.in(name, 'policies').entries())
    .flatMap(([, policy]) => policy.at('permissions').items());
  return permissions
    .flatMap((each) => [each.at('matcher'), each.at('uriTemplate')])
    .filter((each) => each.exists);
}
