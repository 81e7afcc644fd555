'use client';

import Link from 'next/link';
import { useClientViewData } from '@/app/_ask/client-view-data';
import { useQuestion } from '@/app/_ask/use-question';
import { ErrorState } from '@/app/_components/error-state';
import { NameText } from '@/app/_components/name-text';
import type { PropagationRow } from '@/lib/api/propagation';
import { formatCount } from '@/lib/format/count';
import { formatResourceRef } from '@/lib/view-model/client-resources/resource-ref';
import { useClientViewQuery } from '../use-client-view-query';
import { findingsParams } from './search-params';

/** The Propagation tab has all of them. */
const mostShown = 5;

/** Resources that change during propagation, each with its first mismatch. */
export function MismatchFindings() {
  const { basePath } = useClientViewData();
  const { query } = useClientViewQuery(findingsParams);
  const { data, error, refetch } = useQuestion('propagation', { only: 'differs' });
  if (data === undefined && error !== null) {
    return <ErrorState title="Couldn’t load the propagation" error={error} onRetry={() => void refetch()} />;
  }
  if (data === undefined || data.total === 0) return null;
  const search = new URLSearchParams({ propagation: 'differs', ...(query.at !== '' && { at: query.at }) });
  return (
    <section aria-label="Differs in propagation" className="border-b border-line px-4 py-2.5">
      <h2 className="flex flex-wrap items-baseline gap-x-3 text-medium font-semibold">
        {formatCount(data.total)} {data.total === 1 ? 'resource differs' : 'resources differ'} in propagation
        <Link
          href={`${basePath}/propagation?${search}`}
          prefetch={false}
          className="text-small font-normal link"
        >
          {data.total > mostShown ? 'All of them' : 'Propagation'}
        </Link>
      </h2>
      <ul className="mt-1.5 flex flex-col gap-1.5 text-medium">
        {data.items.slice(0, mostShown).map((row) => (
          <Hop key={formatResourceRef(row)} row={row} />
        ))}
      </ul>
    </section>
  );
}

function Hop({ row }: { readonly row: PropagationRow }) {
  const { openResource } = useClientViewQuery();
  return (
    <li className="rounded-md border border-line px-3 py-2">
      <p className="flex min-w-0 flex-wrap items-baseline gap-x-2">
        <span className="font-mono text-small font-semibold">{row.firstMismatch?.finding}</span>
        <span className="note">{row.service}</span>
        <button
          type="button"
          className="min-w-0 text-left hover:underline"
          onClick={() => openResource(row)}
          title="Open in the inspector"
        >
          <NameText name={row.name} />
        </button>
      </p>
      <p className="break-words text-nacked">{row.firstMismatch?.text}.</p>
    </li>
  );
}
