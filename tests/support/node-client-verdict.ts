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

/** The verdict of the decoder of grpc-js-xds, with these certificate providers in the bootstrap. */
export function nodeClientVerdict(
  typeUrl: string,
  value: Uint8Array,
  certificateProviders: readonly string[] = [],
): { readonly verdict: 'ACK' | 'NACK'; readonly error: string } {
  // register() fills the registries of filters and policies.
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
