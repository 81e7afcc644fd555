import { CDS, EDS, LDS, RDS } from '@/lib/xds/resource-type';
import { messageType } from '@/server/codec/root';

/** Encodes a message. Field names are those of protobufjs. */
export function encodeMessage(type: string, fields: Record<string, unknown>): Buffer {
  const found = messageType(type);
  return Buffer.from(found.encode(found.fromObject(fields)).finish());
}

export interface AnyMessage {
  readonly type_url: string;
  readonly value: Uint8Array;
}

export function anyOf(typeUrl: string, value: Uint8Array): AnyMessage {
  return { type_url: typeUrl, value };
}

export function packed(typeUrl: string, fields: Record<string, unknown>): AnyMessage {
  return anyOf(typeUrl, encodeMessage(typeUrl.slice(typeUrl.lastIndexOf('/') + 1), fields));
}

const router = {
  name: 'router',
  typedConfig: packed('type.googleapis.com/envoy.extensions.filters.http.router.v3.Router', {}),
};

export function listenerOf(name: string, rdsName?: string): AnyMessage {
  const hcm = packed(
    'type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager',
    rdsName === undefined
      ? { statPrefix: name }
      : { rds: { routeConfigName: rdsName, configSource: { ads: {} } }, httpFilters: [router] },
  );
  return packed(LDS.typeUrl, { name, apiListener: { apiListener: hcm } });
}

export function routeOf(name: string, ...clusters: string[]): AnyMessage {
  const routes = clusters.map((cluster) => ({ match: { prefix: `/${cluster}` }, route: { cluster } }));
  return packed(RDS.typeUrl, { name, virtualHosts: [{ name: 'all', domains: ['*'], routes }] });
}

export function clusterOf(name: string, serviceName = ''): AnyMessage {
  return packed(CDS.typeUrl, {
    name,
    type: 'EDS',
    edsClusterConfig: { edsConfig: { ads: {} }, serviceName },
  });
}

export function endpointsOf(clusterName: string, weight = 1): AnyMessage {
  const endpoint = { address: { socketAddress: { address: '127.0.0.1', portValue: 1 } } };
  return packed(EDS.typeUrl, {
    clusterName,
    endpoints: [
      { locality: { zone: 'a' }, loadBalancingWeight: { value: weight }, lbEndpoints: [{ endpoint }] },
    ],
  });
}

export interface ResponseFields {
  readonly typeUrl: string;
  readonly versionInfo: string;
  readonly nonce: string;
  readonly resources: readonly AnyMessage[];
  readonly controlPlane?: { readonly identifier: string };
}

export function responseOf(fields: ResponseFields): Buffer {
  return encodeMessage('envoy.service.discovery.v3.DiscoveryResponse', { ...fields });
}

/** A wrapping envoy.service.discovery.v3.Resource; without a resource it is a heartbeat. */
export function wrapped(name: string, resource?: AnyMessage): AnyMessage {
  return packed('type.googleapis.com/envoy.service.discovery.v3.Resource', { name, resource });
}
