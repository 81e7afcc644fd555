'use client';

import { useQueryStates } from 'nuqs';
import { useCallback, useMemo } from 'react';
import type { HistoryParams } from '@/app/_ask/history';
import { type Extent, type RequestedExtent, resolveTimes } from '@/app/_hooks/extent';
import { useDebounced } from '@/app/_hooks/use-debounced';
import { useTimeRange } from '@/app/_hooks/use-time-range';
import type { EpochMs } from '@/lib/xds/units';
import {
  emptyHistoryFilter,
  filterTextOf,
  type HistorySearch,
  historyParamsOf,
  historySearchParsers,
  noEvent,
} from './search-params';

export interface HistorySearchState {
  readonly search: HistorySearch;
  readonly setSearch: (change: Partial<HistorySearch>, history?: 'push' | 'replace') => void;
  /** The request parameters; they keep their identity while the filters are equal. */
  readonly params: HistoryParams;
  readonly isFiltered: boolean;
  readonly clear: () => void;
}

export interface StoredHistory {
  /** Later events are not shown. */
  readonly until: EpochMs;
  /** Defaults of absent URL parameters. */
  readonly query: Readonly<Record<string, string>>;
}

const typingPauseMs = 300;

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
  const chosen = useTimeRange();
  const extent = stored === undefined ? chosen.extent : storedExtent(stored, chosen.urlRange);
  const now = stored?.until;
  const text = useDebounced(filterTextOf(search), typingPauseMs);
  const words = JSON.stringify(historyParamsOf(search, text, extent, clientId, now));
  const params = useMemo<HistoryParams>(() => JSON.parse(words), [words]);
  const unfiltered = JSON.stringify(
    historyParamsOf({ ...search, ...emptyHistoryFilter }, '', extent, clientId),
  );
  return {
    search,
    setSearch,
    params,
    isFiltered: words !== unfiltered,
    clear: useCallback(() => setSearch(emptyHistoryFilter), [setSearch]),
  };
}

/** Relative times are those of the moment that a permalink keeps, which is also the latest end. */
function storedExtent({ until, query }: StoredHistory, urlRange: Extent): RequestedExtent {
  const isChosen = urlRange.from !== '' || urlRange.to !== '';
  const kept = { from: query.from ?? '', to: query.to ?? '' };
  const { from, to } = resolveTimes(isChosen ? urlRange : kept, until);
  return { from: from ?? '', to: Math.min(to ?? until, until) };
}
