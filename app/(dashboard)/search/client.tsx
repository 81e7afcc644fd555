'use client';

import { useQueryStates } from 'nuqs';
import { HoldersView } from '@/app/_views/search/holders-view';
import { ResultsView } from '@/app/_views/search/results-view';
import { searchSearchParams } from '@/app/_views/search/search-params';
import { parseResourceRef } from '@/lib/views/resources/resource-ref';

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
