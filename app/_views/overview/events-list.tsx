'use client';

import Link from 'next/link';
import { useMemo, useState } from 'react';
import { eventsQuestion } from '@/app/_ask/common-questions';
import { Button } from '@/app/_components/button';
import { clientHref } from '@/app/_components/client-href';
import { EmptyState } from '@/app/_components/empty-state';
import { nacksHref } from '@/app/_components/nack-href';
import { NameText } from '@/app/_components/name-text';
import { StatusMark } from '@/app/_components/status-mark';
import { TimeAgo } from '@/app/_components/time-ago';
import { formatCount, formatCounted } from '@/lib/format/count';
import type { NotableEvent } from '@/lib/views/events/schema';
import { eventKey } from '@/lib/views/history/event-key';
import { type EventLine, formatEventReason, groupEvents } from '@/lib/views/overview/group-events';
import { formatResourceType } from '@/lib/xds/resource-type';
import type { EpochMs } from '@/lib/xds/units';

const shownFirst = 40;

export function EventsList({ events }: { readonly events: readonly NotableEvent[] }) {
  const [isAll, setAll] = useState(false);
  const lines = useMemo(() => groupEvents(events), [events]);
  if (events.length === 0) {
    return (
      <EmptyState title="No events yet">Changes, NACKs and disconnected sources appear here.</EmptyState>
    );
  }
  return (
    <>
      <ol className="divide-y divide-line">
        {(isAll ? lines : lines.slice(0, shownFirst)).map((line) => (
          <li key={lineKey(line)}>
            <Line line={line} />
          </li>
        ))}
      </ol>
      {!isAll && lines.length > shownFirst ? (
        <div className="border-t border-line px-3 py-2">
          <Button tone="quiet" onPress={() => setAll(true)} icon="chevron-down">
            Show older events
          </Button>
        </div>
      ) : (
        events.length >= eventsQuestion.limit && (
          <p className="border-t border-line px-4 py-2 note">
            The newest {formatCount(eventsQuestion.limit)} events are listed.{' '}
            <Link href="/history" className="link">
              View all in History
            </Link>
          </p>
        )
      )}
    </>
  );
}

/** The oldest event of a run is its key: it stays the same while newer events join. */
function lineKey(line: EventLine): string | undefined {
  return line.kind === 'event' ? eventKey(line.event) : line.events.map(eventKey).at(-1);
}

function Line({ line }: { readonly line: EventLine }) {
  if (line.kind === 'event') return <EventItem event={line.event} />;
  if (line.kind === 'sources') return <SourcesItem line={line} />;
  const [newest] = line.events;
  const first = line.events.at(-1);
  if (newest === undefined || first === undefined) return null;
  return <EventItem event={newest} repeats={{ times: line.times, firstAt: first.at }} />;
}

/** Sources that changed state together: their current state, with each event on demand. */
function SourcesItem({ line }: { readonly line: Extract<EventLine, { kind: 'sources' }> }) {
  const { events, up, down, recovered, closed } = line;
  return (
    <details>
      <summary className="grid cursor-pointer grid-cols-[4.75rem_minmax(0,1fr)_auto] items-baseline gap-x-3 px-4 py-1.5 hover:bg-hover">
        <TimeAgo at={events[0]?.at ?? null} className="note leading-[1.375rem]" />
        <span className="flex min-w-0 flex-wrap items-baseline gap-x-2.5 text-medium">
          {down > 0 && <span className="text-nacked">{formatCounted(down, 'source')} down</span>}
          {closed > 0 && <span className="text-muted">{formatCounted(closed, 'stream')} closed</span>}
          {up > 0 && (
            <span className="text-muted">
              {formatCounted(up, 'source')} up
              {recovered > 0 && `, ${recovered === up ? 'all' : recovered} after a failure`}
            </span>
          )}
        </span>
        <span className="note underline underline-offset-2">{events.length} lines</span>
      </summary>
      <ol className="border-t border-line bg-surface">
        {events.map((event) => (
          <li key={eventKey(event)}>
            <EventItem event={event} />
          </li>
        ))}
      </ol>
    </details>
  );
}

interface EventItemProps {
  readonly event: NotableEvent;
  /** Earlier equal events that this one stands for. */
  readonly repeats?: { readonly times: number; readonly firstAt: EpochMs };
}

function EventItem({ event, repeats }: EventItemProps) {
  const { at, kind, status, isTrouble, clientId, nodeId, typeUrl, resourceName } = event;
  const reason = formatEventReason(event);
  return (
    <div className="grid grid-cols-[4.75rem_minmax(0,1fr)] gap-x-3 px-4 py-1.5">
      <TimeAgo at={at} className="note leading-[1.375rem]" />
      <div className="min-w-0 text-medium">
        <div className="flex min-w-0 flex-wrap items-baseline gap-x-2.5">
          {status === undefined ? (
            <span className={isTrouble ? 'text-nacked' : 'text-muted'}>{kind.replaceAll('-', ' ')}</span>
          ) : (
            <StatusMark status={status} />
          )}
          {clientId !== undefined && (
            <Link href={clientHref(clientId)} className="inline-flex min-h-7 min-w-0 items-center link-hover">
              <NameText name={nodeId ?? clientId} />
            </Link>
          )}
          {typeUrl !== undefined && <span className="note">{formatResourceType(typeUrl)}</span>}
          {resourceName !== undefined && <ResourceName event={event} name={resourceName} />}
          {status === 'NACKED' &&
            clientId !== undefined &&
            typeUrl !== undefined &&
            resourceName !== undefined && (
              <Link
                href={nacksHref(clientId, { typeUrl, name: resourceName })}
                className="inline-flex min-h-7 items-center text-small link-quiet"
              >
                rejection
              </Link>
            )}
          {repeats !== undefined && repeats.times > 1 && (
            <span className="note">
              {formatCounted(repeats.times, 'time')}, first <TimeAgo at={repeats.firstAt} />
            </span>
          )}
          {resourceName === undefined && <span className="min-w-0 break-words">{reason}</span>}
        </div>
        {resourceName !== undefined && reason !== '' && (
          <p className="font-mono text-small leading-snug break-words whitespace-pre-wrap">{reason}</p>
        )}
      </div>
    </div>
  );
}

function ResourceName({ event, name }: { readonly event: NotableEvent; readonly name: string }) {
  const { clientId, typeUrl } = event;
  const text = <NameText name={name} />;
  if (clientId === undefined || typeUrl === undefined) return text;
  return (
    <Link
      href={clientHref(clientId, { typeUrl, name })}
      className="inline-flex min-h-7 min-w-0 items-center link-hover"
    >
      {text}
    </Link>
  );
}
