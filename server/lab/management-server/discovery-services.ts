import type { MethodDefinition, Server } from '@grpc/grpc-js';
import { type DiscoveryMethod, discoveryMethods } from '@/lib/xds/discovery-methods';
import type { ByteStream } from './ads-stream';

/** Registers every streaming method of xDS for which `serves` says so; a call of another one is UNIMPLEMENTED. */
export function addDiscoveryServices(
  server: Server,
  serves: (method: DiscoveryMethod) => boolean,
  onCall: (call: ByteStream, method: DiscoveryMethod) => void,
): void {
  const served = discoveryMethods.filter(serves);
  server.addService(
    Object.fromEntries(served.map((method) => [method.path, definitionOf(method)])),
    Object.fromEntries(served.map((method) => [method.path, (call: ByteStream) => onCall(call, method)])),
  );
}

/** Messages pass as bytes. By path alone: the v2 services are not in the protos, and need not be. */
function definitionOf({ path }: DiscoveryMethod): MethodDefinition<Buffer, Buffer> {
  return {
    path: `/${path}`,
    requestStream: true,
    responseStream: true,
    requestSerialize: asIs,
    requestDeserialize: asIs,
    responseSerialize: asIs,
    responseDeserialize: asIs,
  };
}

function asIs(bytes: Buffer): Buffer {
  return bytes;
}
