import * as xds from '@grpc/grpc-js-xds';
import { ClusterResourceType } from '@grpc/grpc-js-xds/build/src/xds-resource-type/cluster-resource-type';
import { EndpointResourceType } from '@grpc/grpc-js-xds/build/src/xds-resource-type/endpoint-resource-type';
import { ListenerResourceType } from '@grpc/grpc-js-xds/build/src/xds-resource-type/listener-resource-type';
import { RouteConfigurationResourceType } from '@grpc/grpc-js-xds/build/src/xds-resource-type/route-config-resource-type';

const types = [
  ListenerResourceType,
  RouteConfigurationResourceType,
  ClusterResourceType,
  EndpointResourceType,
].map((type) => type.get());

let isRegistered = false;

/** What the real grpc-js-xds makes of a resource: its own decoder, with the bootstrap's certificate providers. */
export function nodeClientVerdict(
  typeUrl: string,
  value: Uint8Array,
  certificateProviders: readonly string[] = [],
): { readonly verdict: 'ACK' | 'NACK'; readonly error: string } {
  // Its registries of filters and policies are filled when it is switched on.
  if (!isRegistered) xds.register();
  isRegistered = true;
  const type = types.find((each) => typeUrl.endsWith(`/${each.getTypeUrl()}`));
  if (type === undefined) throw new Error(`grpc-js-xds has no type ${typeUrl}`);
  const context = {
    server: { serverUri: 'unused', channelCreds: [], serverFeatures: [] },
    bootstrap: {
      xdsServers: [],
      authorities: {},
      node: { id: 'test' },
      certificateProviders: Object.fromEntries(certificateProviders.map((name) => [name, {}])),
    },
  };
  try {
    const { error } = type.decode(context as unknown as Parameters<typeof type.decode>[0], {
      type_url: typeUrl,
      value: Buffer.from(value),
    });
    return { verdict: error === undefined ? 'ACK' : 'NACK', error: error ?? '' };
  } catch (thrown) {
    return { verdict: 'NACK', error: thrown instanceof Error ? thrown.message : String(thrown) };
  }
}
