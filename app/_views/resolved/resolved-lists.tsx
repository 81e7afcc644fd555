'use client';

import { useClientViewData } from '@/app/_ask/client-view-data';
import { useQuestion } from '@/app/_ask/use-question';
import { SegmentedChoice } from '@/app/_components/segmented-choice';
import { useClientViewQuery } from '@/app/_views/client/use-client-view-query';
import { formatCount } from '@/lib/format/count';
import type { ReferenceListKind, Resolved } from '@/lib/views/resolved/schema';
import { useAskTears } from '../client/use-ask-tears';
import { IgnoredTable } from './ignored-table';
import { ReferencesTable } from './references-table';
import { ResolvedSection } from './resolved-section';
import { resolvedParams } from './search-params';
import { TearsList } from './tears-list';

/** Ignored fields, references or config tears: one list at a time. */
export function ResolvedLists({ resolved }: { readonly resolved: Resolved }) {
  const askTears = useAskTears();
  const { query, setQuery } = useClientViewQuery(resolvedParams);
  const dangling = useReferenceCount('dangling');
  const orphans = useReferenceCount('orphan');
  const options = [
    { value: 'ignored', label: `Ignored ${formatCount(resolved.ignoredTotal)}` },
    { value: 'dangling', label: `Missing references${countOf(dangling)}` },
    { value: 'orphan', label: `Unused resources${countOf(orphans)}` },
    ...(askTears === null ? [] : ([{ value: 'tears', label: 'Config tears' }] as const)),
  ] as const;
  const list = options.find(({ value }) => value === query.list)?.value ?? 'ignored';
  return (
    <ResolvedSection
      title="Warnings"
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

function countOf(count: number | undefined): string {
  return count === undefined ? '' : ` ${formatCount(count)}`;
}

/** Counting reads every content, so it is done for larger clients on demand only. */
const countedUnasked = 5_000;

/** The number of missing references or unused resources; undefined: unknown. */
function useReferenceCount(kind: ReferenceListKind): number | undefined {
  const { client } = useClientViewData();
  const { query } = useClientViewQuery(resolvedParams);
  const enabled = client.resources <= countedUnasked || query.list === kind;
  return useQuestion('references', { kind, limit: 0 }, { enabled }).data?.total;
}
