'use client';

import { useQuery } from '@tanstack/react-query';
import Link from 'next/link';
import { useRef } from 'react';
import { clientDetailOptions } from '@/app/_ask/client-question';
import { ClientViewContext, type ClientViewData } from '@/app/_ask/client-view-data';
import { compareHref } from '@/app/_components/compare-href';
import { ErrorState } from '@/app/_components/error-state';
import { SegmentedChoice } from '@/app/_components/segmented-choice';
import { Skeleton } from '@/app/_components/skeleton';
import { useLiveStream } from '@/app/_stream/use-live-stream';
import { clientViews } from '@/lib/views/client/client-views';
import { clientAddress } from '@/lib/views/compare/diff-address';
import type { View } from '@/lib/views/permalinks/schema';
import { ClientTab } from '../client-frame/client-tab';
import { useShownMoment } from '../client-frame/use-shown-moment';
import { type RunView, runViews } from './run-views';

interface RunClientViewProps {
  readonly clientId: string;
  /** The moment of the chosen step, as in the URL of a client; "": now. */
  readonly at: string;
  /** The moment of the step before, since which changes are highlighted; null: none. */
  readonly since: string | null;
  readonly view: RunView;
  readonly onView: (view: RunView) => void;
}

/** The views of the client of a run, at the time of a step. */
export function RunClientView({ clientId, at, since, view, onView }: RunClientViewProps) {
  useLiveStream('fleet', `client:${clientId}`);
  const transform = useRef<View['transform']>(undefined);
  const shown = useShownMoment(clientId, at);
  const client = useQuery(clientDetailOptions({ clientId, at: shown }));
  const basePath = `/clients/${encodeURIComponent(clientId)}`;
  if (client.data === undefined) {
    if (!client.isError) return <Skeleton waitsFor="the client of the run" />;
    return (
      <ErrorState
        title="Couldn’t load the client of the run"
        error={client.error}
        onRetry={() => void client.refetch()}
      />
    );
  }
  const data: ClientViewData = {
    client: client.data,
    subject: { clientId, at: shown },
    comparedSince: since,
    comparePath: compareHref(clientAddress(clientId, shown), null),
    basePath,
    storedTab: 'graph',
    snapshotAt: null,
    storedAt: null,
    storedQuery: {},
    transform,
  };
  const options = runViews.map((value) => ({ value, label: clientViews[value].label }));
  return (
    <>
      <div className="flex flex-wrap items-center gap-x-4 gap-y-1 border-b border-line px-4 py-1.5">
        <SegmentedChoice label="View of the client" value={view} options={options} onChange={onView} />
        <Link
          href={at === '' ? `${basePath}/${view}` : `${basePath}/${view}?${new URLSearchParams({ at })}`}
          className="link note"
        >
          Open the client
        </Link>
      </div>
      <div className="flex h-[36rem] min-h-0 flex-col overflow-hidden">
        <ClientViewContext value={data}>
          <ClientTab tab={view} />
        </ClientViewContext>
      </div>
    </>
  );
}
