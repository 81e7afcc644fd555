'use client';

import Link from 'next/link';
import { useMemo } from 'react';
import { useFoundClients } from '@/app/_ask/use-found-clients';
import { clientHref } from '@/app/_components/client-href';
import { NameText } from '@/app/_components/name-text';
import type { ClientDetail } from '@/lib/api/schema';
import { formatCounted } from '@/lib/format/count';
import { isOfFiles } from '@/lib/view-model/fleet/is-of-files';
import { joinScopes } from '@/lib/view-model/fleet/join-scopes';

const namedMost = 12;
const title =
  'gRFC A71: a gRPC process has an XdsClient with its own ADS stream for each target, and one for its servers. Control planes and load reports identify only the node.';

/** The other XdsClients of the same process, or the other imports with the same node ID. Nothing without any. */
export function ScopeLine({ client }: { readonly client: ClientDetail }) {
  const { id: clientId, nodeId } = client;
  // A quote delimits phrases in filters, so only the part before it is searched.
  const { data: clients } = useFoundClients(`node~"${nodeId.split('"')[0]}"`);
  const link = useMemo(() => joinScopes(clients ?? []).get(clientId), [clients, clientId]);
  if (link === undefined) return null;
  const scopes = (clients ?? []).filter(({ id }) => id !== clientId && link.scopeIds.includes(id));
  return (
    <p className="flex min-w-0 flex-wrap gap-x-2 note">
      <span title={isOfFiles(client) ? undefined : title}>
        {isOfFiles(client)
          ? `One of ${formatCounted(link.scopeIds.length, 'imported client')} with this node ID. The others:`
          : link.kind === 'whole'
            ? `The whole process, as control planes and load reports identify it. Its ${formatCounted(scopes.length, 'target')}:`
            : `One of ${formatCounted(link.scopeIds.length, 'target')} of its process.${scopes.length > 0 ? ' The others:' : ''}`}
      </span>
      {scopes.slice(0, namedMost).map(({ id, scope }) => (
        <Link key={id} href={clientHref(id)} className="min-w-0 link-quiet">
          <NameText name={scope} />
        </Link>
      ))}
      {scopes.length > namedMost && <span>and {scopes.length - namedMost} more</span>}
      {link.kind === 'scope' && link.wholeId !== undefined && (
        <Link href={clientHref(link.wholeId)} className="link">
          Load reports and control planes: the whole process
        </Link>
      )}
    </p>
  );
}
