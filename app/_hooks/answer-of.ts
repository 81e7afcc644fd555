import type { QueryKey } from '@tanstack/react-query';
import { requestJson } from './api-client';

interface Cancelable {
  readonly signal: AbortSignal;
}

/** A query for the answer of GET `/api/v1/<path>`. */
export function answerOf<T>(queryKey: QueryKey, path: string) {
  return { queryKey, queryFn: ({ signal }: Cancelable) => requestJson<T>(path, { signal }) };
}

/** A query for the items of a list, which the API answers as {items}. */
export function itemsOf<T>(queryKey: QueryKey, path: string) {
  const { queryFn } = answerOf<{ readonly items: T[] }>(queryKey, path);
  return { queryKey, queryFn: async (context: Cancelable) => (await queryFn(context)).items };
}
