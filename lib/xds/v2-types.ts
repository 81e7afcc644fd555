import { CDS, EDS, LDS, normaliseTypeUrl, RDS, RTDS, SDS, SRDS, VHDS } from './resource-type';

/**
 * Resource types of the v2 API, and the wrapper of a resource, with their v3 counterparts. Fields that both versions
 * have use the same field numbers, so v2 bytes decode as v3. v2 has no ECDS.
 */
const v2Messages: readonly (readonly [v2: string, v3TypeUrl: string])[] = [
  ['envoy.api.v2.Listener', LDS.typeUrl],
  ['envoy.api.v2.RouteConfiguration', RDS.typeUrl],
  ['envoy.api.v2.ScopedRouteConfiguration', SRDS.typeUrl],
  ['envoy.api.v2.route.VirtualHost', VHDS.typeUrl],
  ['envoy.api.v2.Cluster', CDS.typeUrl],
  ['envoy.api.v2.ClusterLoadAssignment', EDS.typeUrl],
  ['envoy.api.v2.auth.Secret', SDS.typeUrl],
  ['envoy.service.discovery.v2.Runtime', RTDS.typeUrl],
  ['envoy.api.v2.Resource', 'type.googleapis.com/envoy.service.discovery.v3.Resource'],
];

const prefix = 'type.googleapis.com/';
const v3ByV2 = new Map(v2Messages.map(([v2, v3TypeUrl]) => [`${prefix}${v2}`, v3TypeUrl]));
const v2ByV3 = new Map(v2Messages.map(([v2, v3TypeUrl]) => [v3TypeUrl, `${prefix}${v2}`]));

/** The type URL of the v3 counterpart of a v2 type; undefined for all others. */
export function findV3TypeUrl(v2TypeUrl: string): string | undefined {
  return v3ByV2.get(normaliseTypeUrl(v2TypeUrl));
}

/** The v2 type URL of a v3 type; undefined if v2 does not have the type. */
export function findV2TypeUrl(v3TypeUrl: string): string | undefined {
  return v2ByV3.get(normaliseTypeUrl(v3TypeUrl));
}

/** Normalises a type URL to v3, and returns the API version that it was sent in. */
export function readTypeUrl(typeUrl: string): { readonly typeUrl: string; readonly apiVersion: 'v3' | 'v2' } {
  const v3 = findV3TypeUrl(typeUrl);
  return v3 === undefined
    ? { typeUrl: normaliseTypeUrl(typeUrl), apiVersion: 'v3' }
    : { typeUrl: v3, apiVersion: 'v2' };
}
