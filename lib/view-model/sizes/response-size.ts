/** Of version, nonce, type URL and the control plane's name. */
const envelopeBytes = 200;

/**
 * About how large a response of state of the world is that brings so many resources: each body is in an Any, with the type
 * URL once more. `typeUrl` as it is on the wire.
 */
export function estimateResponseBytes(
  bodies: { readonly bytes: number; readonly count: number },
  typeUrl: string,
): number {
  const { bytes, count } = bodies;
  // Tag and length of the resource, of the type URL and of the body.
  const wrapBytes = typeUrl.length + 2 + 2 * (1 + lengthBytes(bytes / Math.max(1, count)));
  return envelopeBytes + bytes + count * wrapBytes;
}

/** Of a length as a varint. */
function lengthBytes(length: number): number {
  return length < 2 ** 7 ? 1 : length < 2 ** 14 ? 2 : length < 2 ** 21 ? 3 : 4;
}
