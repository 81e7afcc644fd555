'use client';

import { useQueryStates } from 'nuqs';
import { useCallback, useMemo } from 'react';
import type { HistoryParams } from '@/app/_hooks/query-keys';
import {
  emptyHistoryFilter,
  type HistorySearch,
  historyParamsOf,
  historySearchParsers,
  noEvent,
} from '../search-params';

export interface HistorySearchState {
  readonly search: HistorySearch;
  readonly setSearch: (change: Partial<HistorySearch>, history?: 'push' | 'replace') => void;
  /** What is asked of the server; keeps its identity while the filters are the same. */
  readonly params: HistoryParams;
  readonly isFiltered: boolean;
  readonly clear: () => void;
}

/** The part of the page's address that a permalink stores. */
export interface StoredHistory {
  /** ISO time: later events are not shown. */
  readonly until: string;
  /** Query parameters: the defaults of what the address omits. */
  readonly query: Readonly<Record<string, string>>;
}

/** History's place in the URL. `clientId`: whose page it is; null: of all. */
export function useHistorySearch(clientId: string | null, stored?: StoredHistory): HistorySearchState {
  const query = stored?.query;
  const parsers = useMemo(() => historySearchParsers(query ?? {}), [query]);
  const [{ event, ...others }, setStates] = useQueryStates(parsers);
  const search: HistorySearch = { ...others, event: event === noEvent ? null : event };
  const setSearch = useCallback<HistorySearchState['setSearch']>(
    (change, history = 'replace') =>
      void setStates('event' in change ? { ...change, event: change.event ?? noEvent } : change, { history }),
    [setStates],
  );
  // Arrays of the URL are new with every change of it: the question is the same when its words are.
  const until = stored?.until ?? '';
  const words = JSON.stringify(limitTo(historyParamsOf(search, clientId), until));
  const params = useMemo<HistoryParams>(() => JSON.parse(words), [words]);
  const unfiltered = JSON.stringify(
    limitTo(historyParamsOf({ ...search, ...emptyHistoryFilter }, clientId), until),
  );
  return {
    search,
    setSearch,
    params,
    isFiltered: words !== unfiltered,
    clear: useCallback(() => setSearch(emptyHistoryFilter), [setSearch]),
  };
}

/** Nothing that is later than `until`; "" limits nothing. */
function limitTo(params: HistoryParams, until: string): HistoryParams {
  const isEarlier = params.to !== '' && (until === '' || Date.parse(params.to) <= Date.parse(until));
  return until === '' || isEarlier ? params : { ...params, to: until };
}
