import { CDS, EDS } from '@/lib/xds/resource-type';
import { type AnyMessage, encodeMessage, packed, responseOf } from '../support/builders/xds-wire';

export interface MeshSize {
  readonly clusters: number;
  /** The number of endpoints of a cluster, both limits included. */
  readonly endpoints: { readonly min: number; readonly max: number };
}

const nameOf = (index: number): string => `outbound|8080||service-${index}.shop.svc.cluster.local`;

function clusterOf(index: number): AnyMessage {
  return packed(CDS.typeUrl, {
    name: nameOf(index),
    type: 'EDS',
    edsClusterConfig: { edsConfig: { ads: {}, resourceApiVersion: 'V3' }, serviceName: nameOf(index) },
    connectTimeout: { seconds: 10 },
    lbPolicy: 'ROUND_ROBIN',
    circuitBreakers: { thresholds: [{ maxRequests: { value: 4096 } }] },
  });
}

/** The port of the first endpoint grows with `generation`. */
function assignmentOf(index: number, { endpoints: { min, max } }: MeshSize, generation: number): AnyMessage {
  const count = min + (index % (max - min + 1));
  const address = (host: number) => ({
    address: `10.${(index >> 8) & 255}.${index & 255}.${host + 1}`,
    portValue: host === 0 ? 8_080 + generation : 8_080,
  });
  const endpointOf = (host: number) => ({
    endpoint: { address: { socketAddress: address(host) } },
    healthStatus: 'HEALTHY',
    loadBalancingWeight: { value: 1 },
    metadata: {
      filterMetadata: { istio: { fields: { workload: { stringValue: `service-${index};shop;v1` } } } },
    },
  });
  const zones = ['a', 'b'].map((zone, side) => ({
    locality: { region: 'eu-west-1', zone: `eu-west-1${zone}` },
    loadBalancingWeight: { value: 1 },
    lbEndpoints: Array.from({ length: count }, (_, host) => host)
      .filter((host) => host % 2 === side)
      .map(endpointOf),
  }));
  return packed(EDS.typeUrl, { clusterName: nameOf(index), endpoints: zones });
}

function sotwOf(typeUrl: string, version: number, resources: readonly AnyMessage[]): Buffer {
  return responseOf({ typeUrl, versionInfo: String(version), nonce: String(version), resources });
}

function deltaOf(typeUrl: string, version: number, from: number, resources: readonly AnyMessage[]): Buffer {
  const text = String(version);
  return encodeMessage('envoy.service.discovery.v3.DeltaDiscoveryResponse', {
    ...{ systemVersionInfo: text, nonce: text, typeUrl },
    resources: resources.map((resource, index) => ({ name: nameOf(from + index), version: text, resource })),
  });
}

const clustersOf = ({ clusters }: MeshSize): AnyMessage[] =>
  Array.from({ length: clusters }, (_, index) => clusterOf(index));

const assignmentsOf = (size: MeshSize, version: number): AnyMessage[] =>
  Array.from({ length: size.clusters }, (_, index) =>
    assignmentOf(index, size, index === middleOf(size) ? version : 1),
  );

const middleOf = ({ clusters }: MeshSize): number => clusters >> 1;

export function clustersResponse(size: MeshSize): Buffer {
  return sotwOf(CDS.typeUrl, 1, clustersOf(size));
}

/** State of the world: all resources. From version 2 on, the resource in the middle differs from version to version. */
export function endpointsResponse(size: MeshSize, version = 1): Buffer {
  return sotwOf(EDS.typeUrl, version, assignmentsOf(size, version));
}

export function deltaClustersResponse(size: MeshSize): Buffer {
  return deltaOf(CDS.typeUrl, 1, 0, clustersOf(size));
}

/** Delta: all resources in version 1, and the resource in the middle in each later version. */
export function deltaEndpointsResponse(size: MeshSize, version = 1): Buffer {
  const middle = middleOf(size);
  return version === 1
    ? deltaOf(EDS.typeUrl, version, 0, assignmentsOf(size, version))
    : deltaOf(EDS.typeUrl, version, middle, [assignmentOf(middle, size, version)]);
}
