import type { MethodDefinition, Server } from '@grpc/grpc-js';
import { type DiscoveryMethod, discoveryMethods } from '@/lib/xds/discovery-methods';
import type { ByteStream } from './ads-stream';

/** Registers every streaming method of xDS for which `serves` returns true; others are UNIMPLEMENTED. */
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

/** Messages are passed as bytes and methods are matched by path, because the protos do not contain the v2 services. */
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
