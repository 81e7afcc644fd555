import { CDS, EDS, LDS, RDS, type ResourceType, SDS } from '@/lib/xds/resource-type';
import { encodeBody } from '@/server/codec/encode-body';
import type { Resource } from '@/server/lab/management-server/snapshot-store';
import type { Flavor } from './peer';

/**
 * The served config, the same names for every client:
 *
 *     svc-a -> routes-a -> cluster-a -> endpoints cluster-a
 *                       -> cluster-b -> endpoints cluster-b
 *     svc-b -> routes-b -> cluster-b
 *
 * A story for Envoy can add secrets to clusters.
 */
export const services = { LDS, RDS, CDS, EDS, SDS } as const;
export type Service = keyof typeof services;

export const names: Record<Service, readonly [first: string, second: string]> = {
  LDS: ['svc-a', 'svc-b'],
  RDS: ['routes-a', 'routes-b'],
  CDS: ['cluster-a', 'cluster-b'],
  EDS: ['cluster-a', 'cluster-b'],
  SDS: ['secret-a', 'secret-b'],
};

/** The state of one resource that the mesh serves. */
export interface Part {
  /** Another number is another valid payload. */
  readonly revision: number;
  /**
   * The client rejects the payload. `malformed`: a field violates its constraint, which Envoy alone checks (PGV).
   * `undecodable`: its bytes are no message. `port`: the port of an endpoint exceeds 65535.
   */
  readonly fault?: 'invalid' | 'malformed' | 'undecodable' | 'port';
  readonly isAbsent?: boolean;
  /** Listeners only: the route configuration. */
  readonly routes?: string;
  /** Clusters of Envoy only: 0 means that warming has no time limit. */
  readonly initialFetchTimeout?: string;
  /** Endpoints only: metadata with several keys, which Envoy writes in another order at each dump. */
  readonly hasMetadata?: true;
  /** Clusters only: fields that the payload does not have otherwise. */
  readonly hasOutlierDetection?: true;
  /** Clusters of Envoy only: the name of the secret that its connections need. */
  readonly secret?: string;
}

export interface MeshOptions {
  readonly flavor: Flavor;
  /** The port of the server that answers the calls. */
  readonly backendPort: number;
  /** Envoy: the port of each listener. */
  readonly listenerPorts: Readonly<Record<string, number>>;
}

/** The resources that a control plane serves. MUTABLE: a story changes parts of it. */
export class Mesh {
  readonly #options: MeshOptions;

  readonly #parts = new Map<string, Part>();

  constructor(options: MeshOptions) {
    this.#options = options;
  }

  part(service: Service, name: string): Part {
    return this.#parts.get(`${service} ${name}`) ?? { revision: 1 };
  }

  change(service: Service, name: string, change: Partial<Part>): void {
    this.#parts.set(`${service} ${name}`, { ...this.part(service, name), ...change });
  }

  resources(service: Service): Resource[] {
    return names[service].flatMap((name) => {
      const part = this.part(service, name);
      if (part.isAbsent === true) return [];
      return [
        { typeUrl: services[service].typeUrl, name, bytes: this.#bytes(services[service], name, part) },
      ];
    });
  }

  #bytes(type: ResourceType, name: string, part: Part): Uint8Array {
    const json = this.#json(type, name, part);
    const bytes = encodeBody(type.typeUrl, json);
    // Field 1 of every type here is its name; the field after it claims more bytes than follow.
    return part.fault === 'undecodable' ? Buffer.concat([bytes, Buffer.from([0xfa, 0x7f, 0x7f])]) : bytes;
  }

  #json(type: ResourceType, name: string, part: Part): object {
    const { flavor } = this.#options;
    const isInvalid = part.fault === 'invalid';
    switch (type) {
      case LDS:
        return this.#listener(name, part, isInvalid);
      case RDS:
        return routes(name, part, isInvalid);
      case CDS:
        return cluster(name, part, isInvalid, flavor);
      case SDS:
        return secret(name, part.revision, isInvalid);
      default:
        return this.#endpoints(name, part, isInvalid);
    }
  }

  #listener(name: string, { revision, routes, fault }: Part, isInvalid: boolean): object {
    const router = { name: 'router', typedConfig: { '@type': `${filters}.http.router.v3.Router` } };
    const manager = {
      '@type': `${filters}.network.http_connection_manager.v3.HttpConnectionManager`,
      statPrefix: `${name}-${revision}`,
      rds: { routeConfigName: routes ?? name.replace('svc', 'routes'), configSource: ads },
      // The router is a terminal filter: nothing may follow it.
      httpFilters: isInvalid ? [router, { ...router, name: 'second-router' }] : [router],
    };
    if (this.#options.flavor === 'grpc') {
      // A client that compares what it reads takes another stat prefix for no change.
      const commonHttpProtocolOptions = { maxStreamDuration: `${100 + revision}s` };
      return { name, apiListener: { apiListener: { ...manager, commonHttpProtocolOptions } } };
    }
    const portValue = this.#options.listenerPorts[name];
    const address = fault === 'malformed' ? '' : '127.0.0.1';
    return {
      name,
      address: { socketAddress: { address, portValue } },
      filterChains: [{ filters: [{ name: 'http', typedConfig: manager }] }],
    };
  }

  #endpoints(name: string, { revision, fault, hasMetadata }: Part, isInvalid: boolean): object {
    const portValue = fault === 'port' ? 99_999 : this.#options.backendPort;
    const address = { socketAddress: { address: '127.0.0.1', portValue } };
    const locality = {
      locality: { region: 'here', zone: 'here-a' },
      loadBalancingWeight: 1,
      lbEndpoints: [
        {
          endpoint: { address },
          loadBalancingWeight: fault === 'malformed' ? 0 : revision,
          ...(hasMetadata && { metadata }),
        },
      ],
    };
    const dropped = (category: string) => ({ category, dropPercentage: { numerator: 0 } });
    if (!isInvalid) return { clusterName: name, endpoints: [locality] };
    return this.#options.flavor === 'envoy'
      ? { clusterName: name, endpoints: [locality], policy: { dropOverloads: [dropped('x'), dropped('y')] } }
      : { clusterName: name, endpoints: [{ ...locality, priority: 1 }] };
  }
}

/**
 * The metadata that istiod sets. The keys are in order, because xdscope keeps payloads in this order, and Envoy dumps
 * them in any.
 */
const metadata = {
  filterMetadata: {
    'envoy.transport_socket_match': { tlsMode: 'istio' },
    istio: { labels: { app: 'cart', version: 'v1' }, workload: 'cart-1;shop;cart;v1;Kubernetes' },
    'xdscope.peers': { a: 1, b: 2 },
  },
};

const filters = 'type.googleapis.com/envoy.extensions.filters';
const tlsTypes = 'type.googleapis.com/envoy.extensions.transport_sockets.tls.v3';
const ads = { ads: {}, resourceApiVersion: 'V3' };

/** Weights that add up to 0 are invalid. */
function routes(name: string, { revision, fault }: Part, isInvalid: boolean): object {
  const action = (cluster: string) =>
    isInvalid ? { weightedClusters: { clusters: [{ name: cluster, weight: 0 }] } } : { cluster };
  const second = { match: { prefix: '/other' }, route: { cluster: 'cluster-b' } };
  const first = name === 'routes-a' ? 'cluster-a' : 'cluster-b';
  return {
    name,
    virtualHosts: [
      {
        name: 'all',
        domains: fault === 'malformed' ? [] : ['*'],
        routes: [
          ...(name === 'routes-a' ? [second] : []),
          { match: { prefix: `/revision-${revision}` }, route: { cluster: first } },
          { match: { prefix: '/' }, route: action(first) },
        ],
      },
    ],
  };
}

function cluster(name: string, part: Part, isInvalid: boolean, flavor: Flavor): object {
  const edsConfig = { ...ads, initialFetchTimeout: part.initialFetchTimeout };
  const validation = { name: part.secret, sdsConfig: ads };
  const tls = {
    '@type': `${tlsTypes}.UpstreamTlsContext`,
    commonTlsContext: { validationContextSdsSecretConfig: validation },
  };
  const sizes = { minimumRingSize: '1024', maximumRingSize: '16' };
  const rejected =
    flavor === 'envoy' ? { lbPolicy: 'RING_HASH', ringHashLbConfig: sizes } : { lbPolicy: 'RANDOM' };
  return {
    name,
    type: 'EDS',
    edsClusterConfig: { edsConfig },
    lbPolicy: 'ROUND_ROBIN',
    circuitBreakers: { thresholds: [{ maxRequests: 1_000 + part.revision }] },
    ...(part.hasOutlierDetection && { outlierDetection: { interval: '10s', enforcingSuccessRate: 0 } }),
    ...(part.secret !== undefined && {
      transportSocket: { name: 'envoy.transport_sockets.tls', typedConfig: tls },
    }),
    ...(part.fault === 'malformed' && { connectTimeout: '0s' }),
    ...(isInvalid ? rejected : {}),
  };
}

/** Certificates are checked against this secret. A revocation list without a CA is invalid. */
function secret(name: string, revision: number, isInvalid: boolean): object {
  const digest = Buffer.alloc(32, revision).toString('base64');
  const valid = { verifyCertificateSpki: [digest] };
  return { name, validationContext: isInvalid ? { crl: { inlineString: 'none' } } : valid };
}
