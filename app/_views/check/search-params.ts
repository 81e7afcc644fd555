'use client';

import { useQueryStates } from 'nuqs';
import { parseAsBoolean, parseAsInteger, parseAsString } from 'nuqs/server';

const checkSearchParams = {
  /** The client with which the resources are compared; empty: none. */
  client: parseAsString.withDefault(''),
  /** The hash and the type URL of a body to begin with; empty: the page begins without resources. */
  body: parseAsString.withDefault(''),
  type: parseAsString.withDefault(''),
  /** The index of the selected resource; -1: the one that the answer chooses. */
  show: parseAsInteger.withDefault(-1),
  /** The Envoy of the server is asked as well. */
  ask: parseAsBoolean.withDefault(false),
  /** The input is everything that the server has of its types. */
  whole: parseAsBoolean.withDefault(false),
  /** The path of the marked field; empty: none. */
  field: parseAsString.withDefault(''),
};

export function useCheckQuery() {
  const [query, setQuery] = useQueryStates(checkSearchParams, { history: 'replace', throttleMs: 200 });
  return { query, setQuery };
}
