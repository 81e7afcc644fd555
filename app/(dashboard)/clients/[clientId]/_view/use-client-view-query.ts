'use client';

import { useQueryStates } from 'nuqs';
import { useCallback, useMemo } from 'react';
import { useClientViewData } from '@/app/_ask/client-view-data';
import type { ResourceKey } from '@/lib/observation/observation';
import { formatResourceRef, parseResourceRef } from '@/lib/view-model/client-resources/resource-ref';
import { type ClientViewQuery, clientViewParsers } from '../client-views';

/** A selection is a step that the back button undoes; typing in a filter is not. */
type History = 'push' | 'replace';

interface ClientViewState {
  readonly query: ClientViewQuery;
  readonly setQuery: (change: Partial<ClientViewQuery>, history?: History) => void;
  /** What the inspector shows; null when it is closed. Keeps its identity. */
  readonly resource: ResourceKey | null;
  /** `field`: the path that is marked in its body. */
  readonly openResource: (key: ResourceKey | null, field?: string) => void;
}

export function useClientViewQuery(): ClientViewState {
  const { storedQuery } = useClientViewData();
  const parsers = useMemo(() => clientViewParsers(storedQuery), [storedQuery]);
  const [query, setQueryStates] = useQueryStates(parsers);
  const setQuery = useCallback(
    (change: Partial<ClientViewQuery>, history: History = 'replace') => {
      void setQueryStates(change, { history });
    },
    [setQueryStates],
  );
  const resource = useMemo(() => parseResourceRef(query.resource) ?? null, [query.resource]);
  const openResource = useCallback(
    (key: ResourceKey | null, field = '') =>
      // Another resource has another set of bodies; and the graph finds its node by the resource.
      setQuery({ resource: key === null ? '' : formatResourceRef(key), node: '', body: '', field }, 'push'),
    [setQuery],
  );
  return { query, setQuery, resource, openResource };
}
