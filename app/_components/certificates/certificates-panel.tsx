'use client';

import { parseAsInteger, parseAsString, parseAsStringLiteral, useQueryStates } from 'nuqs';
import { useDeferredValue } from 'react';
import { omitEmpty } from '@/app/_ask/query-text';
import { useQuestion } from '@/app/_ask/use-question';
import { formatCounted } from '@/lib/format/count';
import type { CertificatePage } from '@/lib/views/certificates/schema';
import { certificateSortColumns } from '@/lib/views/certificates/sort-columns';
import { EmptyState } from '../empty-state';
import { ListToolbar } from '../list-toolbar';
import { Panel } from '../panel';
import { QueryContent } from '../query-content';
import { CertificatesTable, usersColumn } from './certificates-table';

interface CertificatesPanelProps {
  /** States that no source reports certificates; without it the panel is hidden then. */
  readonly showsNothing?: boolean;
}

const certificatesPerPage = 200;

export function CertificatesPanel({ showsNothing = false }: CertificatesPanelProps) {
  const [{ cert, certFrom, certSort: chosenSort }, setParams] = useQueryStates(certificateParams, {
    history: 'replace',
    throttleMs: 200,
  });
  const certSort = chosenSort ?? '';
  const q = useDeferredValue(cert);
  // The clusters that use a secret are known only to the table.
  const sort = certSort === usersColumn || certSort === `-${usersColumn}` ? '' : certSort;
  const { data, error, refetch } = useQuestion('certificates', {
    ...omitEmpty({ q, sort }),
    offset: certFrom,
    limit: certificatesPerPage,
  });
  if (data?.clients === 0 && !showsNothing) return null;
  const unread = data?.unread ?? 0;
  return (
    <Panel
      title="Certificates"
      vantage={describe(data)}
      partial={unread > 0 ? `${formatCounted(unread, 'list')} no longer kept` : ''}
      flush
    >
      <QueryContent query={{ data, error, refetch }} what="the certificates">
        {(data) => (
          <>
            {data.clients > 0 && (
              <ListToolbar
                search={{
                  label: 'Part of a client, name, issuer, secret, path or serial number',
                  placeholder: 'client, name, issuer, secret, path',
                  value: cert,
                  onChange: (next) => setParams({ cert: next === '' ? null : next, certFrom: null }),
                  hasShortcut: false,
                  className: 'w-full md:w-80',
                }}
                counts={
                  <p role="status" className="note">
                    {formatCounted(data.total, 'certificate')}
                  </p>
                }
                pager={{
                  label: 'certificates',
                  offset: certFrom,
                  limit: certificatesPerPage,
                  total: data.total,
                  onChange: (next) => setParams({ certFrom: next === 0 ? null : next }),
                }}
                className="border-b border-line px-4 py-2"
              />
            )}
            <Certificates
              page={data}
              isFiltered={q !== ''}
              question={`${q} ${certSort} ${certFrom}`}
              sort={certSort}
              onSort={(next) =>
                setParams({ certSort: sorts.find((each) => each === next) ?? null, certFrom: null })
              }
            />
          </>
        )}
      </QueryContent>
    </Panel>
  );
}

function describe(data: { readonly expired: number; readonly soon: number } | undefined): string {
  if (data === undefined) return 'reported by Envoy, and in secrets (SDS)';
  const { expired, soon } = data;
  const counts = [expired > 0 ? `${expired} expired` : '', soon > 0 ? `${soon} within 30 days` : ''].filter(
    (part) => part !== '',
  );
  return `reported by Envoy, and in secrets (SDS)${counts.length === 0 ? '' : `: ${counts.join(', ')}`}`;
}

interface CertificatesProps {
  readonly page: CertificatePage;
  readonly isFiltered: boolean;
  readonly question: string;
  /** "issuer", or "-issuer" in descending order; empty: the order of the server. */
  readonly sort: string;
  readonly onSort: (sort: string | null) => void;
}

function Certificates({ page, isFiltered, question, sort, onSort }: CertificatesProps) {
  const { items, clients, total } = page;
  if (clients > 0) {
    return (
      <CertificatesTable
        certificates={items}
        of="many"
        isWhole={items.length === total}
        sort={sort}
        onSort={onSort}
        emptyTitle={isFiltered ? 'No certificate matches' : 'No certificates in use'}
        question={question}
        className="max-h-96 min-h-24"
      />
    );
  }
  return (
    <EmptyState title="No certificates reported">
      Certificates come from the admin interface of Envoy (--envoy-admin host:port, or add an Envoy under
      Sources), and from secrets (SDS) of clients with inline certificates.
    </EmptyState>
  );
}

const sortColumns = [...certificateSortColumns, usersColumn] as const;
const sorts = [...sortColumns, ...sortColumns.map((column) => `-${column}` as const)];

/** URL parameters of the panel on any page. */
const certificateParams = {
  cert: parseAsString.withDefault(''),
  certFrom: parseAsInteger.withDefault(0),
  certSort: parseAsStringLiteral(sorts),
};
