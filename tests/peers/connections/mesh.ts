import { CDS, EDS, LDS } from '@/lib/xds/resource-type';
import type { MeshResource } from '../../support/builders/topology-mesh';
import { http2 } from '../envoy/start';
import { serverListenerOf } from '../grpc-client';
import type { Flavor } from '../peer';

export const cluster = 'cart';
export const target = 'svc-a';

export interface Host {
  readonly port: number;
  readonly priority: number;
  readonly health: string;
}

export interface MeshOptions {
  readonly flavor: Flavor;
  /** The port of Envoy's listener. */
  readonly listenerPort: number;
  readonly hosts: readonly Host[];
  /** Hosts whose requests fail are ejected. */
  readonly ejects: boolean;
  /** The address that a server of the client listens on, and that of its Listener. */
  readonly server?: { readonly listening: string; readonly address: string };
}

const filters = 'type.googleapis.com/envoy.extensions.filters';
const local = (portValue: number) => ({ socketAddress: { address: '127.0.0.1', portValue } });

function managerOf(route: object): object {
  return {
    '@type': `${filters}.network.http_connection_manager.v3.HttpConnectionManager`,
    statPrefix: 'peers',
    routeConfig: {
      name: 'routes',
      virtualHosts: [{ name: 'all', domains: ['*'], routes: [{ match: { prefix: '' }, ...route }] }],
    },
    httpFilters: [{ name: 'router', typedConfig: { '@type': `${filters}.http.router.v3.Router` } }],
  };
}

/** Every interval ejects hosts half of whose requests fail; Envoy also after three in a row. */
const outlierDetection = {
  interval: '0.5s',
  baseEjectionTime: '4s',
  maxEjectionPercent: 100,
  enforcingSuccessRate: 0,
  ...{ enforcingFailurePercentage: 100, failurePercentageThreshold: 50 },
  ...{ failurePercentageMinimumHosts: 1, failurePercentageRequestVolume: 1 },
  consecutive5xx: 3,
};

/**
 * grpc-js-xds 1.14.1 ACKs an update that only adds fields, and continues with the earlier resource: its comparison has only
 * the fields of that one. This field has another value than by default, so that outlier detection takes effect.
 */
const circuitBreakers = { thresholds: [{ maxRequests: 1_000 }] };

/** One cluster of the hosts, one locality for each priority, behind one listener. */
export function meshOf({ flavor, listenerPort, hosts, ejects, server }: MeshOptions): MeshResource[] {
  const priorities = [...new Set(hosts.map(({ priority }) => priority))];
  const endpoints = priorities.map((priority) => ({
    locality: { region: 'here', zone: `here-${priority}` },
    ...{ priority, loadBalancingWeight: 1 },
    lbEndpoints: hosts
      .filter((host) => host.priority === priority)
      .map(({ port, health: healthStatus }) => ({ endpoint: { address: local(port) }, healthStatus })),
  }));
  const edsConfig = { ads: {}, resourceApiVersion: 'V3' };
  const manager = managerOf({ route: { cluster } });
  const chain = (typedConfig: object) => ({ filters: [{ name: 'manager', typedConfig }] });
  const listener =
    flavor === 'grpc'
      ? { apiListener: { apiListener: manager } }
      : { address: local(listenerPort), filterChains: [chain(manager)] };
  const [host, port] = (server?.address ?? '').split(':');
  const ofServer = {
    address: { socketAddress: { address: host, portValue: Number(port) } },
    filterChains: [chain(managerOf({ nonForwardingAction: {} }))],
  };
  const named = (typeUrl: string, name: string, body: object) => ({ typeUrl, name, body: { name, ...body } });
  return [
    named(LDS.typeUrl, target, listener),
    ...(server === undefined ? [] : [named(LDS.typeUrl, serverListenerOf(server.listening), ofServer)]),
    named(CDS.typeUrl, cluster, {
      ...{ type: 'EDS', edsClusterConfig: { edsConfig }, connectTimeout: '1s' },
      ...(ejects && { outlierDetection, circuitBreakers }),
      ...(flavor === 'envoy' && { typedExtensionProtocolOptions: http2Options }),
    }),
    { typeUrl: EDS.typeUrl, name: cluster, body: { clusterName: cluster, endpoints } },
  ];
}

/** `http2` in the names of JSON. */
const http2Options = Object.fromEntries(
  Object.entries(http2).map(([name, { '@type': type }]) => [
    name,
    { '@type': type, explicitHttpConfig: { http2ProtocolOptions: {} } },
  ]),
);
