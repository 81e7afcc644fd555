'use client';

import { useQueryStates } from 'nuqs';
import { parseResourceRef } from '@/lib/view-model/client-resources/resource-ref';
import { HoldersView } from './holders-view';
import { ResultsView } from './results-view';
import { searchSearchParams } from './search-params';

export function SearchPage() {
  const [{ q, resource, filter, from }, setParams] = useQueryStates(searchSearchParams, {
    history: 'replace',
    throttleMs: 200,
  });
  const key = parseResourceRef(resource);
  if (key === undefined) return <ResultsView text={q} onChange={(text) => setParams({ q: text || null })} />;
  return (
    <HoldersView
      resource={key}
      filter={filter}
      from={Math.max(0, from)}
      onFilter={(text) => setParams({ filter: text || null, from: null })}
      onFrom={(offset) => setParams({ from: offset || null })}
    />
  );
}
