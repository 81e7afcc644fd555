interface AtEnd {
  /** The length of an incomplete response. */
  readonly cutResponseBytes?: number | undefined;
  /** The length of the last response, if the client sent nothing after it. */
  readonly lastResponseBytes?: number | undefined;
}

/** The default limit of received messages in every gRPC implementation. */
const defaultLimitBytes = 4 * 1024 * 1024;

/**
 * Returns the details of the end of a stream. A client resets the stream without a reason if a message exceeds its
 * limit: some after the length (grpc-js: CANCEL), others after the complete message (C-core: ENHANCE_YOUR_CALM).
 */
export function describeEnd(details: string, { cutResponseBytes, lastResponseBytes = 0 }: AtEnd): string {
  const sizeBytes = cutResponseBytes ?? lastResponseBytes;
  const isReset = details.startsWith('the client reset');
  const isTooLarge = isReset && sizeBytes > defaultLimitBytes;
  if (cutResponseBytes === undefined && !isTooLarge) return details;
  const where = cutResponseBytes === undefined ? 'after' : 'in the middle of';
  const reported = [details, `${where} a response of ${sizeBytes} bytes`].filter(Boolean).join(', ');
  return isTooLarge ? `${reported}: the limit of gRPC is ${defaultLimitBytes} by default` : reported;
}
