'use client';

import { useQueries, useQuery } from '@tanstack/react-query';
import Link from 'next/link';
import { clientQuestionOptions } from '@/app/_ask/client-question';
import type { ResourceLinks } from '@/lib/api/schema';
import { formatCount } from '@/lib/format/count';
import { CDS, formatResourceType, LDS, SDS } from '@/lib/xds/resource-type';
import { NotReported } from '../bytes-text';
import { graphHref } from '../client-href';
import { NameText } from '../name-text';

interface SecretUsersProps {
  readonly clientId: string;
  readonly secret: string;
}

const mostShown = 2;
const mostInHover = 20;

/** The clusters and listeners of the client that use a secret. */
export function SecretUsers({ clientId, secret }: SecretUsersProps) {
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

/** Of each secret, the text by which its users are sorted; empty: none, or not answered yet. */
export function useSecretUsers(secrets: readonly SecretUsersProps[]): readonly string[] {
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
