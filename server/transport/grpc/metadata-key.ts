/** HTTP/2 header names; gRPC's own and those of the connection are not metadata. */
const metadataKey =
  /^(?!grpc-|(?:content-type|te|user-agent|host|connection|transfer-encoding)$)[a-z0-9_.-]{1,100}$/;

export function isMetadataKey(name: string): boolean {
  return metadataKey.test(name);
}
