'use client';

import { useQueryStates, type Values } from 'nuqs';
import { compareSearchParams } from '../search-params';

/** The state of the page is in its URL. */
export function useCompareQuery() {
  const [query, setQuery] = useQueryStates(compareSearchParams, { history: 'replace', throttleMs: 200 });
  return { query, setQuery };
}

export type CompareQuery = Values<typeof compareSearchParams>;
