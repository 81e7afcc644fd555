'use client';

import Link from 'next/link';
import { useState } from 'react';
import { useItems, useQuestion } from '@/app/_ask/use-question';
import { NotReported } from '@/app/_components/bytes-text';
import { formatCount } from '@/lib/format/count';
import type { ImportProblem } from '@/lib/views/recording/import-schema';
import { Button } from '../../../../_components/button';
import { EmptyState } from '../../../../_components/empty-state';
import { ImportItem } from '../../../../_components/imports/import-item';
import { Panel } from '../../../../_components/panel';
import { QueryContent } from '../../../../_components/query-content';

const perPage = 100;

/** One imported file: its result, and the parts that could not be read. */
export function ImportPage({ importId }: { readonly importId: string }) {
  const { data: imports } = useItems('imports', {});
  const [page, setPage] = useState(0);
  const { data, error, refetch } = useQuestion('imports/{id}/problems', {
    ...{ id: importId, offset: page * perPage, limit: perPage },
  });
  const item = imports?.find(({ id }) => id === importId);
  const last = data === undefined ? 0 : Math.max(0, Math.ceil(data.kept / perPage) - 1);
  return (
    <div className="flex flex-col gap-4 p-3 md:p-5">
      <nav aria-label="Breadcrumb" className="text-medium">
        <Link href="/sources/imports" className="link-quiet">
          Imports
        </Link>{' '}
        <span className="text-muted">/ import</span>
      </nav>
      <h1 className="text-[1.2857rem] font-semibold break-words">{item?.label ?? 'Import'}</h1>
      {imports !== undefined && item === undefined && (
        <EmptyState title="Import not found">It was removed, or xdscope has restarted.</EmptyState>
      )}
      {item !== undefined && (
        <ul className="max-w-xl">
          <ImportItem item={item} />
        </ul>
      )}
      {item !== undefined && (
        <Panel
          title="What could not be read"
          vantage="places are JSON paths; offsets are bytes of the unpacked file"
          partial={
            data !== undefined && data.total > data.kept
              ? `the first ${data.kept} of ${data.total} are kept`
              : undefined
          }
          flush
        >
          <QueryContent query={{ data, error, refetch }} what="the problems" rows={3}>
            {(data) => (
              <>
                {data.items.length === 0 && (
                  <p className="p-4 text-muted">Nothing: the whole file was read.</p>
                )}
                {data.items.length > 0 && <ProblemsTable items={data.items} first={page * perPage} />}
              </>
            )}
          </QueryContent>
          {last > 0 && (
            <div className="flex items-center gap-2 border-t border-line px-4 py-2">
              <Button isDisabled={page === 0} onPress={() => setPage(page - 1)}>
                Previous
              </Button>
              <Button isDisabled={page >= last} onPress={() => setPage(page + 1)}>
                Next
              </Button>
              <span className="text-muted tabular-nums">
                Page {page + 1} of {last + 1}
              </span>
            </div>
          )}
        </Panel>
      )}
    </div>
  );
}

interface ProblemsTableProps {
  readonly items: readonly ImportProblem[];
  /** Index of the first item, from 0. */
  readonly first: number;
}

function ProblemsTable({ items, first }: ProblemsTableProps) {
  const numbered = items.map((item, index) => ({ ...item, number: first + index }));
  return (
    <table className="w-full text-medium">
      <thead className="text-left note max-md:sr-only">
        <tr>
          <th className="px-4 py-1.5 font-medium">Place</th>
          <th className="px-4 py-1.5 text-right font-medium">Byte</th>
          <th className="px-4 py-1.5 font-medium">Reason</th>
        </tr>
      </thead>
      <tbody>
        {numbered.map(({ place, offset, reason, number }) => (
          <tr
            key={number}
            className="border-t border-line align-top max-md:flex max-md:flex-col max-md:px-4 max-md:py-2"
          >
            <td className="font-mono text-small wrap-anywhere md:w-2/5 md:px-4 md:py-1.5">
              {place === '' ? <span className="font-sans text-muted">all of it</span> : place}
            </td>
            <td className="text-muted tabular-nums md:px-4 md:py-1.5 md:text-right md:whitespace-nowrap">
              {offset === undefined ? (
                <NotReported />
              ) : (
                <>
                  <span className="md:hidden">byte </span>
                  {formatCount(offset)}
                </>
              )}
            </td>
            <td className="wrap-anywhere md:px-4 md:py-1.5">{reason}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
