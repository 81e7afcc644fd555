/** gRPC clients end the stream when they receive a larger message, unless they are configured otherwise. */
export const defaultMessageLimitBytes = 4 * 1024 * 1024;

/** Returns true if a client with the default limit would have rejected the message. */
export function exceedsDefaultLimit(sizeBytes: number): boolean {
  return sizeBytes > defaultMessageLimitBytes;
}
