import type { MethodDefinition } from '@grpc/grpc-js';
import type protobuf from 'protobufjs';
import { descriptorRoot } from './root';

/**
 * A gRPC method of a service in the descriptor root, for clients and servers of grpc-js. Messages pass as BYTES in
 * both directions (a Buffer in, a Buffer out): who wants fields decodes them, where and when it likes.
 * `method` is as in the .proto file, "StreamAggregatedResources".
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
