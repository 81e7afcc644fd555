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

/** The rest is one click away, under Propagation. */
const mostShown = 5;

/** Resources that become another one on their way to the client, each by its first mismatch. */
export function MismatchFindings() {
  const { basePath } = useClientViewData();
  const { query } = useClientViewQuery();
  const { data, error, refetch } = useQuestion('propagation', { only: 'differs' });
  if (data === undefined && error !== null) {
    return (
      <ErrorState title="The four sides could not be read" error={error} onRetry={() => void refetch()} />
    );
  }
  if (data === undefined || data.total === 0) return null;
  const search = new URLSearchParams({ propagation: 'differs', ...(query.at !== '' && { at: query.at }) });
  return (
    <section aria-label="Differs on its way" className="border-b border-line px-4 py-2.5">
      <h3 className="flex flex-wrap items-baseline gap-x-3 text-[0.9286rem] font-semibold">
        {formatCount(data.total)} {data.total === 1 ? 'resource differs' : 'resources differ'} on the way
        <Link
          href={`${basePath}/propagation?${search}`}
          prefetch={false}
          className="text-[0.8571rem] font-normal text-accent underline underline-offset-2"
        >
          {data.total > mostShown ? 'All of them, and the four sides' : 'The four sides'}
        </Link>
      </h3>
      <ul className="mt-1.5 flex flex-col gap-1.5 text-[0.9286rem]">
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
        <span className="font-mono text-[0.8571rem] font-semibold">{row.firstMismatch?.finding}</span>
        <span className="text-[0.8571rem] text-muted">{row.service}</span>
        <button
          type="button"
          className="min-w-0 text-left hover:underline"
          onClick={() => openResource(row)}
          title="Open in the inspector"
        >
          <NameText name={row.name} maxChars={56} />
        </button>
      </p>
      <p className="break-words text-nacked">{row.firstMismatch?.text}.</p>
    </li>
  );
}
