import type { MethodDefinition } from '@grpc/grpc-js';
import type protobuf from 'protobufjs';
import { descriptorRoot } from './root';

/**
 * The definition of a gRPC method for clients and servers of grpc-js. Messages are passed as bytes, and callers decode
 * them when they need their fields. `method` is the name in the .proto file, such as "StreamAggregatedResources".
 */
export function methodOf(service: string, method: string): MethodDefinition<Buffer, Buffer> {
  const found: protobuf.Method | undefined = descriptorRoot().lookupService(`.${service}`).methods[method];
  if (found === undefined) throw new Error(`protos: service "${service}" has no method "${method}"`);
  const asBytes = (bytes: Buffer): Buffer => bytes;
  return {
    path: `/${service}/${method}`,
    requestStream: found.requestStream ?? false,
    responseStream: found.responseStream ?? false,
    requestSerialize: asBytes,
    requestDeserialize: asBytes,
    responseSerialize: asBytes,
    responseDeserialize: asBytes,
  };
}
