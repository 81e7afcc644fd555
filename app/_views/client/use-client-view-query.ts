'use client';

import { useQueryStates } from 'nuqs';
import { useCallback, useMemo } from 'react';
import { useClientViewData } from '@/app/_ask/client-view-data';
import type { ResourceKey } from '@/lib/observation/resource-state';
import { formatResourceRef, parseResourceRef } from '@/lib/views/resources/resource-ref';
import { commonParams, parsersOf, type ViewQuery } from './search-params';

/** Selections add an entry to the browser's history; typing does not. */
type History = 'push' | 'replace';

type CommonQuery = ViewQuery<typeof commonParams>;

interface ClientViewState<Query> {
  readonly query: Query;
  readonly setQuery: (change: Partial<Query>, history?: History) => void;
  /** The resource in the inspector; null: closed. Keeps its identity. */
  readonly resource: ResourceKey | null;
  /** `field`: path of the marked field. */
  readonly openResource: (key: ResourceKey | null, field?: string) => void;
}

export function useClientViewQuery(): ClientViewState<CommonQuery>;
/** `params`: those of the tab, a constant. */
export function useClientViewQuery<Params extends typeof commonParams>(
  params: Params,
): ClientViewState<ViewQuery<Params>>;
export function useClientViewQuery(params = commonParams): unknown {
  const { storedQuery } = useClientViewData();
  const parsers = useMemo(() => parsersOf(params, storedQuery), [params, storedQuery]);
  const [query, setQueryStates] = useQueryStates(parsers);
  const setQuery = useCallback(
    (change: Partial<CommonQuery>, history: History = 'replace') => {
      void setQueryStates(change, { history });
    },
    [setQueryStates],
  );
  const resource = useMemo(() => parseResourceRef(query.resource) ?? null, [query.resource]);
  const openResource = useCallback(
    (key: ResourceKey | null, field = '') =>
      // The content role belongs to one resource, and the graph finds the node of the resource.
      setQuery({ resource: key === null ? '' : formatResourceRef(key), node: '', body: '', field }, 'push'),
    [setQuery],
  );
  return { query, setQuery, resource, openResource } satisfies ClientViewState<CommonQuery>;
}
