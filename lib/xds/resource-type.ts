/** An xDS resource type. The list is in the order of every table, column and legend. */
export interface ResourceType {
  /** Abbreviation of the discovery service, such as "LDS". */
  readonly service: string;
  readonly typeUrl: string;
  /** Noun of one resource, such as "listener". */
  readonly noun: string;
  /**
   * True if a state-of-the-world response names every resource of the subscription, so that absence means deletion
   * (xDS protocol: only LDS and CDS).
   */
  readonly absenceDeletes: boolean;
}

const prefix = 'type.googleapis.com/';

function resourceType(service: string, message: string, noun: string, absenceDeletes = false): ResourceType {
  return { service, typeUrl: `${prefix}${message}`, noun, absenceDeletes };
}

export const LDS = resourceType('LDS', 'envoy.config.listener.v3.Listener', 'listener', true);
export const RDS = resourceType('RDS', 'envoy.config.route.v3.RouteConfiguration', 'route configuration');
export const SRDS = resourceType(
  'SRDS',
  'envoy.config.route.v3.ScopedRouteConfiguration',
  'scoped route configuration',
);
export const VHDS = resourceType('VHDS', 'envoy.config.route.v3.VirtualHost', 'virtual host');
export const CDS = resourceType('CDS', 'envoy.config.cluster.v3.Cluster', 'cluster', true);
export const EDS = resourceType('EDS', 'envoy.config.endpoint.v3.ClusterLoadAssignment', 'endpoints');
export const SDS = resourceType('SDS', 'envoy.extensions.transport_sockets.tls.v3.Secret', 'secret');
export const RTDS = resourceType('RTDS', 'envoy.service.runtime.v3.Runtime', 'runtime');
export const ECDS = resourceType('ECDS', 'envoy.config.core.v3.TypedExtensionConfig', 'extension config');

export const resourceTypes: readonly ResourceType[] = [LDS, RDS, SRDS, VHDS, CDS, EDS, SDS, RTDS, ECDS];

const byTypeUrl = new Map(resourceTypes.map((type) => [type.typeUrl, type]));
const rankByTypeUrl = new Map(resourceTypes.map((type, rank) => [type.typeUrl, rank]));

/** Adds the prefix of a type URL. Clients differ: grpc-js-xds reports CSDS type URLs without it. */
export function normaliseTypeUrl(typeUrl: string): string {
  return typeUrl === '' || typeUrl.includes('/') ? typeUrl : `${prefix}${typeUrl}`;
}

export function findResourceType(typeUrl: string): ResourceType | undefined {
  return byTypeUrl.get(normaliseTypeUrl(typeUrl));
}

/** "type.googleapis.com/envoy.config.cluster.v3.Cluster" -> "envoy.config.cluster.v3.Cluster". */
export function messageNameOf(typeUrl: string): string {
  return typeUrl.slice(typeUrl.lastIndexOf('/') + 1);
}

/** "CDS" for a known type, the last part of the message name for another. */
export function formatResourceType(typeUrl: string): string {
  return findResourceType(typeUrl)?.service ?? messageNameOf(typeUrl).split('.').at(-1) ?? typeUrl;
}

/** Known types in their fixed order, then the others by name. */
export function compareTypeUrls(a: string, b: string): number {
  // Most comparisons in a large list are within one type.
  if (a === b) return 0;
  return rankOf(a) - rankOf(b) || (a < b ? -1 : a > b ? 1 : 0);
}

function rankOf(typeUrl: string): number {
  return rankByTypeUrl.get(normaliseTypeUrl(typeUrl)) ?? resourceTypes.length;
}
