/** The message at which a stream ended, if there was one. */
export interface AtEnd {
  /** Of the response that had begun and was not whole. */
  readonly cutResponseBytes?: number | undefined;
  /** Of the response behind which the client said nothing more. */
  readonly lastResponseBytes?: number | undefined;
}

/** grpc.max_receive_message_length of every implementation, where nobody sets it. */
const defaultLimitBytes = 4 * 1024 * 1024;

/**
 * The end of a stream in words. A client that is sent more than it takes resets the stream and gives no reason: some do
 * so as soon as they know the length (grpc-js: CANCEL), others when they have the whole (C-core: ENHANCE_YOUR_CALM).
 */
export function describeEnd(details: string, { cutResponseBytes, lastResponseBytes = 0 }: AtEnd): string {
  const sizeBytes = cutResponseBytes ?? lastResponseBytes;
  const isReset = details.startsWith('the client reset');
  const isTooLarge = isReset && sizeBytes > defaultLimitBytes;
  if (cutResponseBytes === undefined && !isTooLarge) return details;
  const where = cutResponseBytes === undefined ? 'after' : 'in the middle of';
  const reported = [details, `${where} a response of ${sizeBytes} bytes`].filter(Boolean).join(', ');
  return isTooLarge ? `${reported}: gRPC takes ${defaultLimitBytes} unless configured otherwise` : reported;
}
