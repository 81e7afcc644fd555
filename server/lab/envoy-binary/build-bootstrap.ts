import { CDS, EDS, LDS, RDS, SDS } from '@/lib/xds/resource-type';
import { encodeBody } from '../../codec/encode-body';
import { WireWriter } from '../../codec/wire-writer';
import type { Body } from '../../observe';

const v3 = 'type.googleapis.com/envoy.config';
const managerType =
  'type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager';
/** The cluster of the management server, which is named in no resource. */
const managementServer = 'xdscope.management-server';

/** Field numbers of envoy.config.bootstrap.v3.Bootstrap and its StaticResources, and of what encloses a resource. */
const fields = {
  staticResources: 2,
  ...{ listeners: 1, clusters: 2, secrets: 3 },
  ...{ filterChains: 3, filters: 3, typedConfig: 4, anyTypeUrl: 1, anyValue: 2 },
  ...{ routeConfig: 4, validateClusters: 7, loadAssignment: 33 },
} as const;

/** The types that `envoy --mode validate` can be asked about. */
export const askableTypes: ReadonlySet<string> = new Set(
  [LDS, RDS, CDS, EDS, SDS].map(({ typeUrl }) => typeUrl),
);

/**
 * A bootstrap, as protobuf, with one resource as it was given and clusters of these names. Its bytes are not decoded, so that
 * Envoy reads every field. A route configuration is that of a connection manager, and endpoints are those of a static cluster.
 */
export function buildBootstrap({ typeUrl, bytes }: Body, clusters: Iterable<string>): Uint8Array {
  const resources = new WireWriter();
  for (const name of new Set([managementServer, ...clusters]))
    resources.message(fields.clusters, clusterOf(name));
  addResource(resources, typeUrl, bytes);
  const skeleton = encodeBody(`${v3}.bootstrap.v3.Bootstrap`, {
    node: { id: 'xdscope-check', cluster: 'xdscope-check' },
    dynamicResources: {
      adsConfig: {
        apiType: 'GRPC',
        transportApiVersion: 'V3',
        grpcServices: [{ envoyGrpc: { clusterName: managementServer } }],
      },
    },
  });
  return new WireWriter().fields(skeleton).message(fields.staticResources, resources.finish()).finish();
}

function addResource(resources: WireWriter, typeUrl: string, bytes: Uint8Array): void {
  switch (typeUrl) {
    case LDS.typeUrl:
      resources.message(fields.listeners, bytes);
      return;
    case CDS.typeUrl:
      resources.message(fields.clusters, bytes);
      return;
    case SDS.typeUrl:
      resources.message(fields.secrets, bytes);
      return;
    case RDS.typeUrl:
      resources.message(fields.listeners, listenerWith(bytes));
      return;
    case EDS.typeUrl: {
      const cluster = encodeBody(CDS.typeUrl, { name: 'xdscope.checked', type: 'STATIC' });
      const whole = new WireWriter().fields(cluster).message(fields.loadAssignment, bytes);
      resources.message(fields.clusters, whole.finish());
      return;
    }
    default:
      throw new Error(`expected one of ${[...askableTypes].join(', ')}, got ${typeUrl}`);
  }
}

function clusterOf(name: string): Uint8Array {
  return encodeBody(CDS.typeUrl, { name, type: 'STATIC' });
}

/** Envoy does not look up the clusters of dynamic routes, unless they state so themselves. */
function listenerWith(routes: Uint8Array): Uint8Array {
  const unsetValue = new Uint8Array();
  const config = new WireWriter().message(fields.validateClusters, unsetValue).fields(routes).finish();
  const manager = encodeBody(managerType, {
    statPrefix: 'check',
    httpFilters: [
      {
        name: 'router',
        typedConfig: { '@type': 'type.googleapis.com/envoy.extensions.filters.http.router.v3.Router' },
      },
    ],
  });
  const whole = new WireWriter().fields(manager).message(fields.routeConfig, config).finish();
  const any = new WireWriter()
    .string(fields.anyTypeUrl, managerType)
    .message(fields.anyValue, whole)
    .finish();
  const filter = new WireWriter().string(1, 'manager').message(fields.typedConfig, any).finish();
  const chain = new WireWriter().message(fields.filters, filter).finish();
  const listener = encodeBody(LDS.typeUrl, {
    name: 'xdscope.checked',
    address: { socketAddress: { address: '127.0.0.1', portValue: 0 } },
  });
  return new WireWriter().fields(listener).message(fields.filterChains, chain).finish();
}
