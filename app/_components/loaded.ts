/** The state of a query, whether a server or a stored snapshot answers it. */
export interface Loaded<T> {
  /** undefined until the first answer. */
  readonly data: T | undefined;
  readonly isError: boolean;
  readonly error: unknown;
  readonly refetch: () => unknown;
}
