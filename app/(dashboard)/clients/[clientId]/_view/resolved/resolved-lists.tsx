'use client';

import { SegmentedChoice } from '@/app/_components/segmented-choice';
import type { Resolved } from '@/lib/api/resolved';
import { formatCount } from '@/lib/format/count';
import { useAskTears } from '../use-ask-tears';
import { useClientViewQuery } from '../use-client-view-query';
import { IgnoredTable } from './ignored-table';
import { ReferencesTable } from './references-table';
import { ResolvedSection } from './resolved-section';
import { TearsList } from './tears-list';
import { useReferenceCount } from './use-reference-count';

/** What has no effect, what leads nowhere, and when it tore: one list at a time. */
export function ResolvedLists({ resolved }: { readonly resolved: Resolved }) {
  const askTears = useAskTears();
  const { query, setQuery } = useClientViewQuery();
  const dangling = useReferenceCount('dangling');
  const orphans = useReferenceCount('orphan');
  const options = [
    { value: 'ignored', label: `Ignored ${formatCount(resolved.ignoredTotal)}` },
    { value: 'dangling', label: `Dangling references${countOf(dangling)}` },
    { value: 'orphan', label: `Orphans${countOf(orphans)}` },
    ...(askTears === null ? [] : ([{ value: 'tears', label: 'Tears' }] as const)),
  ] as const;
  const list = options.find(({ value }) => value === query.list)?.value ?? 'ignored';
  return (
    <ResolvedSection
      title="Loose ends"
      actions={
        <SegmentedChoice
          label="List"
          value={list}
          options={options}
          onChange={(value) => setQuery({ list: value, refs: 0 })}
        />
      }
    >
      {list === 'tears' && askTears !== null ? (
        <TearsList ask={askTears} />
      ) : list === 'dangling' || list === 'orphan' ? (
        <ReferencesTable key={list} kind={list} />
      ) : (
        <IgnoredTable resolved={resolved} />
      )}
    </ResolvedSection>
  );
}

/** What is not known yet is not counted. */
function countOf(count: number | undefined): string {
  return count === undefined ? '' : ` ${formatCount(count)}`;
}
