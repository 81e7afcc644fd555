'use client';

import { useQueryStates, type Values } from 'nuqs';
import { compareSearchParams } from './search-params';

export function useCompareQuery() {
  const [query, setQuery] = useQueryStates(compareSearchParams, { history: 'replace', throttleMs: 200 });
  return { query, setQuery };
}

export type CompareQuery = Values<typeof compareSearchParams>;
