import { WireCursor } from '../codec/wire-cursor';

export interface SplitResponse {
  /** Views of the message, in its order. */
  readonly resources: readonly Uint8Array[];
  /** The message without them: small, and to be decoded as any. */
  readonly rest: Uint8Array;
}

/** In DiscoveryResponse and DeltaDiscoveryResponse alike. */
const resourcesField = 2;

/** Cuts the resources out of a response, without looking into them. undefined where it is no protobuf. */
export function splitResponse(message: Uint8Array): SplitResponse | undefined {
  const resources: Uint8Array[] = [];
  const rest: Uint8Array[] = [];
  const cursor = new WireCursor(message, 0, message.length);
  while (cursor.next()) {
    if (cursor.missingBytes > 0) return undefined;
    const isResource = cursor.number === resourcesField && cursor.wireType === 2;
    if (isResource) resources.push(message.subarray(cursor.valueStart, cursor.fieldEnd));
    else rest.push(message.subarray(cursor.fieldStart, cursor.fieldEnd));
  }
  return cursor.malformed ? undefined : { resources, rest: Buffer.concat(rest) };
}
