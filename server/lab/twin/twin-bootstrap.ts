import { adsSource } from '@/lib/twin/rewriting';
import { loopback, type TwinResource } from '@/lib/twin/twin';
import { RTDS } from '@/lib/xds/resource-type';
import type { StubAddress } from './service-stubs';

/** The cluster of the management server of the twin, which is named in no resource. */
const managementServer = 'xdscope.twin.management-server';

/** Listeners and clusters are always sent: Envoy waits for them, however busy the machine is. */
const wholeType = { ...adsSource, initialFetchTimeout: '0s' };

export interface TwinNode {
  readonly id: string;
  readonly cluster: string;
  readonly locality: { readonly region: string; readonly zone: string; readonly subZone: string };
  readonly metadata: unknown;
}

interface BootstrapOptions {
  readonly node: TwinNode;
  readonly adsPort: number;
  /** The path of the unix socket of the admin interface. */
  readonly adminPath: string;
  readonly resources: readonly TwinResource[];
  readonly stubs: readonly StubAddress[];
}

/** The bootstrap of an Envoy that has the node of the client, and everything else from the twin's management server. */
export function buildTwinBootstrap({ node, adsPort, adminPath, resources, stubs }: BootstrapOptions): object {
  const runtimes = resources.filter(({ typeUrl }) => typeUrl === RTDS.typeUrl);
  return {
    node: {
      id: node.id,
      cluster: node.cluster || 'xdscope-twin',
      locality: node.locality,
      ...(typeof node.metadata === 'object' && node.metadata !== null && { metadata: node.metadata }),
    },
    admin: { address: { pipe: { path: adminPath } } },
    dynamicResources: {
      adsConfig: {
        apiType: 'GRPC',
        transportApiVersion: 'V3',
        grpcServices: [{ envoyGrpc: { clusterName: managementServer } }],
      },
      ldsConfig: wholeType,
      cdsConfig: wholeType,
    },
    ...(runtimes.length > 0 && {
      layeredRuntime: {
        layers: runtimes.map(({ name }) => ({ name, rtdsLayer: { name, rtdsConfig: adsSource } })),
      },
    }),
    staticResources: {
      clusters: [
        staticCluster({ name: managementServer, port: adsPort, isHttp2: true }),
        ...stubs.map(({ cluster, port, protocol }) =>
          staticCluster({ name: cluster, port, isHttp2: protocol === 'grpc' }),
        ),
      ],
    },
  };
}

interface StaticCluster {
  readonly name: string;
  readonly port: number;
  readonly isHttp2: boolean;
}

function staticCluster({ name, port, isHttp2 }: StaticCluster): object {
  const endpoint = { address: { socketAddress: { address: loopback, portValue: port } } };
  return {
    name,
    type: 'STATIC',
    connectTimeout: '1s',
    ...(isHttp2 && {
      typedExtensionProtocolOptions: {
        'envoy.extensions.upstreams.http.v3.HttpProtocolOptions': {
          '@type': 'type.googleapis.com/envoy.extensions.upstreams.http.v3.HttpProtocolOptions',
          explicitHttpConfig: { http2ProtocolOptions: {} },
        },
      },
    }),
    loadAssignment: { clusterName: name, endpoints: [{ lbEndpoints: [{ endpoint }] }] },
  };
}
