/** gRPC clients end the stream at a message above it, unless they are configured otherwise. */
export const defaultMessageLimitBytes = 4 * 1024 * 1024;

/** Would a client with the default limit have had this message at all? */
export function exceedsDefaultLimit(sizeBytes: number): boolean {
  return sizeBytes > defaultMessageLimitBytes;
}
