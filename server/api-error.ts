/** A request that cannot be answered. It is sent as RFC 9457 problem JSON. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  constructor(
    readonly status: number,
    /** A short text that is the same for every occurrence. */
    readonly title: string,
    /** The expected and the actual value of this occurrence. */
    readonly detail: string,
    /** The part of the request that is not valid, or undefined for the whole. */
    readonly field?: string,
    /** The earlier import of the same file. */
    readonly importId?: string,
  ) {
    super(detail);
  }

  /** Workers send the code of an error to the thread that waits for the job. */
  get code(): string {
    return String(this.status);
  }
}

export function notFound(what: string, detail: string): ApiError {
  return new ApiError(404, `${what} not found`, detail);
}

export function badRequest(detail: string, field?: string): ApiError {
  return new ApiError(400, 'Bad request', detail, field);
}
