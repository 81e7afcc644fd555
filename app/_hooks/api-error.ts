/** A failed API call; `detail` is the server's sentence for users. */
export class ApiError extends Error {
  override readonly name = 'ApiError';

  constructor(
    /** HTTP status; 0 when no answer came. */
    readonly status: number,
    readonly title: string,
    detail: string,
    /** The part of the request that is not valid; undefined: the whole. */
    readonly field?: string,
    options?: ErrorOptions,
    /** The earlier import of the file that was sent. */
    readonly importId?: string,
  ) {
    super(detail === '' ? title : detail, options);
  }
}
