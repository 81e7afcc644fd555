import { CDS } from '../../xds/resource-type';
import { filterChainsOf } from '../connection-managers';
import type { Field } from '../field';

const tlsContext = /^envoy\.extensions\.transport_sockets\.tls\.v3\.(?:Up|Down)streamTlsContext$/;
const proxy = 'envoy.extensions.transport_sockets.http_11_proxy.v3.Http11ProxyUpstreamTransport';

/** The transport sockets of a cluster, or of the filter chains of a listener; the socket inside another one follows it. */
export function transportSocketsOf(resource: Field, typeUrl: string): Field[] {
  const owners =
    typeUrl === CDS.typeUrl
      ? [resource, ...resource.at('transportSocketMatches').items()]
      : filterChainsOf(resource);
  return owners
    .map((owner) => owner.at('transportSocket'))
    .flatMap((socket) => {
      const config = socket.at('typedConfig');
      return config.typeName === proxy ? [socket, config.at('transportSocket')] : [socket];
    })
    .filter((socket) => socket.exists);
}

/** The CommonTlsContext of each transport socket that has one. */
export function tlsContextsOf(resource: Field, typeUrl: string): Field[] {
  return transportSocketsOf(resource, typeUrl)
    .map((socket) => socket.at('typedConfig'))
    .filter((config) => !config.isTypedStruct && tlsContext.test(config.typeName))
    .map((config) => config.at('commonTlsContext'));
}
