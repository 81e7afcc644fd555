import { Client, credentials } from '@grpc/grpc-js';
import { messageType } from '@/server/codec/root';

const types = 'grpc.testing.xdsconfig';
/** toJSON() would decode the payload of an Any whose type is known. */
function readAnswer(method: string, bytes: Buffer): Record<string, unknown> {
  const type = messageType(`${types}.${method}Response`);
  return type.toObject(type.decode(bytes), { bytes: String });
}

const asBytes = (bytes: Buffer): Buffer => bytes;

/** A driver of the interop tests that calls XdsConfigControlService of a management server. */
export function openDriver(target: string) {
  const client = new Client(target, credentials.createInsecure());
  const call = (
    method: 'StopOnRequest' | 'SetResources',
    message: object,
  ): Promise<Record<string, unknown>> => {
    const bytes = Buffer.from(messageType(`${types}.${method}Request`).encode(message).finish());
    return new Promise((resolve, reject) => {
      const path = `/${types}.XdsConfigControlService/${method}`;
      client.makeUnaryRequest(path, asBytes, asBytes, bytes, (error, answer) => {
        if (error !== null || answer === undefined) reject(error);
        else resolve(readAnswer(method, answer));
      });
    });
  };
  return { client, call };
}
