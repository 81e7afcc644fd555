import { CDS, EDS, LDS, RDS } from '@/lib/xds/resource-type';
import type { MeshResource } from '../../support/builders/topology-mesh';
import type { Outcome, View } from './rows';

/** The config of one target of a gRPC client: the resources have the name of the target, or begin with it. */
export interface GrpcSituation {
  /** The name of its Listener. */
  readonly name: string;
  readonly title: string;
  readonly first: readonly MeshResource[];
  /** Served when RPCs have had the outcome of the first ones. Absent: the first ones stay. */
  readonly later?: readonly MeshResource[];
  /** The outcome of the first ones. Absent: RPCs succeed. */
  readonly firstOutcome?: Outcome;
  /** The clusters to which the route of the RPCs leads. */
  readonly clusters: readonly string[];
  /** The views that lack the fact, by the name of the client, or by the vantage. */
  readonly lacking?: Readonly<Record<string, readonly View[]>>;
}

/** An issue about many targets of one client names the five with the most errors. */
const fiveNamed: GrpcSituation['lacking'] = { 'grpc-js-xds': ['issues'] };

/**
 * The channelz of grpc-java counts no RPC that ends before a connection is chosen. Which methods are called is not in the config.
 */
export const uncounted: GrpcSituation['lacking'] = {
  'grpc-java': ['issues', 'connections'],
  'grpc-js-xds': ['issues'],
  CSDS: ['issues'],
};

export interface BackendPorts {
  /** Answers every RPC. */
  readonly good: number;
  /** Accepts no connection. */
  readonly closed: number;
}

interface Endpoint {
  readonly port: number;
  readonly health?: string;
}

export interface Options {
  readonly routes?: readonly object[];
  readonly domains?: readonly string[];
  readonly filters?: readonly object[];
  readonly cluster?: object;
  /** By priority. */
  readonly endpoints?: readonly (readonly Endpoint[])[];
  readonly policy?: object;
}

export const filters = 'type.googleapis.com/envoy.extensions.filters';
const ads = { ads: {}, resourceApiVersion: 'V3' };
const router = { name: 'router', typedConfig: { '@type': `${filters}.http.router.v3.Router` } };
export const every = { prefix: '' };

export function resource(typeUrl: string, name: string, body: object): MeshResource {
  return {
    typeUrl,
    name,
    body: typeUrl === EDS.typeUrl ? { clusterName: name, ...body } : { name, ...body },
  };
}

export function listener(name: string, httpFilters: readonly object[] = []): MeshResource {
  const manager = {
    '@type': `${filters}.network.http_connection_manager.v3.HttpConnectionManager`,
    rds: { routeConfigName: name, configSource: ads },
    httpFilters: [...httpFilters, router],
  };
  return resource(LDS.typeUrl, name, { apiListener: { apiListener: manager } });
}

export function routes(
  name: string,
  own: readonly object[],
  domains: readonly string[] = ['*'],
): MeshResource {
  return resource(RDS.typeUrl, name, { virtualHosts: [{ name: 'all', domains, routes: own }] });
}

export function cluster(name: string, more: object = {}): MeshResource {
  return resource(CDS.typeUrl, name, { type: 'EDS', edsClusterConfig: { edsConfig: ads }, ...more });
}

export function endpoints(
  name: string,
  priorities: readonly (readonly Endpoint[])[],
  policy?: object,
  firstPriority = 0,
): MeshResource {
  return resource(EDS.typeUrl, name, {
    endpoints: priorities.map((own, at) => ({
      locality: { region: 'here', zone: `here-${at}` },
      ...{ priority: firstPriority + at, loadBalancingWeight: 1 },
      lbEndpoints: own.map(({ port, health: healthStatus = 'UNKNOWN' }) => ({
        endpoint: { address: { socketAddress: { address: '127.0.0.1', portValue: port } } },
        healthStatus,
      })),
    })),
    ...(policy && { policy }),
  });
}

const percent = (numerator: number) => ({ numerator, denominator: 'HUNDRED' });

export function fault(share: number): object {
  const abort = { httpStatus: 503, percentage: percent(share) };
  return { name: 'fault', typedConfig: { '@type': `${filters}.http.fault.v3.HTTPFault`, abort } };
}

export const drops = (share: number) => ({
  dropOverloads: [{ category: 'shed', dropPercentage: percent(share) }],
});

export const rejected = {
  // The router is a terminal filter: nothing may follow it.
  listener: (name: string) => listener(name, [{ ...router, name: 'second-router' }]),
  // Weights that add up to 0.
  routes: (name: string) =>
    routes(name, [{ match: every, route: { weightedClusters: { clusters: [{ name, weight: 0 }] } } }]),
  cluster: (name: string) => cluster(name, { lbPolicy: 'RANDOM' }),
  // A priority without the one before it.
  endpoints: (name: string, port: number) => endpoints(name, [[{ port }]], undefined, 1),
};

/** The configs of targets that lead to these backends. */
export function grpcBuilders({ good, closed }: BackendPorts) {
  const up = [[{ port: good }]];
  const leadingTo = (name: string, options: Options = {}): MeshResource[] => [
    listener(name, options.filters),
    routes(name, options.routes ?? [{ match: every, route: { cluster: name } }], options.domains),
    cluster(name, options.cluster),
    endpoints(name, options.endpoints ?? up, options.policy),
  ];
  const replace = (all: readonly MeshResource[], ...by: readonly MeshResource[]): MeshResource[] => [
    ...all.filter(({ typeUrl }) => by.every((each) => each.typeUrl !== typeUrl)),
    ...by,
  ];
  const over = (name: string, title: string, options: Options = {}): GrpcSituation => ({
    ...{ name, title, first: leadingTo(name, options), clusters: [name], lacking: fiveNamed },
  });
  const without = (name: string, title: string, first: readonly MeshResource[]): GrpcSituation => ({
    ...{ name, title, first, clusters: [], lacking: fiveNamed },
  });
  const later = (name: string, title: string, ...by: readonly MeshResource[]): GrpcSituation => ({
    ...over(name, title),
    later: replace(leadingTo(name), ...by),
  });
  const repaired = (name: string, title: string, first: Options): GrpcSituation => ({
    ...over(name, title, first),
    ...{ firstOutcome: 'fails', later: leadingTo(name) },
  });
  const legs = (name: string): object => ({
    weightedClusters: {
      clusters: [
        { name, weight: 50 },
        { name: `${name}-bad`, weight: 50 },
      ],
    },
  });
  const aggregate = (name: string, ...clusters: string[]): MeshResource =>
    resource(CDS.typeUrl, name, {
      clusterType: {
        name: 'envoy.clusters.aggregate',
        typedConfig: {
          '@type': 'type.googleapis.com/envoy.extensions.clusters.aggregate.v3.ClusterConfig',
          clusters,
        },
      },
    });
  const bad = (name: string): MeshResource[] => [cluster(name), endpoints(name, [[{ port: closed }]])];
  const fine = (name: string): MeshResource[] => [cluster(name), endpoints(name, up)];
  return { leadingTo, replace, over, without, later, repaired, legs, aggregate, bad, fine };
}
