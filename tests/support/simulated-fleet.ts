import { createServer as createHttp2Server, type ServerHttp2Stream } from 'node:http2';
import { createServer, type Server, type Socket } from 'node:net';
import { CDS, EDS, LDS, RDS } from '@/lib/xds/resource-type';
import { WireWriter } from '@/server/codec/wire-writer';
import { grpcFrame } from './builders/grpc-frame';
import { encodeMessage, packed } from './builders/xds-wire';

export interface SimulatedNode {
  readonly id: string;
  readonly cluster?: string;
  readonly locality?: { readonly region?: string; readonly zone?: string; readonly subZone?: string };
  readonly metadata?: Readonly<Record<string, string>>;
  readonly userAgentName?: string;
  readonly userAgentVersion?: string;
}

export interface SimulatedFleetOptions {
  readonly clients: number;
  /** The number of the first client, for several fleets with different clients. */
  readonly first?: number;
  /** Resources of a client: a listener, a route configuration, and clusters with their endpoints. An even number, at least 4. */
  readonly resources: number;
  /** The approximate size of the response of a client. */
  readonly answerBytes: number;
  readonly nodeOf?: (index: number) => SimulatedNode;
  /** The age of a client's clusters in generations; 0 is the newest one. */
  readonly lagOf?: (index: number) => number;
}

const service = '/envoy.service.status.v3.ClientStatusDiscoveryService';
const grpcHeaders = { ':status': 200, 'content-type': 'application/grpc+proto' };
const frameHeadBytes = 5;
const acked = 3;

const zones = ['eu-1a', 'eu-1b', 'eu-1c'];

/** gRPC clients of one shop, in three zones, with two versions. */
export function simulatedNode(index: number): SimulatedNode {
  return {
    id: `shop-${String(index).padStart(6, '0')}`,
    cluster: `team-${index % 20}`,
    locality: { region: 'eu', zone: zones[index % zones.length] ?? '' },
    metadata: { version: index % 4 === 0 ? 'v2' : 'v1', pool: index % 2 === 0 ? 'spot' : 'reserved' },
    userAgentName: 'gRPC Go',
    userAgentVersion: '1.64.0',
  };
}

/**
 * Many xDS clients in one process, each with a port of its own on 127.0.0.1 where it answers CSDS (StreamClientStatus and
 * FetchClientStatus) over real HTTP/2. They share the bytes of their config, except the node and the endpoints that
 * changed.
 */
export class SimulatedFleet {
  readonly #options: SimulatedFleetOptions;

  readonly targets: string[] = [];
  /** The number of requests so far. */
  polls = 0;
  readonly #servers: Server[] = [];
  readonly #sockets = new Set<Socket>();
  readonly #http2 = createHttp2Server();
  /** The number of changes of its endpoints, by client. */
  readonly #changes: Int32Array;
  readonly #nodes: Buffer[];
  readonly #shared: readonly Buffer[];
  readonly #clusterCount: number;
  readonly #fillBytes: number;
  /** The client, by port. */
  readonly #clientOf = new Map<number, number>();
  #nextChange = 0;
  /** Pending requests by client. */
  readonly #onAnswered = new Map<number, () => void>();

  constructor(options: SimulatedFleetOptions) {
    this.#options = options;

    const { clients, first = 0, resources, answerBytes, nodeOf = simulatedNode } = options;
    this.#changes = new Int32Array(clients);
    this.#clusterCount = (resources - 2) / 2;
    this.#fillBytes = Math.max(0, Math.round(answerBytes / resources) - 350);
    this.#nodes = Array.from({ length: clients }, (_, index) => encodeNode(nodeOf(first + index)));
    this.#shared = this.#makeShared();
    this.#http2.on('stream', (stream, headers) => this.#serve(stream, headers[':path'] ?? ''));
    this.#http2.on('sessionError', () => undefined);
  }

  async listen(): Promise<readonly string[]> {
    for (let index = 0; index < this.#options.clients; index++) {
      const server = createServer((socket) => this.#accept(socket));
      this.#servers.push(server);
      await new Promise<void>((resolve, reject) => {
        server.once('error', reject);
        server.listen(0, '127.0.0.1', resolve);
      });
      const address = server.address();
      if (address === null || typeof address === 'string') throw new Error('expected a port');
      this.#clientOf.set(address.port, index);
      this.targets.push(`127.0.0.1:${address.port}`);
    }
    return this.targets;
  }

  /** Changes the endpoints of one cluster for the next `count` clients; returns their numbers. */
  change(count: number): readonly number[] {
    const { clients } = this.#options;
    return Array.from({ length: count }, () => {
      const index = this.#nextChange++ % clients;
      this.#changes[index] = (this.#changes[index] ?? 0) + 1;
      return index;
    });
  }

  /** Changes one client; resolves when it has reported the change. */
  changeOne(index: number): Promise<void> {
    this.#changes[index] = (this.#changes[index] ?? 0) + 1;
    return new Promise((resolve) => this.#onAnswered.set(index, resolve));
  }

  /** A ClientStatusResponse with one client. */
  answerOf(index: number): Buffer {
    return response([this.configOf(index)]);
  }

  /** One ClientConfig. */
  configOf(index: number): Buffer {
    const changes = this.#changes[index] ?? 0;
    const lag = this.#options.lagOf?.((this.#options.first ?? 0) + index) ?? 0;
    const own = [...this.#shared];
    if (lag > 0) own[2] = this.#cluster(0, `0.${lag}`);
    if (changes > 0)
      own[own.length - 1] = this.#endpoints(this.#clusterCount - 1, `${1 + changes}`, 80 + changes);
    return Buffer.concat([this.#nodes[index] ?? Buffer.alloc(0), ...own]);
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await Promise.all(this.#servers.map((server) => new Promise((resolve) => server.close(resolve))));
  }

  #accept(socket: Socket): void {
    this.#sockets.add(socket);
    socket.on('close', () => this.#sockets.delete(socket));
    socket.on('error', () => undefined);
    this.#http2.emit('connection', socket);
  }

  #serve(stream: ServerHttp2Stream, path: string): void {
    const index = this.#clientOf.get(stream.session?.socket.localPort ?? 0) ?? 0;
    stream.on('error', () => undefined);
    if (path !== `${service}/StreamClientStatus` && path !== `${service}/FetchClientStatus`) {
      stream.respond({ ...grpcHeaders, 'grpc-status': 12 }, { endStream: true });
      return;
    }
    stream.respond(grpcHeaders, { waitForTrailers: true });
    stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }));
    let asked: Buffer = Buffer.alloc(0);
    stream.on('data', (bytes: Buffer) => {
      asked = asked.length === 0 ? bytes : Buffer.concat([asked, bytes]);
      while (asked.length >= frameHeadBytes) {
        const end = frameHeadBytes + asked.readUInt32BE(1);
        if (asked.length < end) return;
        asked = asked.subarray(end);
        this.polls++;
        stream.write(grpcFrame(this.answerOf(index)));
        this.#onAnswered.get(index)?.();
        this.#onAnswered.delete(index);
      }
    });
    stream.on('end', () => stream.end());
  }

  #makeShared(): Buffer[] {
    const clusters = Array.from({ length: this.#clusterCount }, (_, index) => this.#cluster(index, '1'));
    const endpoints = Array.from({ length: this.#clusterCount }, (_, index) =>
      this.#endpoints(index, '1', 80),
    );
    return [this.#listener(), this.#routes(), ...clusters, ...endpoints];
  }

  #listener(): Buffer {
    const manager = {
      routeSpecifier: 'rds',
      rds: { configSource: { ads: {}, resourceApiVersion: 'V3' }, routeConfigName: 'shop-routes' },
      httpFilters: [
        {
          name: 'router',
          typedConfig: packed('type.googleapis.com/envoy.extensions.filters.http.router.v3.Router', {}),
        },
      ],
    };
    const apiListener = packed(
      'type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager',
      manager,
    );
    return generic(LDS.typeUrl, 'shop', '1', { name: 'shop', apiListener: { apiListener } });
  }

  #routes(): Buffer {
    const routes = Array.from({ length: this.#clusterCount }, (_, index) => ({
      match: { prefix: index === this.#clusterCount - 1 ? '' : `/shop.Service${index}/` },
      route: { cluster: clusterName(index) },
    }));
    const virtualHosts = [{ name: 'shop', domains: ['*'], routes }];
    return generic(RDS.typeUrl, 'shop-routes', '1', { name: 'shop-routes', virtualHosts });
  }

  #cluster(index: number, version: string): Buffer {
    const name = clusterName(index);
    return generic(CDS.typeUrl, name, version, {
      name,
      type: 'EDS',
      altStatName: `${version}-${'x'.repeat(this.#fillBytes)}`,
      edsClusterConfig: { edsConfig: { ads: {}, resourceApiVersion: 'V3' } },
    });
  }

  #endpoints(index: number, version: string, port: number): Buffer {
    const count = 2 + Math.round(this.#fillBytes / 60);
    const lbEndpoints = Array.from({ length: count }, (_, host) => ({
      endpoint: {
        address: { socketAddress: { address: `10.0.${index & 255}.${host & 255}`, portValue: port } },
      },
      loadBalancingWeight: { value: 1 },
    }));
    const name = clusterName(index);
    const endpoints = [
      { locality: { region: 'eu', zone: 'eu-1a' }, loadBalancingWeight: { value: 1 }, lbEndpoints },
    ];
    return generic(EDS.typeUrl, name, version, { clusterName: name, endpoints });
  }
}

/** A ClientStatusResponse of ClientConfigs. */
export function response(configs: readonly Buffer[]): Buffer {
  const writer = new WireWriter();
  for (const config of configs) writer.message(1, config);
  return writer.finish();
}

function clusterName(index: number): string {
  return `outbound|80||service-${index}.shop`;
}

/** Field 3 of a ClientConfig: an ACKed GenericXdsConfig. */
function generic(typeUrl: string, name: string, version: string, message: Record<string, unknown>): Buffer {
  const { value } = packed(typeUrl, message);
  const xdsConfig = new WireWriter().string(1, typeUrl).message(2, value).finish();
  const updated = new WireWriter().integer(1, 1_767_225_600).finish();
  const config = new WireWriter()
    .string(1, typeUrl)
    .string(2, name)
    .string(3, version)
    .message(4, xdsConfig)
    .message(5, updated)
    .integer(7, acked)
    .finish();
  return new WireWriter().message(3, config).finish();
}

/** Field 1 of a ClientConfig. */
function encodeNode({ metadata = {}, ...node }: SimulatedNode): Buffer {
  const fields = Object.fromEntries(
    Object.entries(metadata).map(([key, stringValue]) => [key, { stringValue }]),
  );
  const bytes = encodeMessage('envoy.config.core.v3.Node', { ...node, metadata: { fields } });
  return new WireWriter().message(1, bytes).finish();
}
