import type { ClusterState, EnvoyState } from '../envoy-admin';

type Json = Readonly<Record<string, unknown>>;

const type = (name: string): string => `type.googleapis.com/${name}`;
const admin = (name: string): string => type(`envoy.admin.v3.${name}`);
const lastUpdated = '2026-01-02T03:04:05.678Z';

/** The whole config dump of Envoy 1.28 to 1.40, with endpoints. Dumps are sorted by the names that Envoy's subsystems register. */
export function configDump(state: EnvoyState): { readonly configs: readonly Json[] } {
  return {
    configs: [
      {
        '@type': admin('BootstrapConfigDump'),
        bootstrap: { node: nodeOf(state), admin: { address: {} } },
        last_updated: lastUpdated,
      },
      clustersDump(state),
      ...(Object.keys(state.clusters).length > 0 ? [endpointsDump(state)] : []),
      listenersDump(state),
      ...(state.routes === undefined ? [] : [routesDump(state.routes)]),
      ...(state.secrets === undefined ? [] : [secretsDump(state.secrets)]),
    ],
  };
}

function clustersDump(state: EnvoyState): Json {
  const cluster = (name: string, { version, filler }: ClusterState) => ({
    version_info: version,
    cluster: {
      '@type': type('envoy.config.cluster.v3.Cluster'),
      name,
      type: 'EDS',
      alt_stat_name: version,
      eds_cluster_config: { eds_config: { ads: {} } },
      ...(filler !== undefined && { metadata: { filter_metadata: { filler: { text: filler } } } }),
    },
    last_updated: lastUpdated,
  });
  const entries = Object.entries(state.clusters);
  return {
    '@type': admin('ClustersConfigDump'),
    version_info: 'c',
    ...list(
      'dynamic_active_clusters',
      entries
        .filter(([, { stage }]) => stage === undefined)
        .map(([name, held]) => ({
          ...cluster(name, held),
          client_status: held.error === undefined ? 'ACKED' : 'NACKED',
          ...(held.error !== undefined && failure(held.error, `${held.version}-bad`)),
        })),
    ),
    ...list(
      'dynamic_warming_clusters',
      entries.filter(([, { stage }]) => stage === 'warming').map(([name, held]) => cluster(name, held)),
    ),
  };
}

function listenersDump(state: EnvoyState): Json {
  const listener = (name: string, version: string) => ({
    version_info: version,
    listener: { '@type': type('envoy.config.listener.v3.Listener'), name, stat_prefix: version },
    last_updated: lastUpdated,
  });
  const items = Object.entries(state.listeners).map(([name, held]) => ({
    name,
    active_state: listener(name, held.version),
    ...(held.warming !== undefined && { warming_state: listener(name, held.warming) }),
    ...(held.draining !== undefined && { draining_state: listener(name, held.draining) }),
    ...(held.error !== undefined && failure(held.error.details, held.error.version)),
  }));
  return { '@type': admin('ListenersConfigDump'), version_info: 'l', ...list('dynamic_listeners', items) };
}

function routesDump(routes: NonNullable<EnvoyState['routes']>): Json {
  const items = Object.entries(routes).map(([name, { version }]) => ({
    version_info: version,
    route_config: {
      '@type': type('envoy.config.route.v3.RouteConfiguration'),
      name,
      virtual_hosts: [{ name: version, domains: ['*'] }],
    },
    last_updated: lastUpdated,
  }));
  return { '@type': admin('RoutesConfigDump'), ...list('dynamic_route_configs', items) };
}

function secretsDump(secrets: NonNullable<EnvoyState['secrets']>): Json {
  const items = Object.entries(secrets).map(([name, { version }]) => ({
    name,
    version_info: version,
    last_updated: lastUpdated,
    secret: {
      '@type': type('envoy.extensions.transport_sockets.tls.v3.Secret'),
      name,
      tls_certificate: { certificate_chain: { inline_string: version } },
    },
  }));
  return { '@type': admin('SecretsConfigDump'), ...list('dynamic_active_secrets', items) };
}

function endpointsDump(state: EnvoyState): Json {
  const items = Object.entries(state.hosts).map(([name, hosts]) => ({
    endpoint_config: {
      '@type': type('envoy.config.endpoint.v3.ClusterLoadAssignment'),
      cluster_name: name,
      endpoints: [
        {
          locality: { region: 'r1', zone: 'z1' },
          load_balancing_weight: 1,
          lb_endpoints: Object.keys(hosts).map((address) => ({
            endpoint: { address: addressOf(address) },
            health_status: 'HEALTHY',
          })),
        },
      ],
    },
  }));
  return { '@type': admin('EndpointsConfigDump'), ...list('dynamic_endpoint_configs', items) };
}

/** Envoy omits empty fields. */
function list(name: string, items: readonly Json[]): Json {
  return items.length > 0 ? { [name]: items } : {};
}

function failure(details: string, version: string): Json {
  return { error_state: { details, last_update_attempt: lastUpdated, version_info: version } };
}

export function nodeOf({ nodeId, version }: EnvoyState): object {
  const [major, minor, patch] = version.split('.').map(Number);
  return {
    id: nodeId,
    cluster: 'front',
    locality: { region: 'r1', zone: 'z1' },
    user_agent_name: 'envoy',
    user_agent_build_version: { version: { major_number: major, minor_number: minor, patch } },
  };
}

export function addressOf(text: string): object {
  const [address, port] = text.split(':');
  return { socket_address: { address, port_value: Number(port) } };
}
