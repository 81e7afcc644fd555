'use client';

import Link from 'next/link';
import { useMemo } from 'react';
import { clientHref } from '@/app/_components/client-href';
import { NameText } from '@/app/_components/name-text';
import { useFoundClients } from '@/app/_hooks/fleet-queries';
import { formatCounted } from '@/lib/format/count';
import { joinScopes } from '@/lib/view-model/fleet/join-scopes';

const namedMost = 12;

/** The others of the same process: its scopes, or what the wire reports about all of them. Nothing where there are none. */
export function ScopeLine({ clientId, nodeId }: { readonly clientId: string; readonly nodeId: string }) {
  // A quote in a filter holds words together: of a node id that has one the part before it is looked for.
  const { data: clients } = useFoundClients(`node~"${nodeId.split('"')[0]}"`);
  const link = useMemo(() => joinScopes(clients ?? []).get(clientId), [clients, clientId]);
  if (link === undefined) return null;
  if (link.kind === 'scope') {
    return (
      <p className="text-[0.8571rem] text-muted">
        One XdsClient of its process.{' '}
        <Link href={clientHref(link.wholeId)} className="text-accent underline underline-offset-2">
          What the wire reports about all of them
        </Link>
      </p>
    );
  }
  const scopes = (clients ?? []).filter(({ id }) => link.scopeIds.includes(id));
  return (
    <p className="flex min-w-0 flex-wrap gap-x-2 text-[0.8571rem] text-muted">
      <span title="gRFC A71: an XdsClient for each target. Streams and control planes identify the node alone.">
        All {formatCounted(scopes.length, 'scope')} of its process together, as the wire reports them. By
        CSDS:
      </span>
      {scopes.slice(0, namedMost).map(({ id, scope }) => (
        <Link
          key={id}
          href={clientHref(id)}
          className="min-w-0 text-accent underline-offset-2 hover:underline"
        >
          <NameText name={scope} maxChars={40} />
        </Link>
      ))}
      {scopes.length > namedMost && <span>and {scopes.length - namedMost} more</span>}
    </p>
  );
}
