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
  /** The request parameters; they keep their identity while the filters are equal. */
  readonly params: HistoryParams;
  readonly isFiltered: boolean;
  readonly clear: () => void;
}

export interface StoredHistory {
  /** ISO time: later events are not shown. */
  readonly until: string;
  /** Defaults of absent URL parameters. */
  readonly query: Readonly<Record<string, string>>;
}

/** History's state in the URL. `clientId` null: all clients. */
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
  // nuqs creates new arrays on every change of the URL; comparing the text keeps the identity of `params`.
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

/** Limits `to` by `until`; "" is no limit. */
function limitTo(params: HistoryParams, until: string): HistoryParams {
  const isEarlier = params.to !== '' && (until === '' || Date.parse(params.to) <= Date.parse(until));
  return until === '' || isEarlier ? params : { ...params, to: until };
}
