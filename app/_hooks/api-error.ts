/** What an API call that failed says; `detail` is the server's sentence for a person. */
export class ApiError extends Error {
  override readonly name = 'ApiError';

  constructor(
    /** HTTP status; 0 when no answer came. */
    readonly status: number,
    readonly title: string,
    detail: string,
    /** The part of the request that is wrong; undefined: the whole. */
    readonly field?: string,
    options?: ErrorOptions,
  ) {
    super(detail === '' ? title : detail, options);
  }
}
