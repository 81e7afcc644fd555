'use client';

import { useQuery } from '@tanstack/react-query';
import dynamic from 'next/dynamic';
import { type ReactNode, useRef } from 'react';
import { clientDetailOptions } from '@/app/_ask/client-question';
import { ClientViewContext, type ClientViewData } from '@/app/_ask/client-view-data';
import { Button } from '@/app/_components/button';
import { compareHref } from '@/app/_components/compare-href';
import { ErrorState } from '@/app/_components/error-state';
import { loadOnInput } from '@/app/_components/load-on-input';
import { Skeleton } from '@/app/_components/skeleton';
import { useTimeRange } from '@/app/_hooks/use-time-range';
import { useLiveStream } from '@/app/_stream/use-live-stream';
import { isImportedClient } from '@/lib/views/client/is-imported-client';
import type { ClientDetail } from '@/lib/views/client/schema';
import { clientAddress } from '@/lib/views/compare/diff-address';
import type { Moment } from '@/lib/views/fields/moment';
import type { HistoryTimeline } from '@/lib/views/history/schema';
import type { View } from '@/lib/views/permalinks/schema';
import { Scrubber } from '../scrubber/scrubber';
import { useClientTimeline } from '../scrubber/use-client-timeline';
import { type Travel, useTravel } from '../scrubber/use-travel';
import { ClientFrame } from './client-frame';
import { useShownMoment } from './use-shown-moment';

const ChangesPanel = dynamic(() =>
  import('../scrubber/changes-panel').then(({ ChangesPanel }) => ChangesPanel),
);
const PastBanner = dynamic(() => import('../scrubber/past-banner').then(({ PastBanner }) => PastBanner));
const StalenessBanner = dynamic(() =>
  import('./staleness-banner').then(({ StalenessBanner }) => StalenessBanner),
);
loadOnInput(() => Promise.all([import('../scrubber/changes-panel'), import('../scrubber/past-banner')]));

interface LiveClientViewProps {
  readonly clientId: string;
  /** The last known time of a client that no source reports; null: the client is reported. */
  readonly lastMoment: string | null;
  readonly children: ReactNode;
}

export function LiveClientView({ clientId, lastMoment, children }: LiveClientViewProps) {
  useLiveStream('fleet', `client:${clientId}`);
  const travel = useTravel();
  const wanted = travel.at === '' ? (lastMoment ?? '') : travel.at;
  const shown = useShownMoment(clientId, wanted);
  const client = useQuery(clientDetailOptions({ clientId, at: shown }));
  if (client.data !== undefined)
    return (
      <Live
        client={client.data}
        error={client.error}
        travel={travel}
        wanted={wanted}
        shown={shown}
        hasNow={lastMoment === null}
      >
        {children}
      </Live>
    );
  if (client.isError) {
    return (
      <>
        <ErrorState
          title={shown === '' ? 'Couldn’t load the client' : 'Couldn’t load the client at this time'}
          error={client.error}
          onRetry={() => void client.refetch()}
        />
        {shown !== '' && (
          <p className="text-center">
            <Button onPress={() => travel.go({ at: '' })}>
              {lastMoment === null ? 'Back to now' : 'To the last known state'}
            </Button>
          </p>
        )}
      </>
    );
  }
  return <Skeleton waitsFor="the client" />;
}

const nothingStored = {};

interface LiveProps {
  readonly client: ClientDetail;
  /** The error because of which the client could not be reloaded; the earlier data is shown. */
  readonly error: Error | null;
  readonly travel: Travel;
  /** The requested and the shown time; "": now. */
  readonly wanted: string;
  readonly shown: string;
  readonly hasNow: boolean;
  readonly children: ReactNode;
}

function Live({ client, error, travel, wanted, shown, hasNow, children }: LiveProps) {
  const clientId = client.id;
  const transform = useRef<View['transform']>(undefined);
  const timeline = useClientTimeline(clientId);
  const { urlRange } = useTimeRange();
  const isZoomed = urlRange.from !== '' || urlRange.to !== '';
  const until = travel.until === '' ? shown : travel.until;
  const isLit = travel.since !== '' && until === shown;
  const data: ClientViewData = {
    client,
    subject: { clientId, at: shown },
    comparedSince: isLit ? travel.since : null,
    comparePath: compareHref(
      clientAddress(clientId, shown),
      shown === '' || !hasNow ? null : clientAddress(clientId),
    ),
    basePath: `/clients/${encodeURIComponent(clientId)}`,
    storedTab: 'graph',
    snapshotAt: null,
    storedAt: null,
    storedQuery: nothingStored,
    transform,
  };
  const isPast = client.moment !== undefined || wanted !== shown;
  const notice = isPast ? (
    <PastBanner
      moment={client.moment}
      isArriving={wanted !== shown}
      since={isZoomed ? null : countSince(timeline.data, client.moment)}
      onNow={hasNow ? () => travel.go({ at: '' }) : null}
    />
  ) : (client.freshness !== 'live' && !isImportedClient(client)) || error !== null ? (
    <StalenessBanner client={client} error={error} />
  ) : null;
  return (
    <ClientViewContext value={data}>
      <ClientFrame
        banner={null}
        scrubber={
          <>
            <Scrubber
              clientId={clientId}
              travel={{ ...travel, at: wanted }}
              moment={client.moment}
              hasNow={hasNow}
              timeline={timeline.data}
              isOfRange={!timeline.isPlaceholderData}
            />
            {/* Below the scrubber, so that it does not move when a time is selected. */}
            {notice !== null && <div className="px-4 py-1.5">{notice}</div>}
            {travel.since !== '' && (
              <ChangesPanel
                clientId={clientId}
                since={travel.since}
                until={until}
                isSet={travel.until !== ''}
                isVisible={isLit}
                onClose={() => travel.go({ since: '', until: '' })}
                onOpen={(name) => travel.go({ at: name === 'A' ? travel.since : until })}
                onFree={() => travel.go({ until: '' })}
              />
            )}
          </>
        }
      >
        {children}
      </ClientFrame>
    </ClientViewContext>
  );
}

/** null: not counted. */
function countSince(timeline: HistoryTimeline | undefined, moment: Moment | undefined): number | null {
  if (timeline?.kind !== 'marks' || moment === undefined) return null;
  return timeline.seq.filter((seq) => seq > moment.seq).length;
}
