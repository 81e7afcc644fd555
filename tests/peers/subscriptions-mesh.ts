import { CDS, ECDS, LDS, RDS, SDS, SRDS, VHDS } from '@/lib/xds/resource-type';
import { encodeBody } from '@/server/codec/encode-body';
import type { Resource } from '@/server/lab/management-server/snapshot-store';

const filters = 'type.googleapis.com/envoy.extensions.filters';
const ads = { ads: {}, resource_api_version: 'V3' };
/** The source of the resources that a request asks for. */
const onDemand = `${filters}.http.on_demand.v3.OnDemand`;

function resourceOf(typeUrl: string, name: string, json: object): Resource {
  return { typeUrl, name, bytes: encodeBody(typeUrl, json) };
}

function listener(
  name: string,
  port: number,
  routing: object,
  first: readonly object[],
  chain: object = {},
): Resource {
  const router = { name: 'router', typed_config: { '@type': `${filters}.http.router.v3.Router` } };
  const manager = {
    '@type': `${filters}.network.http_connection_manager.v3.HttpConnectionManager`,
    ...{ stat_prefix: 'http', http_filters: [...first, router], ...routing },
  };
  return resourceOf(LDS.typeUrl, name, {
    ...{ name, address: { socket_address: { address: '127.0.0.1', port_value: port } } },
    filter_chains: [{ filters: [{ name: 'http', typed_config: manager }], ...chain }],
  });
}

/** Virtual hosts of `routes-v` come by VHDS, on demand. */
export function hostsListener(port: number): Resource {
  const demand = { name: 'demand', typed_config: { '@type': onDemand } };
  const rds = { route_config_name: 'routes-v', config_source: ads };
  return listener('hosts', port, { rds }, [demand]);
}

export function hostsRoutes(): Resource {
  const json = { name: 'routes-v', virtual_hosts: [], vhds: { config_source: ads } };
  return resourceOf(RDS.typeUrl, 'routes-v', json);
}

/** The listener requests the cluster that a header names, on demand. */
export function clustersListener(port: number): Resource {
  const odcds = { source: ads, timeout: '1s' };
  const demand = { name: 'demand', typed_config: { '@type': onDemand, odcds } };
  const routes = [{ match: { prefix: '/' }, route: { cluster_header: 'x-cluster' } }];
  const route_config = { name: 'inline', virtual_hosts: [{ name: 'all', domains: ['*'], routes }] };
  return listener('clusters', port, { route_config }, [demand]);
}

const buffer = `${filters}.http.buffer.v3.Buffer`;

/** The config of an HTTP filter of the listener with scopes, by ECDS. */
export function filterConfig(maxRequestBytes: number): Resource {
  const typedConfig = { '@type': buffer, max_request_bytes: maxRequestBytes };
  return resourceOf(ECDS.typeUrl, 'filter-a', { name: 'filter-a', typed_config: typedConfig });
}

/** The header x-scope chooses the route configuration. */
export function scopesListener(port: number): Resource {
  const extractor = { name: 'x-scope', element: { separator: '=', key: 'k' } };
  const scoped_routes = {
    ...{ name: 'scopes', rds_config_source: ads },
    scope_key_builder: { fragments: [{ header_value_extractor: extractor }] },
    scoped_rds: { scoped_rds_config_source: ads },
  };
  const filter = { name: 'filter-a', config_discovery: { config_source: ads, type_urls: [buffer] } };
  return listener('scopes', port, { scoped_routes }, [filter]);
}

export function scope(name: string, key: string, routes: string): Resource {
  const json = {
    ...{ name, route_configuration_name: routes },
    key: { fragments: [{ string_key: key }] },
  };
  return resourceOf(SRDS.typeUrl, name, json);
}

/** Every request gets 200, or goes to a cluster. */
export function routes(name: string, cluster?: string): Resource {
  return resourceOf(RDS.typeUrl, name, { name, virtual_hosts: [hostOf('all', ['*'], cluster)] });
}

export function virtualHost(name: string, domains: readonly string[], cluster?: string): Resource {
  const host = hostOf(name, domains, cluster);
  return {
    ...resourceOf(VHDS.typeUrl, `routes-v/${name}`, host),
    aliases: domains.map((domain) => `routes-v/${domain}`),
  };
}

function hostOf(name: string, domains: readonly string[], cluster: string | undefined): object {
  const answer = cluster === undefined ? { direct_response: { status: 200 } } : { route: { cluster } };
  return { name, domains, routes: [{ match: { prefix: '/' }, ...answer }] };
}

export function cluster(name: string, port: number, more: object = {}): Resource {
  const address = { socket_address: { address: '127.0.0.1', port_value: port } };
  const endpoints = [{ lb_endpoints: [{ endpoint: { address } }] }];
  const json = {
    name,
    type: 'STATIC',
    connect_timeout: '1s',
    load_assignment: { cluster_name: name, endpoints },
    ...more,
  };
  return resourceOf(CDS.typeUrl, name, json);
}

/** A collection member: the listener answers 200 itself. */
export function plainListener(name: string, port: number): Resource {
  const route_config = { name: 'inline', virtual_hosts: [hostOf('all', ['*'], undefined)] };
  return listener(name, port, { route_config }, []);
}

/** A listener with TLS, whose certificate is a secret. */
export function secureListener(name: string, port: number, secret: string): Resource {
  const route_config = { name: 'inline', virtual_hosts: [hostOf('all', ['*'], undefined)] };
  const typed_config = {
    '@type': 'type.googleapis.com/envoy.extensions.transport_sockets.tls.v3.DownstreamTlsContext',
    common_tls_context: { tls_certificate_sds_secret_configs: [{ name: secret, sds_config: ads }] },
  };
  return listener(name, port, { route_config }, [], { transport_socket: { name: 'tls', typed_config } });
}

export function brokenSecret(name: string): Resource {
  const text = { inline_string: 'not PEM' };
  return resourceOf(SDS.typeUrl, name, {
    name,
    tls_certificate: { certificate_chain: text, private_key: text },
  });
}
