import { createRequire } from 'node:module';
import path from 'node:path';
import * as xds from '@grpc/grpc-js-xds';
import { ClusterResourceType } from '@grpc/grpc-js-xds/build/src/xds-resource-type/cluster-resource-type.js';
import { EndpointResourceType } from '@grpc/grpc-js-xds/build/src/xds-resource-type/endpoint-resource-type.js';

/** The part of the @grpc/proto-loader of grpc-js-xds that is used here. */
interface ProtoLoader {
  loadSync(
    file: string,
    options: object,
  ): Record<string, Record<string, { responseDeserialize(bytes: Buffer): object }>>;
}

/** A DiscoveryResponse in the form of the generated service. */
interface Response {
  readonly type_url: string;
  readonly resources: readonly { readonly type_url: string; readonly value: Buffer }[];
}

/**
 * Processes the bytes of a response with the code of @grpc/grpc-js-xds: its service's deserialiser
 * (xds-client.js, loadAdsProtos), then for each resource as in AdsResponseParser.parseResource its type's decode(),
 * which validates, and the comparison with the cache. Omitted, in its favour: names, metadata, watchers, and the text
 * of each resource that the parser formats for a disabled trace.
 */
export class NodeClientParsing {
  readonly #types = [ClusterResourceType.get(), EndpointResourceType.get()];
  readonly #deserialize: (bytes: Buffer) => object;
  readonly #cached = new Map<string, Map<string, object>>();

  constructor() {
    xds.register();
    const packageFile = createRequire(import.meta.url).resolve('@grpc/grpc-js-xds/package.json');
    const protoLoader: ProtoLoader = createRequire(packageFile)('@grpc/proto-loader');
    const deps = path.join(path.dirname(packageFile), 'deps');
    const includeDirs = ['envoy-api', 'xds', 'googleapis', 'protoc-gen-validate'].map((each) =>
      path.join(deps, each),
    );
    const definition = protoLoader.loadSync('envoy/service/discovery/v3/ads.proto', {
      keepCase: true,
      longs: String,
      enums: String,
      defaults: true,
      oneofs: true,
      json: true,
      includeDirs,
    });
    const service = definition['envoy.service.discovery.v3.AggregatedDiscoveryService'];
    const method = service?.StreamAggregatedResources;
    if (method === undefined) throw new Error('bench: grpc-js-xds has no ADS method');
    this.#deserialize = (bytes) => method.responseDeserialize(bytes);
  }

  /** Returns the number of resources that differ from the cache. */
  feed(message: Buffer): number {
    const { type_url, resources } = this.#deserialize(message) as Response;
    const type = this.#types.find((each) => each.getFullTypeUrl() === type_url);
    if (type === undefined) throw new Error(`bench: grpc-js-xds has no type ${type_url}`);
    const cached = this.#cached.get(type_url) ?? new Map<string, object>();
    this.#cached.set(type_url, cached);
    let changed = 0;
    for (const resource of resources) {
      const { name, value, error } = type.decode(context, resource);
      if (value === undefined) throw new Error(`bench: expected "${name}" to be taken, got ${error}`);
      if (type.resourcesEqual(cached.get(name) ?? null, value)) continue;
      cached.set(name, value);
      changed++;
    }
    return changed;
  }
}

const context = {
  server: { serverUri: 'unused', channelCreds: [], serverFeatures: [] },
  bootstrap: { xdsServers: [], authorities: {}, node: { id: 'bench' }, certificateProviders: {} },
} as unknown as Parameters<ClusterResourceType['decode']>[0];
