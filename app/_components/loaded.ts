/** What a query gives a component, whether a server answers it or a stored snapshot does. */
export interface Loaded<T> {
  /** undefined until the first answer. */
  readonly data: T | undefined;
  readonly isError: boolean;
  readonly error: unknown;
  readonly refetch: () => unknown;
}

/** A thing that is there. */
export function loaded<T>(data: T): Loaded<T> {
  return { data, isError: false, error: null, refetch: () => undefined };
}
