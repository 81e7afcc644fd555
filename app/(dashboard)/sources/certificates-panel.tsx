'use client';

import Link from 'next/link';
import type { Certificate } from '@/lib/api/certificates';
import { formatCounted } from '@/lib/format/count';
import { clientHref } from '../../_components/client-href';
import type { DataColumn } from '../../_components/data-column';
import { DataTable } from '../../_components/data-table';
import { EmptyState } from '../../_components/empty-state';
import { ErrorState } from '../../_components/error-state';
import { NameText } from '../../_components/name-text';
import { Panel } from '../../_components/panel';
import { Skeleton } from '../../_components/skeleton';
import { useCertificates } from '../../_hooks/certificates-queries';
import { useIsNarrow } from '../../_hooks/use-is-narrow';
import { ExpiryText } from './expiry-text';

const certificateId = ({ clientId, sourceId, role, path, serialNumber, expiresAt }: Certificate) =>
  [clientId, sourceId, role, path, serialNumber, expiresAt].join('\u0000');

const expiry: DataColumn<Certificate> = {
  ...{ id: 'expires', header: 'Expires', widthPx: 148 },
  sortValue: ({ expiresAt }) => expiresAt ?? '~',
  cell: ({ expiresAt }) => <ExpiryText iso={expiresAt} />,
};
const client: DataColumn<Certificate> = {
  ...{ id: 'client', header: 'Client', widthPx: 200, sortValue: ({ nodeId }) => nodeId },
  cell: ({ clientId, nodeId }) => (
    <Link href={clientHref(clientId)}>
      <NameText name={nodeId} />
    </Link>
  ),
};
const columns: readonly DataColumn<Certificate>[] = [
  expiry,
  client,
  {
    ...{ id: 'names', header: 'For', widthPx: 260, sortValue: ({ names }) => names[0] ?? '' },
    cell: ({ names, role }) => (
      <NameText name={names.join(', ') || (role === 'ca' ? 'an authority' : 'no name')} />
    ),
  },
  { id: 'role', header: 'Use', widthPx: 72, sortValue: ({ role }) => role, cell: ({ role }) => role },
  {
    ...{ id: 'path', header: 'From', widthPx: 240, sortValue: ({ path }) => path },
    cell: ({ path }) => <NameText name={path} />,
  },
];
const narrowColumns = [expiry, client];

/** What Envoys tell of their certificates; shown only where one tells. */
export function CertificatesPanel() {
  const { data, error, refetch } = useCertificates();
  const isNarrow = useIsNarrow();
  if (data?.clients === 0) return null;
  const more = data === undefined ? 0 : data.total - data.items.length;
  const partial = [
    more > 0 ? `${formatCounted(more, 'certificate')} more expire later` : '',
    data !== undefined && data.unread > 0 ? `${formatCounted(data.unread, 'list')} not kept any longer` : '',
  ];
  return (
    <Panel
      title="Certificates"
      vantage={describe(data)}
      partial={partial.filter((part) => part !== '').join(', ')}
      flush
    >
      {data === undefined && error !== null && (
        <ErrorState title="The certificates could not be read" error={error} onRetry={() => void refetch()} />
      )}
      {data === undefined && error === null && <Skeleton waitsFor="the certificates" />}
      {data !== undefined && (
        <DataTable
          label="Certificates by when they expire"
          rows={data.items}
          columns={isNarrow ? narrowColumns : columns}
          rowId={certificateId}
          className="max-h-96 min-h-24"
          empty={<EmptyState title="No certificate is in use" />}
        />
      )}
    </Panel>
  );
}

function describe(data: { readonly expired: number; readonly soon: number } | undefined): string {
  if (data === undefined) return 'as Envoys tell';
  const { expired, soon } = data;
  const counts = [expired > 0 ? `${expired} expired` : '', soon > 0 ? `${soon} within 30 days` : ''].filter(
    (part) => part !== '',
  );
  return `as Envoys tell${counts.length === 0 ? '' : `: ${counts.join(', ')}`}`;
}
