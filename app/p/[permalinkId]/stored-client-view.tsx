'use client';

import Link from 'next/link';
import { type ReactNode, useMemo, useRef } from 'react';
import { ClientViewContext, type ClientViewData } from '@/app/_ask/client-view-data';
import { compareHref } from '@/app/_components/compare-href';
import { CopyButton } from '@/app/_components/copy-button';
import { ExactTime } from '@/app/_components/exact-time';
import { NameText } from '@/app/_components/name-text';
import { StaleBanner } from '@/app/_components/stale-banner';
import { TimeAgo } from '@/app/_components/time-ago';
import { ClientFrame } from '@/app/_views/client-frame/client-frame';
import { formatCount } from '@/lib/format/count';
import { clientAddress, permalinkAddress } from '@/lib/views/compare/diff-address';
import type { Permalink, View } from '@/lib/views/permalinks/schema';
import type { EpochMs } from '@/lib/xds/units';

/** The part that the frame needs; the tabs fetch the rest. */
type StoredClient = Omit<Permalink, 'resources' | 'nextCursor' | 'graph'>;

interface StoredClientViewProps {
  readonly permalink: StoredClient;
  readonly children: ReactNode;
}

/** The pages of a stored client. They read no source and do not change. */
export function StoredClientView({ permalink, children }: StoredClientViewProps) {
  const { id, client, view } = permalink;
  const transform = useRef<View['transform']>(view.transform);
  const data = useMemo(
    (): ClientViewData => ({
      client,
      subject: { permalinkId: id },
      comparedSince: null,
      comparePath: compareHref(permalinkAddress(id), clientAddress(client.id)),
      basePath: `/p/${encodeURIComponent(id)}`,
      storedTab: view.tab,
      snapshotAt: permalink.moment?.at ?? permalink.createdAt,
      storedAt: permalink.createdAt,
      storedQuery: view.query,
      transform,
    }),
    [permalink, id, client, view],
  );
  return (
    <ClientViewContext value={data}>
      <ClientFrame banner={<StoredBanner permalink={permalink} />}>{children}</ClientFrame>
    </ClientViewContext>
  );
}

function StoredBanner({ permalink }: { readonly permalink: StoredClient }) {
  const { client, createdAt, moment } = permalink;
  return (
    <StaleBanner tone="notice">
      <strong className="font-semibold">Stored:</strong> <NameText name={client.nodeId} /> as of{' '}
      <StoredMoment at={moment?.at ?? createdAt} storedAt={createdAt} />
      {moment !== undefined && moment.seq > 0 && <>, event {formatCount(moment.seq)}</>}. Nothing here
      changes; its sources may be gone.{' '}
      <span className="inline-flex items-center gap-1 whitespace-nowrap">
        <Link
          href={`/clients/${encodeURIComponent(client.id)}`}
          prefetch={false}
          className="text-accent underline underline-offset-2"
        >
          Open live client
        </Link>
        <CopyPermalink id={permalink.id} />
      </span>
    </StaleBanner>
  );
}

function CopyPermalink({ id }: { readonly id: string }) {
  // The server does not know the host name under which the browser reaches it.
  const href = typeof window === 'undefined' ? `/p/${id}` : new URL(`/p/${id}`, window.location.origin).href;
  return <CopyButton text={href} label="Copy the permalink" />;
}

interface StoredMomentProps {
  /** The moment that is shown. */
  readonly at: EpochMs;
  readonly storedAt: EpochMs;
}

function StoredMoment({ at, storedAt }: StoredMomentProps) {
  return (
    <>
      <ExactTime at={at} className="font-medium" /> (stored <TimeAgo at={storedAt} />)
    </>
  );
}
