'use client';

import { useQueryStates } from 'nuqs';
import { useCallback, useMemo } from 'react';
import type { HistoryParams } from '@/app/_hooks/history-queries';
import {
  emptyHistoryFilter,
  type HistorySearch,
  historyParamsOf,
  historySearchParams,
} from '../search-params';

export interface HistorySearchState {
  readonly search: HistorySearch;
  readonly setSearch: (change: Partial<HistorySearch>, history?: 'push' | 'replace') => void;
  /** What is asked of the server; keeps its identity while the filters are the same. */
  readonly params: HistoryParams;
  readonly isFiltered: boolean;
  readonly clear: () => void;
}

/** History's place in the URL. `clientId`: whose page it is; null: of all. */
export function useHistorySearch(clientId: string | null): HistorySearchState {
  const [search, setStates] = useQueryStates(historySearchParams);
  const setSearch = useCallback<HistorySearchState['setSearch']>(
    (change, history = 'replace') => void setStates(change, { history }),
    [setStates],
  );
  // Arrays of the URL are new with every change of it: the question is the same when its words are.
  const words = JSON.stringify(historyParamsOf(search, clientId));
  const params = useMemo<HistoryParams>(() => JSON.parse(words), [words]);
  const unfiltered = JSON.stringify(historyParamsOf({ ...search, ...emptyHistoryFilter }, clientId));
  return {
    search,
    setSearch,
    params,
    isFiltered: words !== unfiltered,
    clear: useCallback(() => setSearch(emptyHistoryFilter), [setSearch]),
  };
}
