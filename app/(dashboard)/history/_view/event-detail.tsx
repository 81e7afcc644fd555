'use client';

import { useQuery } from '@tanstack/react-query';
import Link from 'next/link';
import { useState } from 'react';
import { CloseButton } from '@/app/_components/close-button';
import { CopyButton } from '@/app/_components/copy-button';
import { EmptyState } from '@/app/_components/empty-state';
import { ErrorState } from '@/app/_components/error-state';
import { nacksHref } from '@/app/_components/nack-href';
import { NameText } from '@/app/_components/name-text';
import { Skeleton } from '@/app/_components/skeleton';
import { EventMark } from '@/app/_drawings/history/event-mark';
import { ApiError } from '@/app/_hooks/api-error';
import { historyDetailQuery } from '@/app/_hooks/history-queries';
import type { HistoryDetail, HistoryEvent } from '@/lib/api/history';
import { formatDuration } from '@/lib/format/duration';
import type { ResourceKey } from '@/lib/observation/observation';
import { splitRejection } from '@/lib/view-model/history/split-rejection';
import { EventResources } from './event-resources';
import { EventTime } from './event-time';
import { ThenLinks } from './then-links';

interface EventDetailProps {
  readonly seq: number;
  readonly onOpen: (seq: number) => void;
  readonly onClose: () => void;
}

/** One event: its message in full, what changed, its pair, and the way to what was in use then. */
export function EventDetail({ seq, onOpen, onClose }: EventDetailProps) {
  const [offset, setOffset] = useState(0);
  const { data: detail, error, refetch } = useQuery(historyDetailQuery(seq, offset));
  const isGone = error instanceof ApiError && error.status === 404;
  return (
    <section aria-label="Event" className="flex min-h-full flex-col gap-3 p-4">
      <header className="flex items-start gap-2">
        <div className="min-w-0 flex-1">
          <p className="flex flex-wrap items-center gap-x-2 text-[0.8571rem] text-muted">
            {detail !== undefined && <EventMark kind={detail.event.kind} />}
            {detail?.event.service}
            <span className="tabular-nums">#{seq}</span>
          </p>
          <h2 className="min-w-0 font-semibold [overflow-wrap:anywhere]">
            {detail === undefined ? `Event ${seq}` : splitRejection(detail).heading}
          </h2>
        </div>
        <CloseButton label="Close the event" onClose={onClose} />
      </header>
      {detail !== undefined ? (
        <Detail detail={detail} onOpen={onOpen} onPage={setOffset} />
      ) : isGone ? (
        <EmptyState title="The log does not hold it">
          Its retention has ended, or it was never recorded under this number.
        </EmptyState>
      ) : error !== null ? (
        <ErrorState title="The event could not be read" error={error} onRetry={() => void refetch()} />
      ) : (
        <Skeleton waitsFor="the event" />
      )}
    </section>
  );
}

interface DetailProps {
  readonly detail: HistoryDetail;
  readonly onOpen: (seq: number) => void;
  readonly onPage: (offset: number) => void;
}

function Detail({ detail, onOpen, onPage }: DetailProps) {
  const { event, pair, message, facts, resources, incomplete } = detail;
  const { errorText } = splitRejection(detail);
  return (
    <>
      {errorText !== null && (
        <section aria-label="Reason" className="rounded-md bg-nacked/8 px-3 py-2">
          <p className="font-mono text-[0.8571rem] [overflow-wrap:anywhere] whitespace-pre-wrap">
            {errorText}
          </p>
          {event.clientId !== null && (
            <Link
              href={nacksHref(event.clientId, rejectedResource(event))}
              prefetch={false}
              className="text-[0.8571rem] text-accent hover:underline"
            >
              Equal NACKs, over clients and time
            </Link>
          )}
        </section>
      )}
      <Facts event={event} facts={facts} />
      {pair !== null && <Pair event={event} pair={pair} onOpen={onOpen} />}
      <ThenLinks event={event} />
      {incomplete !== '' && <p className="text-[0.8571rem] text-timeout">{incomplete}</p>}
      <EventResources
        key={event.seq}
        resources={resources}
        sourceKind={event.sourceKind}
        saidAbove={errorText}
        onPage={onPage}
      />
      {message !== null && <Message message={message} />}
    </>
  );
}

/** The one that it is about; undefined: none is named, or several are. */
function rejectedResource({ typeUrl, names: [name], nameCount }: HistoryEvent): ResourceKey | undefined {
  return typeUrl === null || name === undefined || nameCount > 1 ? undefined : { typeUrl, name };
}

function Facts({ event, facts }: { readonly event: HistoryEvent; readonly facts: HistoryDetail['facts'] }) {
  const { at, nodeId, clientId, sourceId, streamId, versionInfo, nonce, ofRemovedFile } = event;
  const named = [
    ['Client', nodeId ?? clientId],
    ['Source', sourceId],
    ['Stream', streamId],
    // Of a NACK the facts tell both versions, and which is which.
    ['Version', event.kind === 'nack-sent' ? null : versionInfo],
    ['Nonce', nonce],
    ...facts.map(({ label, value }) => [label, value] as const),
  ] as const;
  return (
    <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-4 gap-y-1 text-[0.8571rem]">
      <dt className="text-muted">Time</dt>
      <dd>
        <EventTime iso={at} withDay />
      </dd>
      {named.map(([label, value]) =>
        value === null || value === '' ? null : (
          <div key={label} className="contents">
            <dt className="text-muted">{label}</dt>
            <dd className="min-w-0">
              <NameText name={value} maxChars={72} />
            </dd>
          </div>
        ),
      )}
      {ofRemovedFile && (
        <>
          <dt className="text-muted">File</dt>
          <dd>It was removed since: of its clients nothing else is left.</dd>
        </>
      )}
    </dl>
  );
}

interface PairProps {
  readonly event: HistoryEvent;
  readonly pair: HistoryEvent;
  readonly onOpen: (seq: number) => void;
}

/** The response to this ACK or NACK, or the answer to this response, with the time between. */
function Pair({ event, pair, onOpen }: PairProps) {
  const isResponse = event.kind === 'response-received';
  const tookMs = isResponse ? pair.tookMs : event.tookMs;
  return (
    <section aria-label={isResponse ? 'Its answer' : 'Its response'} className="flex flex-col gap-0.5">
      <h3 className="text-[0.7857rem] text-muted">
        {isResponse ? 'The client answered' : 'It answers'}
        {tookMs !== null && `, ${formatDuration(tookMs)} ${isResponse ? 'later' : 'before'}`}
      </h3>
      <button
        type="button"
        onClick={() => onOpen(pair.seq)}
        className="flex min-h-7 min-w-0 items-center gap-2 rounded-md border border-line px-2 py-1 text-left text-[0.8571rem] hover:bg-hover"
      >
        <EventMark kind={pair.kind} />
        <span className="min-w-0 flex-1 truncate">{pair.text}</span>
        <EventTime iso={pair.at} />
      </button>
    </section>
  );
}

function Message({ message }: { readonly message: NonNullable<HistoryDetail['message']> }) {
  return (
    <section aria-label="Message" className="flex flex-col gap-1">
      <h3 className="flex items-center gap-1 text-[0.7857rem] text-muted">
        <span className="min-w-0 font-mono break-all">{message.typeName}</span>
        <CopyButton text={message.json} label="Copy the message" />
      </h3>
      <pre className="max-h-80 overflow-auto rounded-md border border-line bg-sunken px-3 py-2 font-mono text-[0.7857rem]">
        {message.json}
      </pre>
      <p className="text-[0.7857rem] text-muted">
        Rebuilt from what was recorded, without fields that are empty; resources are named by the SHA-256 of
        their bodies, which open above.
        {message.isCut && ' Long lists are cut to their first 200 items.'}
      </p>
    </section>
  );
}
