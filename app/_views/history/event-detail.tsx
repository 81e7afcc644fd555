'use client';

import Link from 'next/link';
import { useState } from 'react';
import { useQuestion } from '@/app/_ask/use-question';
import { CloseButton } from '@/app/_components/close-button';
import { CopyButton } from '@/app/_components/copy-button';
import { EmptyState } from '@/app/_components/empty-state';
import { ErrorState } from '@/app/_components/error-state';
import { nacksHref } from '@/app/_components/nack-href';
import { NameText } from '@/app/_components/name-text';
import { Skeleton } from '@/app/_components/skeleton';
import { EventMark } from '@/app/_drawings/history/event-mark';
import { ApiError } from '@/app/_hooks/api-error';
import { formatDuration } from '@/lib/format/duration';
import { formatIsoTime } from '@/lib/format/iso-time';
import type { ResourceKey } from '@/lib/observation/resource-state';
import type { HistoryDetail, HistoryEvent } from '@/lib/views/history/schema';
import { splitRejection } from '@/lib/views/history/split-rejection';
import { EventResources } from './event-resources';
import { EventTime } from './event-time';

const resourcesPerPage = 200;

interface EventDetailProps {
  readonly seq: number;
  readonly onOpen: (seq: number) => void;
  readonly onClose: () => void;
}

/** One event: message, resources, paired event, and links to the client's views at that time. */
export function EventDetail({ seq, onOpen, onClose }: EventDetailProps) {
  const [offset, setOffset] = useState(0);
  const {
    data: detail,
    error,
    refetch,
  } = useQuestion('history/{seq}', {
    ...{ seq: String(seq), offset, limit: resourcesPerPage },
  });
  const isGone = error instanceof ApiError && error.status === 404;
  return (
    <section aria-label="Event" className="flex min-h-full flex-col gap-3 p-4">
      <header className="flex items-start gap-2">
        <div className="min-w-0 flex-1">
          <p className="flex flex-wrap items-center gap-x-2 note">
            {detail !== undefined && <EventMark kind={detail.event.kind} />}
            {detail?.event.service}
            <span className="tabular-nums">#{seq}</span>
          </p>
          <h2 className="min-w-0 font-semibold wrap-anywhere">
            {detail === undefined ? `Event ${seq}` : splitRejection(detail).heading}
          </h2>
        </div>
        <CloseButton label="Close the event" onClose={onClose} />
      </header>
      {detail !== undefined ? (
        <Detail detail={detail} onOpen={onOpen} onPage={setOffset} />
      ) : isGone ? (
        <EmptyState title="Event not found">Its retention has ended, or it was never recorded.</EmptyState>
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
      {errorText !== undefined && (
        <section aria-label="Reason" className="rounded-md bg-nacked/8 px-3 py-2">
          <p className="font-mono text-small wrap-anywhere whitespace-pre-wrap">{errorText}</p>
          {event.clientId !== undefined && (
            <Link
              href={nacksHref(event.clientId, rejectedResource(event))}
              prefetch={false}
              className="text-small link-quiet"
            >
              All occurrences of this NACK
            </Link>
          )}
        </section>
      )}
      <Facts event={event} facts={facts} />
      {pair !== undefined && <Pair event={event} pair={pair} onOpen={onOpen} />}
      <ThenLinks event={event} />
      {incomplete !== '' && <p className="text-small text-timeout">{incomplete}</p>}
      <EventResources
        key={event.seq}
        resources={resources}
        sourceKind={event.sourceKind}
        shownError={errorText}
        onPage={onPage}
      />
      {message !== undefined && <Message message={message} />}
    </>
  );
}

/** The rejected resource; undefined if none or several are named. */
function rejectedResource({ typeUrl, names: [name], nameCount }: HistoryEvent): ResourceKey | undefined {
  return typeUrl === undefined || name === undefined || nameCount > 1 ? undefined : { typeUrl, name };
}

function Facts({ event, facts }: { readonly event: HistoryEvent; readonly facts: HistoryDetail['facts'] }) {
  const { at, nodeId, clientId, sourceId, streamId, versionInfo, nonce, ofRemovedFile } = event;
  const named = [
    ['Client', nodeId ?? clientId],
    ['Source', sourceId],
    ['Stream', streamId],
    // The facts of a NACK have both versions.
    ['Version', event.kind === 'nack-sent' ? undefined : versionInfo],
    ['Nonce', nonce],
    ...facts.map(({ label, value }) => [label, value] as const),
  ] as const;
  return (
    <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-4 gap-y-1 text-small">
      <dt className="text-muted">Time</dt>
      <dd>
        <EventTime at={at} withYear />
      </dd>
      {named.map(([label, value]) =>
        value === undefined || value === '' ? null : (
          <div key={label} className="contents">
            <dt className="text-muted">{label}</dt>
            <dd className="min-w-0">
              <NameText name={value} />
            </dd>
          </div>
        ),
      )}
      {ofRemovedFile && (
        <>
          <dt className="text-muted">File</dt>
          <dd>Removed. Only these events of its clients are left.</dd>
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

/** The response of an ACK or NACK, or the ACK or NACK of a response, with the time between them. */
function Pair({ event, pair, onOpen }: PairProps) {
  const isResponse = event.kind === 'response-received';
  const tookMs = isResponse ? pair.tookMs : event.tookMs;
  return (
    <section aria-label={isResponse ? 'Client response' : 'In response to'} className="flex flex-col gap-0.5">
      <h3 className="text-tiny text-muted">
        {isResponse ? 'Client response' : 'In response to'}
        {tookMs !== undefined && `, ${formatDuration(tookMs)} ${isResponse ? 'later' : 'before'}`}
      </h3>
      <button
        type="button"
        onClick={() => onOpen(pair.seq)}
        className="flex min-h-7 min-w-0 items-center gap-2 rounded-md border border-line px-2 py-1 text-left text-small hover:bg-hover"
      >
        <EventMark kind={pair.kind} />
        <span className="min-w-0 flex-1 truncate">{pair.text}</span>
        <EventTime at={pair.at} />
      </button>
    </section>
  );
}

function Message({ message }: { readonly message: NonNullable<HistoryDetail['message']> }) {
  return (
    <section aria-label="Message" className="flex flex-col gap-1">
      <h3 className="flex items-center gap-1 text-tiny text-muted">
        <span className="min-w-0 font-mono break-all">{message.typeName}</span>
        <CopyButton text={message.json} label="Copy the message" />
      </h3>
      <pre className="max-h-80 overflow-auto rounded-md border border-line bg-sunken px-3 py-2 font-mono text-tiny">
        {message.json}
      </pre>
      <p className="text-tiny text-muted">
        Rebuilt from the recording, without empty fields. Resources are identified by the SHA-256 of their
        content, which is available above.
        {message.isCut && ' Long lists are cut to their first 200 items.'}
      </p>
    </section>
  );
}

const views = [
  { path: 'resolved', label: 'Effective config' },
  { path: 'graph', label: 'Graph' },
  { path: 'resources', label: 'Resources' },
] as const;

function ThenLinks({ event }: { readonly event: HistoryEvent }) {
  const { clientId, seq } = event;
  if (clientId === undefined) return null;
  const at = formatIsoTime(event.at);
  const base = `/clients/${encodeURIComponent(clientId)}`;
  return (
    <p className="flex flex-wrap items-center gap-x-3 text-small">
      <span className="text-muted">Client at this time:</span>
      {views.map(({ path, label }) => (
        <Link
          key={path}
          prefetch={false}
          href={`${base}/${path}?${new URLSearchParams({ at })}`}
          className="link-quiet"
        >
          {label}
        </Link>
      ))}
      <Link
        prefetch={false}
        href={`${base}/history?${new URLSearchParams({ at, event: String(seq) })}`}
        className="link-quiet"
      >
        History
      </Link>
    </p>
  );
}
