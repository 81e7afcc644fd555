import { CDS, EDS, LDS, RDS } from '../../xds/resource-type';
import type { Share } from '../divide-traffic';
import type { BuildResources, CaseBackend, CaseMesh, CaseResource } from '../interop-case';

type Json = Readonly<Record<string, unknown>>;

/** A locality of an assignment with its backends. */
export interface CaseLocality extends Partial<Share> {
  readonly zone: string;
  readonly backends: readonly CaseBackend[];
}

export interface CaseRoute {
  /** route.RouteMatch. Absent: every RPC. */
  readonly match?: Json;
  /** A cluster, or clusters with their weights. */
  readonly to: string | Readonly<Record<string, number>>;
  /** Further fields of route.RouteAction. */
  readonly action?: Json;
  readonly typedPerFilterConfig?: Json;
}

export const ads = { ads: {}, resourceApiVersion: 'V3' };
export const routesName = 'routes';
export const listenerName = 'svc';

export function typed(message: string, fields: Json = {}): Json {
  return { '@type': `type.googleapis.com/${message}`, ...fields };
}

const managerType = 'envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager';
const router = { name: 'router', typedConfig: typed('envoy.extensions.filters.http.router.v3.Router') };

/** A gRPC client's listener (gRFC A27), with its routes by RDS. */
export function listener({
  name = listenerName,
  routes = routesName,
  filters = [],
}: {
  readonly name?: string;
  readonly routes?: string;
  /** HTTP filters before the router. */
  readonly filters?: readonly Json[];
} = {}): CaseResource {
  const apiListener = typed(managerType, {
    rds: { routeConfigName: routes, configSource: ads },
    httpFilters: [...filters, router],
  });
  return { typeUrl: LDS.typeUrl, name, json: { name, apiListener: { apiListener } } };
}

/** The template of the bootstrap, of which the address is the name of a server's listener (gRFC A36). */
export const serverListenerTemplate = 'grpc/server?xds.resource.listening_address=%s';

/** The listener of an xDS-enabled server (gRFC A36). */
export function serverListener(
  { port }: CaseBackend,
  { filters = [], transportSocket }: { readonly filters?: readonly Json[]; readonly transportSocket?: Json },
): CaseResource {
  const name = serverListenerTemplate.replace('%s', `127.0.0.1:${port}`);
  const route = { match: { prefix: '' }, nonForwardingAction: {} };
  const manager = typed(managerType, {
    routeConfig: { name: 'inbound', virtualHosts: [{ name: 'inbound', domains: ['*'], routes: [route] }] },
    httpFilters: [...filters, router],
  });
  const chain = {
    name: 'inbound',
    filters: [{ name: 'manager', typedConfig: manager }],
    ...(transportSocket && { transportSocket }),
  };
  const json = { name, address: addressOf('127.0.0.1', port), filterChains: [chain] };
  return { typeUrl: LDS.typeUrl, name, json };
}

export function routeConfiguration(
  routes: readonly CaseRoute[],
  { name = routesName, domain = '*' }: { readonly name?: string; readonly domain?: string } = {},
): CaseResource {
  const virtualHost = {
    name,
    domains: [domain],
    routes: routes.map(({ match = { prefix: '' }, to, action, typedPerFilterConfig }) => ({
      match,
      ...(typedPerFilterConfig && { typedPerFilterConfig }),
      route: { ...(typeof to === 'string' ? { cluster: to } : weighted(to)), ...action },
    })),
  };
  return { typeUrl: RDS.typeUrl, name, json: { name, virtualHosts: [virtualHost] } };
}

function weighted(weights: Readonly<Record<string, number>>): Json {
  const clusters = Object.entries(weights).map(([name, weight]) => ({ name, weight }));
  return { weightedClusters: { clusters } };
}

/** An EDS cluster that reports its load to the management server. */
export function cluster(name: string, fields: Json = {}): CaseResource {
  const usual = { type: 'EDS', lbPolicy: 'ROUND_ROBIN', lrsServer: { self: {} } };
  return {
    typeUrl: CDS.typeUrl,
    name,
    json: { name, ...usual, edsClusterConfig: { edsConfig: ads }, ...fields },
  };
}

export function endpoints(name: string, localities: readonly CaseLocality[]): CaseResource {
  const json = {
    clusterName: name,
    endpoints: localities
      .filter(({ backends }) => backends.length > 0)
      .map(({ zone, priority = 0, weight = 100, backends }) => ({
        locality: { region: 'lab', zone },
        priority,
        loadBalancingWeight: weight,
        lbEndpoints: backends.map(({ port, isHealthy }) => ({
          healthStatus: isHealthy ? 'HEALTHY' : 'UNHEALTHY',
          endpoint: { address: addressOf('127.0.0.1', port) },
        })),
      })),
  };
  return { typeUrl: EDS.typeUrl, name, json };
}

export function addressOf(address: string, portValue: number): Json {
  return { socketAddress: { address, portValue } };
}

/** The cluster "a" with all RPCs to it. Without localities: the backends of the group "a" in one. */
export function oneCluster({
  fields = {},
  localities = (mesh) => [{ zone: 'a', backends: mesh.group('a') }],
  route = {},
  routes = [{ to: 'a', ...route }],
  filters = [],
}: {
  readonly fields?: Json;
  readonly localities?: (mesh: CaseMesh) => readonly CaseLocality[];
  /** Further fields of the only route. */
  readonly route?: Partial<CaseRoute>;
  readonly routes?: readonly CaseRoute[];
  readonly filters?: readonly Json[];
} = {}): BuildResources {
  return (mesh) => [
    listener({ filters }),
    routeConfiguration(routes),
    cluster('a', fields),
    endpoints('a', localities(mesh)),
  ];
}

/** The clusters "a" and "b", each with the backends of its group, and these routes. */
export function twoClusters(
  routes: readonly CaseRoute[],
  fields: { readonly a?: Json; readonly b?: Json } = {},
): BuildResources {
  return (mesh) => [
    listener(),
    routeConfiguration(routes),
    ...(['a', 'b'] as const).flatMap((name) => [
      cluster(name, fields[name]),
      endpoints(name, [{ zone: 'a', backends: mesh.group(name) }]),
    ]),
  ];
}
