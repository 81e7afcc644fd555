'use client';

import Link from 'next/link';
import { useMemo } from 'react';
import type { Certificate } from '@/lib/api/certificates';
import { SDS } from '@/lib/xds/resource-type';
import { useIsNarrow } from '../../_hooks/use-is-narrow';
import { NotReported } from '../bytes-text';
import { clientHref, graphHref } from '../client-href';
import type { DataColumn, DataSort } from '../data-column';
import { DataTable } from '../data-table';
import { EmptyState } from '../empty-state';
import { NameText } from '../name-text';
import { ExpiryText } from './expiry-text';
import { SecretUsers, useSecretUsers } from './secret-users';

/** Of the one column that the server does not sort. */
export const usersColumn = 'users';

const certificateId = ({ clientId, sourceId, role, path, secret, serialNumber, expiresAt }: Certificate) =>
  [clientId, sourceId, role, path, secret, serialNumber, expiresAt].join('\u0000');

const expiry: DataColumn<Certificate> = {
  ...{ id: 'expires', header: 'Expires', widthPx: 184 },
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
const names: DataColumn<Certificate> = {
  ...{ id: 'names', header: 'For', widthPx: 260, sortValue: ({ names }) => names[0] ?? '' },
  cell: ({ names, role }) => (
    <NameText name={names.join(', ') || (role === 'ca' ? 'an authority' : 'no name')} />
  ),
};
const others: readonly DataColumn<Certificate>[] = [
  {
    ...{ id: 'issuer', header: 'Issuer', widthPx: 180, sortValue: ({ issuer }) => issuer || null },
    description:
      'The distinguished name of the issuer, from the secret. Envoy’s admin interface does not report it',
    cell: ({ issuer }) =>
      issuer === '' ? (
        <NotReported why="not reported" />
      ) : (
        <span className="block truncate" title={issuer}>
          {issuer}
        </span>
      ),
  },
  { id: 'role', header: 'Use', widthPx: 72, sortValue: ({ role }) => role, cell: ({ role }) => role },
  {
    ...{ id: 'secret', header: 'Secret', widthPx: 160, sortValue: ({ secret }) => secret },
    description: 'The secret (SDS) with the certificate',
    cell: ({ clientId, secret }) =>
      secret === null ? (
        <NotReported why="in no secret that is known" />
      ) : (
        <Link href={graphHref(clientId, { typeUrl: SDS.typeUrl, name: secret })} className="link-hover">
          <NameText name={secret} typeUrl={SDS.typeUrl} />
        </Link>
      ),
  },
  {
    ...{ id: usersColumn, header: 'Used by', widthPx: 220 },
    description: 'The clusters (CDS) and listeners (LDS) of the client that use the secret',
    cell: ({ clientId, secret }) =>
      secret === null ? (
        <NotReported why="in no secret that is known" />
      ) : (
        <SecretUsers clientId={clientId} secret={secret} />
      ),
  },
  {
    ...{ id: 'path', header: 'From', widthPx: 240, sortValue: ({ path }) => path },
    cell: ({ path }) => (path === '' ? <NotReported why="not reported" /> : <NameText name={path} />),
  },
];

const columnsOf = {
  many: { wide: [expiry, client, names, ...others], narrow: [expiry, { ...client, widthPx: 168 }] },
  one: { wide: [expiry, names, ...others], narrow: [expiry, { ...names, widthPx: 168 }] },
};

interface CertificatesTableProps {
  readonly certificates: readonly Certificate[];
  readonly of: keyof typeof columnsOf;
  /** False for a page of a longer list, which the server sorts. */
  readonly isWhole?: boolean;
  /** "issuer", or "-issuer" in descending order. Absent: the table owns the order. */
  readonly sort?: string;
  readonly onSort?: (sort: string | null) => void;
  readonly emptyTitle?: string;
  /** The request of the rows; a change scrolls to the top. */
  readonly question?: string;
  readonly className: string;
}

export function CertificatesTable({
  certificates,
  of,
  isWhole = true,
  sort = '',
  onSort,
  emptyTitle = 'No certificates in use',
  question = '',
  className,
}: CertificatesTableProps) {
  const isNarrow = useIsNarrow();
  const columns = columnsOf[of][isNarrow ? 'narrow' : 'wide'];
  const secrets = useMemo(
    () => (isWhole && !isNarrow ? secretsOf(certificates) : []),
    [isWhole, isNarrow, certificates],
  );
  const users = useSecretUsers(secrets);
  const shown = useMemo(() => {
    if (!isWhole)
      return columns.map((column) => (column.id === usersColumn ? unsortedUsers(column) : column));
    const texts = new Map(secrets.map((each, at) => [secretKey(each), users[at]]));
    return columns.map((column) =>
      column.id === usersColumn
        ? { ...column, sortValue: (row: Certificate) => texts.get(secretKey(row)) || null }
        : column,
    );
  }, [isWhole, columns, secrets, users]);
  const tableSort = useMemo(() => {
    const columnId = sort.replace(/^-/, '');
    return columnId === '' || (columnId === usersColumn && !isWhole)
      ? null
      : { columnId, descending: sort.startsWith('-') };
  }, [sort, isWhole]);
  return (
    <DataTable
      label={tableSort === null ? 'Certificates by when they expire' : 'Certificates'}
      rows={certificates}
      columns={shown}
      sort={tableSort}
      {...(onSort !== undefined && {
        onSortChange: (next: DataSort | null) =>
          onSort(next && `${next.descending ? '-' : ''}${next.columnId}`),
      })}
      isSorted={!isWhole}
      question={question}
      rowId={certificateId}
      className={className}
      empty={<EmptyState title={emptyTitle} />}
    />
  );
}

function secretKey({ clientId, secret }: Pick<Certificate, 'clientId' | 'secret'>): string {
  return `${clientId} ${secret}`;
}

/** Each secret once. */
function secretsOf(certificates: readonly Certificate[]): { clientId: string; secret: string }[] {
  const known = certificates.flatMap(({ clientId, secret }) =>
    secret === null ? [] : [{ clientId, secret }],
  );
  return [...new Map(known.map((each) => [secretKey(each), each])).values()];
}

function unsortedUsers(column: DataColumn<Certificate>): DataColumn<Certificate> {
  return { ...column, description: `${column.description}. Only a list on one page is sorted by it` };
}
