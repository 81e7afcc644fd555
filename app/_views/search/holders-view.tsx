'use client';

import { useRouter } from 'next/navigation';
import { useCallback, useMemo } from 'react';
import { useQuestion } from '@/app/_ask/use-question';
import { clientHref } from '@/app/_components/client-href';
import { CopyButton } from '@/app/_components/copy-button';
import { DataTable } from '@/app/_components/data-table';
import { EmptyState } from '@/app/_components/empty-state';
import { FilterField } from '@/app/_components/filter-field';
import { Pager } from '@/app/_components/pager';
import { QueryContent } from '@/app/_components/query-content';
import { PageBody, PageTable } from '@/app/_components/shell/page-body';
import { PageHead } from '@/app/_components/shell/page-head';
import { StatusMark } from '@/app/_components/status-mark';
import { useDebounced } from '@/app/_hooks/use-debounced';
import { useIsNarrow } from '@/app/_hooks/use-is-narrow';
import { formatCount, formatCounted } from '@/lib/format/count';
import { formatName } from '@/lib/format/names/format-name';
import { formatVisible } from '@/lib/format/visible-text';
import type { ResourceKey } from '@/lib/observation/resource-state';
import type { Holder, HoldersAnswer } from '@/lib/views/search/schema';
import { holdersGrammar } from '@/lib/views/search/search-grammar';
import { formatResourceType } from '@/lib/xds/resource-type';
import { buildHolderColumns, buildNarrowHolderColumns } from './holder-columns';
import { holdersPerPage, holdersQuestion } from './search-params';

interface HoldersViewProps {
  readonly resource: ResourceKey;
  readonly filter: string;
  readonly from: number;
  readonly onFilter: (text: string) => void;
  readonly onFrom: (offset: number) => void;
}

const typingPauseMs = 150;
const rowId = ({ clientId }: Holder) => clientId;

/** The clients that have a resource: its state, version and content at each of them. */
export function HoldersView({ resource, filter, from, onFilter, onFrom }: HoldersViewProps) {
  const { typeUrl, name } = resource;
  const q = useDebounced(filter, typingPauseMs);
  const { data, error, refetch } = useQuestion('holders', holdersQuestion(resource, q, from));
  const router = useRouter();
  const isNarrow = useIsNarrow();
  const columns = useMemo(
    () => (isNarrow ? buildNarrowHolderColumns : buildHolderColumns)({ typeUrl, name }),
    [isNarrow, typeUrl, name],
  );
  const open = useCallback(
    ({ clientId }: Holder) => router.push(clientHref(clientId, { typeUrl, name })),
    [router, typeUrl, name],
  );
  const valuesOf = useCallback(
    (field: string) =>
      field === 'version'
        ? [...new Set(data?.items.map(({ versionInfo }) => versionInfo).filter(Boolean))]
        : field === 'hash'
          ? (data?.contents.map(({ hash }) => hash) ?? [])
          : [],
    [data],
  );
  const short = formatName(name, typeUrl);
  return (
    <PageBody fills>
      <PageHead
        title={`Who holds ${short === '' ? '(empty name)' : short}`}
        vantage={`${formatResourceType(typeUrl)} as reported by each client and by control planes`}
        actions={<CopyButton text={name} label="Copy the name of the resource" />}
      />
      {short !== name && (
        <p className="font-mono text-[0.9286em] break-all text-muted">{formatVisible(name)}</p>
      )}
      {data !== undefined && <Summary answer={data} onFilter={onFilter} />}
      <div className="flex flex-wrap items-start gap-x-4 gap-y-2">
        <FilterField
          label="Filter clients"
          grammar={holdersGrammar}
          valuesOf={valuesOf}
          value={filter}
          onChange={onFilter}
          placeholder="shop  status=NACKED  version=7  since=10m"
          className="w-full md:w-105"
        />
        {data !== undefined && (
          <>
            <p role="status" className="leading-8 whitespace-nowrap text-muted">
              {formatCount(data.matched)} of {formatCount(data.clients + data.probes)} listed
            </p>
            <Pager
              label="clients"
              offset={from}
              limit={holdersPerPage}
              total={data.matched}
              onChange={onFrom}
            />
          </>
        )}
      </div>
      <PageTable label="Holders">
        <QueryContent query={{ data, error, refetch }} what="the clients" rows={8}>
          {({ items, clients, probes }) => (
            <DataTable
              label="Clients that have the resource"
              rows={items}
              columns={columns}
              rowId={rowId}
              onActivate={open}
              rowHeightPx={44}
              className="flex-1"
              empty={
                clients + probes === 0 ? (
                  <EmptyState title="No client holds this resource">
                    No client reports a resource of this type and name now. History shows whether one did.
                  </EmptyState>
                ) : (
                  <EmptyState title="No client matches the filter" />
                )
              }
            />
          )}
        </QueryContent>
      </PageTable>
    </PageBody>
  );
}

interface SummaryProps {
  readonly answer: HoldersAnswer;
  readonly onFilter: (text: string) => void;
}

const chipClass =
  'inline-flex min-h-7 items-center gap-1.5 rounded-full border border-line-strong bg-raised px-2.5 text-small hover:bg-hover';
const mostContents = 4;

/** States and contents, each of which filters. */
function Summary({ answer, onFilter }: SummaryProps) {
  const { states, contents, holders, clients, probes } = answer;
  if (clients + probes === 0) return null;
  return (
    <div className="flex flex-wrap items-center gap-x-2 gap-y-1.5">
      <p>
        Held by {holders < clients && `${formatCount(holders)} of `}
        {clients === 0 ? 'no client' : formatCounted(clients, 'client')}
        {probes > 0 && (
          <span className="text-muted" title="Probes of xdscope, which subscribe to what the server offers">
            {' '}
            and {formatCounted(probes, 'probe')}
          </span>
        )}
      </p>
      {states.map(({ state, count }) => (
        <button key={state} type="button" className={chipClass} onClick={() => onFilter(`status=${state}`)}>
          <StatusMark status={state} /> {formatCount(count)}
        </button>
      ))}
      {contents.length > 1 && (
        <>
          <span className="note">{formatCounted(contents.length, 'different content')}:</span>
          {contents.slice(0, mostContents).map(({ hash, clients: count }) => (
            <button
              key={hash}
              type="button"
              title={`SHA-256 ${hash}`}
              className={chipClass}
              onClick={() => onFilter(`hash=${hash}`)}
            >
              <span className="font-mono">{hash.slice(0, 8)}</span> {formatCount(count)}
            </button>
          ))}
        </>
      )}
      {contents.length === 1 && (
        <span className="note">
          {contents[0]?.clients === clients ? 'all' : formatCount(contents[0]?.clients ?? 0)} with the same
          content
        </span>
      )}
    </div>
  );
}
