import { CDS, EDS } from '@/lib/xds/resource-type';
import { messageType } from '@/server/codec/root';

/** How large a mesh is, and how its endpoints look. */
export interface MeshSize {
  readonly clusters: number;
  /** Of each cluster, both included. */
  readonly endpoints: { readonly min: number; readonly max: number };
}

const responseType = messageType('envoy.service.discovery.v3.DiscoveryResponse');
const clusterType = messageType('envoy.config.cluster.v3.Cluster');
const assignmentType = messageType('envoy.config.endpoint.v3.ClusterLoadAssignment');

const nameOf = (index: number): string => `outbound|8080||service-${index}.shop.svc.cluster.local`;

function clusterOf(index: number): Uint8Array {
  return clusterType
    .encode(
      clusterType.fromObject({
        name: nameOf(index),
        type: 'EDS',
        edsClusterConfig: { edsConfig: { ads: {}, resourceApiVersion: 'V3' }, serviceName: nameOf(index) },
        connectTimeout: { seconds: 10 },
        lbPolicy: 'ROUND_ROBIN',
        circuitBreakers: { thresholds: [{ maxRequests: { value: 4096 } }] },
      }),
    )
    .finish();
}

/** `generation` is to be seen in the port of its first endpoint. */
function assignmentOf(index: number, { endpoints: { min, max } }: MeshSize, generation: number): Uint8Array {
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
  return assignmentType
    .encode(assignmentType.fromObject({ clusterName: nameOf(index), endpoints: zones }))
    .finish();
}

function responseOf(typeUrl: string, version: number, values: readonly Uint8Array[]): Buffer {
  const resources = values.map((value) => ({ type_url: typeUrl, value }));
  const version_info = String(version);
  const message = { versionInfo: version_info, nonce: version_info, typeUrl, resources };
  return Buffer.from(responseType.encode(message).finish());
}

const deltaType = messageType('envoy.service.discovery.v3.DeltaDiscoveryResponse');

function deltaOf(typeUrl: string, version: number, from: number, values: readonly Uint8Array[]): Buffer {
  const resources = values.map((value, index) => ({
    name: nameOf(from + index),
    version: String(version),
    resource: { type_url: typeUrl, value },
  }));
  const message = { systemVersionInfo: String(version), nonce: String(version), typeUrl, resources };
  return Buffer.from(deltaType.encode(deltaType.fromObject(message)).finish());
}

const clustersOf = (size: MeshSize): Uint8Array[] =>
  Array.from({ length: size.clusters }, (_, index) => clusterOf(index));

const assignmentsOf = (size: MeshSize, version: number): Uint8Array[] =>
  Array.from({ length: size.clusters }, (_, index) =>
    assignmentOf(index, size, index === middleOf(size) ? version : 1),
  );

const middleOf = ({ clusters }: MeshSize): number => clusters >> 1;

export function clustersResponse(size: MeshSize, version = 1): Buffer {
  return responseOf(CDS.typeUrl, version, clustersOf(size));
}

/** State of the world: all of them. From version 2 on the one in the middle is another one each time. */
export function endpointsResponse(size: MeshSize, version = 1): Buffer {
  return responseOf(EDS.typeUrl, version, assignmentsOf(size, version));
}

/** The same by delta: all at first, then the one in the middle. */
export function deltaClustersResponse(size: MeshSize): Buffer {
  return deltaOf(CDS.typeUrl, 1, 0, clustersOf(size));
}

export function deltaEndpointsResponse(size: MeshSize, version = 1): Buffer {
  const middle = middleOf(size);
  return version === 1
    ? deltaOf(EDS.typeUrl, version, 0, assignmentsOf(size, version))
    : deltaOf(EDS.typeUrl, version, middle, [assignmentOf(middle, size, version)]);
}
