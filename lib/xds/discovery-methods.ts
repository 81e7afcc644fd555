import { CDS, ECDS, EDS, LDS, RDS, type ResourceType, RTDS, SDS, SRDS, VHDS } from './resource-type';

export interface DiscoveryMethod {
  /** "package.Service/Method". */
  readonly path: string;
  /** null for the aggregated methods, which stream all types. */
  readonly type: ResourceType | null;
  readonly isDelta: boolean;
  readonly apiVersion: 'v3' | 'v2';
}

interface DiscoveryService {
  readonly type: ResourceType | null;
  readonly v3: string;
  /** null if v2 has no such service. */
  readonly v2: string | null;
  /** Its methods are Stream<noun> and Delta<noun>. */
  readonly noun: string;
  readonly isDeltaOnly?: boolean;
}

const services: readonly DiscoveryService[] = [
  {
    type: null,
    v3: 'envoy.service.discovery.v3.AggregatedDiscoveryService',
    v2: 'envoy.service.discovery.v2.AggregatedDiscoveryService',
    noun: 'AggregatedResources',
  },
  {
    type: LDS,
    v3: 'envoy.service.listener.v3.ListenerDiscoveryService',
    v2: 'envoy.api.v2.ListenerDiscoveryService',
    noun: 'Listeners',
  },
  {
    type: RDS,
    v3: 'envoy.service.route.v3.RouteDiscoveryService',
    v2: 'envoy.api.v2.RouteDiscoveryService',
    noun: 'Routes',
  },
  {
    type: SRDS,
    v3: 'envoy.service.route.v3.ScopedRoutesDiscoveryService',
    v2: 'envoy.api.v2.ScopedRoutesDiscoveryService',
    noun: 'ScopedRoutes',
  },
  {
    type: VHDS,
    v3: 'envoy.service.route.v3.VirtualHostDiscoveryService',
    v2: 'envoy.api.v2.VirtualHostDiscoveryService',
    noun: 'VirtualHosts',
    isDeltaOnly: true,
  },
  {
    type: CDS,
    v3: 'envoy.service.cluster.v3.ClusterDiscoveryService',
    v2: 'envoy.api.v2.ClusterDiscoveryService',
    noun: 'Clusters',
  },
  {
    type: EDS,
    v3: 'envoy.service.endpoint.v3.EndpointDiscoveryService',
    v2: 'envoy.api.v2.EndpointDiscoveryService',
    noun: 'Endpoints',
  },
  {
    type: SDS,
    v3: 'envoy.service.secret.v3.SecretDiscoveryService',
    v2: 'envoy.service.discovery.v2.SecretDiscoveryService',
    noun: 'Secrets',
  },
  {
    type: RTDS,
    v3: 'envoy.service.runtime.v3.RuntimeDiscoveryService',
    v2: 'envoy.service.discovery.v2.RuntimeDiscoveryService',
    noun: 'Runtime',
  },
  {
    type: ECDS,
    v3: 'envoy.service.extension.v3.ExtensionConfigDiscoveryService',
    v2: null,
    noun: 'ExtensionConfigs',
  },
];

/** Every streaming method of xDS: aggregated and per type, state of the world and delta, v3 and v2. */
export const discoveryMethods: readonly DiscoveryMethod[] = services.flatMap(
  ({ type, v3, v2, noun, isDeltaOnly = false }) =>
    (['v3', 'v2'] as const).flatMap((apiVersion) => {
      const service = apiVersion === 'v3' ? v3 : v2;
      if (service === null) return [];
      const delta: DiscoveryMethod = { path: `${service}/Delta${noun}`, type, isDelta: true, apiVersion };
      const sotw: DiscoveryMethod = { path: `${service}/Stream${noun}`, type, isDelta: false, apiVersion };
      return isDeltaOnly ? [delta] : [sotw, delta];
    }),
);

/**
 * `typeUrl` null means the aggregated method. Returns undefined if xDS has no such method: state-of-the-world VHDS,
 * v2 ECDS.
 */
export function findDiscoveryMethod(wanted: {
  readonly typeUrl: string | null;
  readonly isDelta: boolean;
  readonly apiVersion: 'v3' | 'v2';
}): DiscoveryMethod | undefined {
  return discoveryMethods.find(
    ({ type, isDelta, apiVersion }) =>
      (type?.typeUrl ?? null) === wanted.typeUrl &&
      isDelta === wanted.isDelta &&
      apiVersion === wanted.apiVersion,
  );
}

/** Formats a method as "ADS", "delta CDS" or "delta ADS (v2)". */
export function formatDiscoveryMethod({ type, isDelta, apiVersion }: Omit<DiscoveryMethod, 'path'>): string {
  const service = type?.service ?? 'ADS';
  return `${isDelta ? 'delta ' : ''}${service}${apiVersion === 'v2' ? ' (v2)' : ''}`;
}
