'use client';

import { useQueries, useQuery } from '@tanstack/react-query';
import Link from 'next/link';
import { useMemo } from 'react';
import { clientQuestionOptions } from '@/app/_ask/client-question';
import { formatCount } from '@/lib/format/count';
import type { Certificate } from '@/lib/views/certificates/schema';
import type { ResourceLinks } from '@/lib/views/inspector/schema';
import { CDS, formatResourceType, LDS, SDS } from '@/lib/xds/resource-type';
import { useIsNarrow } from '../../_hooks/use-is-narrow';
import { NotReported } from '../bytes-text';
import { clientHref, graphHref } from '../client-href';
import { column } from '../column';
import { type DataColumn, type DataSort, formatSort, parseSort } from '../data-column';
import { DataTable } from '../data-table';
import { EmptyState } from '../empty-state';
import { NameText } from '../name-text';
import { ExpiryText } from './expiry-text';

interface SecretUsersProps {
  readonly clientId: string;
  readonly secret: string;
}

const mostShown = 2;
const mostInHover = 20;

/** The clusters and listeners of the client that use a secret. */
function SecretUsers({ clientId, secret }: SecretUsersProps) {
  const { data } = useQuery(linksOptions({ clientId, secret }));
  if (data === undefined) return null;
  const users = usersOf(data);
  if (users.length === 0) return <NotReported why="no cluster or listener that is known uses it" />;
  return (
    <span className="flex flex-wrap items-baseline gap-x-2" title={hoverOf(users)}>
      {users.slice(0, mostShown).map(({ typeUrl, name }) => (
        <Link
          key={`${typeUrl} ${name}`}
          href={graphHref(clientId, { typeUrl, name })}
          prefetch={false}
          className="inline-flex min-w-0 items-baseline gap-1 link-hover"
        >
          <span className="note">{formatResourceType(typeUrl)}</span>
          <NameText name={name} typeUrl={typeUrl} />
        </Link>
      ))}
      {users.length > mostShown && <span className="note">+{formatCount(users.length - mostShown)}</span>}
    </span>
  );
}

/**
 * Returns the texts by which the users of the secrets are sorted; a text is empty if there are no users, or no answer
 * yet.
 */
function useSecretUsers(secrets: readonly SecretUsersProps[]): readonly string[] {
  return useQueries({ queries: secrets.map(linksOptions), combine: textsOf });
}

function textsOf(results: readonly { readonly data: ResourceLinks | undefined }[]): readonly string[] {
  return results.map(({ data }) => (data === undefined ? '' : titleOf(usersOf(data))));
}

function linksOptions({ clientId, secret }: SecretUsersProps) {
  return {
    ...clientQuestionOptions({ clientId }, 'links', { typeUrl: SDS.typeUrl, name: secret }),
    retry: false,
  };
}

function usersOf({ usedBy }: ResourceLinks): ResourceLinks['usedBy'] {
  return usedBy.filter(({ typeUrl }) => typeUrl === CDS.typeUrl || typeUrl === LDS.typeUrl);
}

function titleOf(users: ResourceLinks['usedBy']): string {
  return users.map(({ typeUrl, name }) => `${formatResourceType(typeUrl)} ${name}`).join('\n');
}

function hoverOf(users: ResourceLinks['usedBy']): string {
  const more = users.length - mostInHover;
  return `${titleOf(users.slice(0, mostInHover))}${more > 0 ? `\n${formatCount(more)} more` : ''}`;
}

/** The only column that the server does not sort. */
export const usersColumn = 'users';

const certificateId = ({ clientId, sourceId, role, path, secret, serialNumber, expiresAt }: Certificate) =>
  [clientId, sourceId, role, path, secret, serialNumber, expiresAt].join('\u0000');

type Column = DataColumn<Certificate>;

const expiry: Column = column('expires', 'Expires', ({ expiresAt }) => expiresAt, {
  widthPx: 216,
  cell: (certificate) => <ExpiryText certificate={certificate} />,
});
const client: Column = column('client', 'Client', ({ nodeId }) => nodeId, {
  widthPx: 200,
  as: (nodeId, { clientId }) => (
    <Link href={clientHref(clientId)}>
      <NameText name={nodeId} />
    </Link>
  ),
});
const names: Column = column('names', 'For', ({ names }) => names[0] ?? '', {
  widthPx: 260,
  as: (_, { names, role }) => (
    <NameText name={names.join(', ') || (role === 'ca' ? 'an authority' : 'no name')} />
  ),
});
const others: readonly Column[] = [
  column('issuer', 'Issuer', ({ issuer }) => issuer || null, {
    as: 'text',
    widthPx: 180,
    grows: false,
    description:
      'The distinguished name of the issuer, from the secret. Envoy’s admin interface does not report it',
  }),
  column('role', 'Use', ({ role }) => role, { widthPx: 72 }),
  column('secret', 'Secret', ({ secret }) => secret, {
    description: 'The secret (SDS) with the certificate',
    widthPx: 160,
    why: 'in no secret that is known',
    as: (secret, { clientId }) => (
      <Link href={graphHref(clientId, { typeUrl: SDS.typeUrl, name: secret })} className="link-hover">
        <NameText name={secret} typeUrl={SDS.typeUrl} />
      </Link>
    ),
  }),
  column(usersColumn, 'Used by', ({ secret }) => secret, {
    widthPx: 220,
    why: 'in no secret that is known',
    sortValue: undefined,
    description: 'The clusters (CDS) and listeners (LDS) of the client that use the secret',
    as: (secret, { clientId }) => <SecretUsers clientId={clientId} secret={secret} />,
  }),
  column('path', 'From', ({ path }) => path || null, { as: 'name', widthPx: 240 }),
];

const columnsOf = {
  many: { wide: [expiry, client, names, ...others], narrow: [expiry, { ...client, widthPx: 148 }] },
  one: { wide: [expiry, names, ...others], narrow: [expiry, { ...names, widthPx: 148 }] },
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
    const parsed = parseSort(sort);
    return parsed?.columnId === usersColumn && !isWhole ? null : parsed;
  }, [sort, isWhole]);
  return (
    <DataTable
      label={tableSort === null ? 'Certificates by when they expire' : 'Certificates'}
      rows={certificates}
      columns={shown}
      sort={tableSort}
      {...(onSort !== undefined && {
        onSortChange: (next: DataSort | null) => onSort(next && formatSort(next)),
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
    secret === undefined ? [] : [{ clientId, secret }],
  );
  return [...new Map(known.map((each) => [secretKey(each), each])).values()];
}

function unsortedUsers(column: DataColumn<Certificate>): DataColumn<Certificate> {
  return { ...column, description: `${column.description}. Only a list on one page is sorted by it` };
}
