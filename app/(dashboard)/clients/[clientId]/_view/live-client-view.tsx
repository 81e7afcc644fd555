'use client';

import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useRef } from 'react';
import { clientDetailOptions } from '@/app/_ask/client-question';
import { ClientViewContext, type ClientViewData } from '@/app/_ask/client-view-data';
import { Button } from '@/app/_components/button';
import { compareHref } from '@/app/_components/compare-href';
import { ErrorState } from '@/app/_components/error-state';
import { Skeleton } from '@/app/_components/skeleton';
import { StaleBanner } from '@/app/_components/stale-banner';
import { TimeAgo } from '@/app/_components/time-ago';
import { useLiveStream } from '@/app/_stream/use-live-stream';
import type { HistoryTimeline } from '@/lib/api/history';
import type { Moment } from '@/lib/api/moment';
import type { ClientDetail, View } from '@/lib/api/schema';
import { clientAddress } from '@/lib/view-model/compare/diff-address';
import { ClientFrame } from './client-frame';
import { ChangesPanel } from './scrubber/changes-panel';
import { PastBanner } from './scrubber/past-banner';
import { Scrubber } from './scrubber/scrubber';
import { useClientTimeline } from './scrubber/use-client-timeline';
import { useShownMoment } from './scrubber/use-shown-moment';
import { type Travel, useTravel } from './scrubber/use-travel';

interface LiveClientViewProps {
  readonly clientId: string;
  /** No source reports the client any longer: the last moment that the log holds of it. null: it has a now. */
  readonly lastMoment: string | null;
  readonly children: ReactNode;
}

/** One client as it is, or as it was at the moment that the URL names. */
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
          title={
            shown === '' ? 'The client could not be read' : 'The client could not be read as of this moment'
          }
          error={client.error}
          onRetry={() => void client.refetch()}
        />
        {shown !== '' && (
          <p className="text-center">
            <Button onPress={() => travel.go({ at: '' })}>
              {lastMoment === null ? 'Back to now' : 'To the last that is known'}
            </Button>
          </p>
        )}
      </>
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
  readonly travel: Travel;
  /** The moment that is asked for, and the one in sight. "": now. */
  readonly wanted: string;
  readonly shown: string;
  readonly hasNow: boolean;
  readonly children: ReactNode;
}

function Live({ client, error, travel, wanted, shown, hasNow, children }: LiveProps) {
  const clientId = client.id;
  const transform = useRef<View['transform']>(null);
  const timeline = useClientTimeline(clientId);
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
  return (
    <ClientViewContext value={data}>
      <ClientFrame
        banner={
          isPast ? (
            <PastBanner
              moment={client.moment}
              isArriving={wanted !== shown}
              since={countSince(timeline.data, client.moment)}
              onNow={hasNow ? () => travel.go({ at: '' }) : null}
            />
          ) : client.freshness !== 'live' || error !== null ? (
            <Staleness client={client} error={error} />
          ) : null
        }
        scrubber={
          <>
            <Scrubber
              clientId={clientId}
              travel={{ ...travel, at: wanted }}
              moment={client.moment}
              hasNow={hasNow}
              timeline={timeline.data}
            />
            {travel.since !== '' && (
              <ChangesPanel
                clientId={clientId}
                since={travel.since}
                until={until}
                isSet={travel.until !== ''}
                isInSight={isLit}
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

/** null: too many to have them one by one. */
function countSince(timeline: HistoryTimeline | undefined, moment: Moment | undefined): number | null {
  if (timeline?.kind !== 'marks' || moment === undefined) return null;
  return timeline.seq.filter((seq) => seq > moment.seq).length;
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
      {client.reason === '' ? 'no source reports this client now' : client.reason}
      {'. '}
      What follows was reported last <TimeAgo iso={client.lastSeenAt ?? client.lastChangedAt} />.
    </StaleBanner>
  );
}
