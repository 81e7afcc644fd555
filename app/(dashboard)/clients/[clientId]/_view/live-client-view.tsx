'use client';

import { type ReactNode, useRef } from 'react';
import { ErrorState } from '@/app/_components/error-state';
import { Skeleton } from '@/app/_components/skeleton';
import { StaleBanner } from '@/app/_components/stale-banner';
import { TimeAgo } from '@/app/_components/time-ago';
import {
  clientFindingsQuery,
  clientGraphQuery,
  clientLinksQuery,
  clientReferencesQuery,
  clientResolvedQuery,
  clientTearsQuery,
} from '@/app/_hooks/client-view-queries';
import { useClient } from '@/app/_hooks/queries';
import { clientResourceCountsQuery, clientResourcePagesQuery } from '@/app/_hooks/resource-pages-queries';
import { useLiveStream } from '@/app/_hooks/use-live-stream';
import type { ClientDetail, View } from '@/lib/api/schema';
import { ClientFrame } from './client-frame';
import { ClientViewContext, type ClientViewData } from './client-view-data';

interface LiveClientViewProps {
  readonly clientId: string;
  readonly children: ReactNode;
}

/** One client as it is now. */
export function LiveClientView({ clientId, children }: LiveClientViewProps) {
  useLiveStream('fleet', `client:${clientId}`);
  const client = useClient(clientId);
  if (client.data !== undefined)
    return (
      <Live client={client.data} error={client.error}>
        {children}
      </Live>
    );
  if (client.isError) {
    return (
      <ErrorState
        title="The client could not be read"
        error={client.error}
        onRetry={() => void client.refetch()}
      />
    );
  }
  return <Skeleton waitsFor="the client" />;
}

/** A live view stores nothing: its defaults are the page's own. */
const nothingStored = {};

interface LiveProps {
  readonly client: ClientDetail;
  /** Why it could not be read again; what was read before is shown. */
  readonly error: Error | null;
  readonly children: ReactNode;
}

function Live({ client, error, children }: LiveProps) {
  const clientId = client.id;
  const transform = useRef<View['transform']>(null);
  const data: ClientViewData = {
    client,
    resourcePagesQuery: (question) => clientResourcePagesQuery(clientId, question),
    resourceCountsQuery: (filter) => clientResourceCountsQuery(clientId, filter),
    graphQuery: (params) => clientGraphQuery(clientId, params),
    linksQuery: (key) => clientLinksQuery(clientId, key),
    resolvedQuery: (params) => clientResolvedQuery(clientId, params),
    findingsQuery: (params) => clientFindingsQuery(clientId, params),
    referencesQuery: (params) => clientReferencesQuery(clientId, params),
    tearsQuery: (params) => clientTearsQuery(clientId, params),
    basePath: `/clients/${encodeURIComponent(clientId)}`,
    storedTab: 'graph',
    frozenAt: null,
    storedQuery: nothingStored,
    transform,
  };
  return (
    <ClientViewContext value={data}>
      <ClientFrame banner={<Staleness client={client} error={error} />}>{children}</ClientFrame>
    </ClientViewContext>
  );
}

/** What follows is the last word, not the present one. */
function Staleness({ client, error }: Pick<LiveProps, 'client' | 'error'>) {
  if (error !== null) {
    return (
      <StaleBanner>
        <strong className="font-semibold">The client could not be read again.</strong> {error.message}
      </StaleBanner>
    );
  }
  if (client.freshness === 'live') return null;
  return (
    <StaleBanner>
      <strong className="font-semibold">{client.freshness === 'gone' ? 'Gone:' : 'Stale:'}</strong>{' '}
      {client.reason === '' ? 'no source tells of this client now' : client.reason}
      {'. '}
      What follows was told last <TimeAgo iso={client.lastSeenAt ?? client.lastChangedAt} />.
    </StaleBanner>
  );
}
