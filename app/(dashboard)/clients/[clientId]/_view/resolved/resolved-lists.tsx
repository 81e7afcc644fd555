'use client';

import { SegmentedChoice } from '@/app/_components/inspector/segmented-choice';
import type { Resolved } from '@/lib/api/resolved';
import { formatCount } from '@/lib/format/count';
import { useClientViewData } from '../client-view-data';
import { useClientViewQuery } from '../use-client-view-query';
import { IgnoredTable } from './ignored-table';
import { ReferencesTable } from './references-table';
import { ResolvedSection } from './resolved-section';

/** What is there and has no effect, and references that lead nowhere: one list at a time. */
export function ResolvedLists({ resolved }: { readonly resolved: Resolved }) {
  const { referencesQuery } = useClientViewData();
  const { query, setQuery } = useClientViewQuery();
  const options = [
    { value: 'ignored', label: `Ignored ${formatCount(resolved.ignoredTotal)}` },
    ...(referencesQuery === null
      ? []
      : ([
          { value: 'dangling', label: 'Dangling references' },
          { value: 'orphan', label: 'Orphans' },
        ] as const)),
  ] as const;
  const list = options.find(({ value }) => value === query.list)?.value ?? 'ignored';
  return (
    <ResolvedSection
      title="Besides"
      actions={
        <SegmentedChoice
          label="List"
          value={list}
          options={options}
          onChange={(value) => setQuery({ list: value })}
        />
      }
    >
      {list === 'ignored' || referencesQuery === null ? (
        <IgnoredTable resolved={resolved} />
      ) : (
        <ReferencesTable key={list} kind={list} referencesQuery={referencesQuery} />
      )}
    </ResolvedSection>
  );
}
