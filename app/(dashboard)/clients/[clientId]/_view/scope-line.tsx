'use client';

import Link from 'next/link';
import { useMemo } from 'react';
import { clientHref } from '@/app/_components/client-href';
import { NameText } from '@/app/_components/name-text';
import { useFoundClients } from '@/app/_hooks/fleet-queries';
import { formatCounted } from '@/lib/format/count';
import { joinScopes } from '@/lib/view-model/fleet/join-scopes';

const namedMost = 12;

/** The other XdsClients of the same process. Nothing without any. */
export function ScopeLine({ clientId, nodeId }: { readonly clientId: string; readonly nodeId: string }) {
  // A quote delimits phrases in filters, so only the part before it is searched.
  const { data: clients } = useFoundClients(`node~"${nodeId.split('"')[0]}"`);
  const link = useMemo(() => joinScopes(clients ?? []).get(clientId), [clients, clientId]);
  if (link === undefined) return null;
  if (link.kind === 'scope') {
    return (
      <p className="note">
        One of several XdsClients of its process.{' '}
        <Link href={clientHref(link.wholeId)} className="link">
          All of them, as seen on the wire
        </Link>
      </p>
    );
  }
  const scopes = (clients ?? []).filter(({ id }) => link.scopeIds.includes(id));
  return (
    <p className="flex min-w-0 flex-wrap gap-x-2 note">
      <span title="gRFC A71: one XdsClient per target. Streams and control planes identify only the node.">
        All {formatCounted(scopes.length, 'scope')} of its process, as seen on the wire. By CSDS:
      </span>
      {scopes.slice(0, namedMost).map(({ id, scope }) => (
        <Link key={id} href={clientHref(id)} className="min-w-0 link-quiet">
          <NameText name={scope} maxChars={40} />
        </Link>
      ))}
      {scopes.length > namedMost && <span>and {scopes.length - namedMost} more</span>}
    </p>
  );
}
