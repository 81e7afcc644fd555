'use client';

import Link from 'next/link';
import { useRef } from 'react';
import { PageTable } from '@/app/_components/shell/page-body';
import { useTimeZone } from '@/app/_hooks/use-time-zone';
import type { Convergence } from '@/lib/api/convergence';
import { stuckKinds } from '@/lib/convergence/decide-client';
import { formatCount, formatCounted } from '@/lib/format/count';
import { formatSpan } from '@/lib/format/duration';
import { formatExactTime } from '@/lib/format/exact-time';
import { formatShare } from '@/lib/format/share';
import { layoutConvergence } from '@/lib/view-model/convergence/layout-convergence';
import { clientHref } from '../../_components/client-href';
import { DataTable } from '../../_components/data-table';
import { EmptyState } from '../../_components/empty-state';
import { NameText } from '../../_components/name-text';
import { Panel } from '../../_components/panel';
import { pushHref } from '../../_components/push-href';
import { QueryContent } from '../../_components/query-content';
import { ConvergenceDrawing } from '../../_drawings/convergence/convergence-drawing';
import { useElementSize } from '../../_drawings/history/use-element-size';
import { type PushParams, usePush } from '../../_hooks/push-queries';
import type { Extent } from '../../_hooks/query-keys';
import { useIsNarrow } from '../../_hooks/use-is-narrow';
import { type ClientLine, clientColumns, narrowClientColumns } from './client-columns';

const rowId = ({ clientId }: ClientLine) => clientId;
const drawingHeightPx = 240;

/** One push: curve, percentiles and clients that are stuck. */
export function PushView({ params }: { readonly params: PushParams }) {
  const { data, error, refetch } = usePush(params);
  const { from, to } = params;
  return (
    <>
      <Link href={listHref(params)} className="self-start link-quiet">
        ← All pushes
      </Link>
      <QueryContent query={{ data, error, refetch }} what="the convergence" rows={10}>
        {(data) => <Reported reported={data} extent={{ from, to }} />}
      </QueryContent>
    </>
  );
}

function listHref({ from, to }: Extent): string {
  const query = new URLSearchParams(Object.entries({ from, to }).filter(([, at]) => at !== ''));
  return query.size === 0 ? '/pushes' : `/pushes?${query}`;
}

interface ReportedProps {
  readonly reported: Convergence;
  readonly extent: Extent;
}

function Reported({ reported, extent }: ReportedProps) {
  const timeZone = useTimeZone();
  const { subject, spread, clients, clientsLeftOut } = reported;
  const isNarrow = useIsNarrow();
  const lines = clients.map((client) => ({ ...client, subject }));
  return (
    <>
      <Panel
        title={`${subject.service} ${subject.name ?? subject.version}`}
        vantage={vantageOf(reported, timeZone)}
        className="shrink-0"
      >
        <Summary reported={reported} />
        <Stuck reported={reported} />
        <Curve reported={reported} />
        <Around reported={reported} extent={extent} />
      </Panel>
      <PageTable label="Clients">
        <DataTable
          label={`Clients: ${spread.accepted} of ${spread.total} accepted`}
          rows={lines}
          columns={isNarrow ? narrowClientColumns : clientColumns}
          rowId={rowId}
          isSorted
          rowHeightPx={48}
          className="flex-1"
          empty={<EmptyState title="No client subscribes to it" />}
        />
        {clientsLeftOut > 0 && (
          <p className="border-t border-line px-3 py-1.5 text-muted">
            {formatCounted(clientsLeftOut, 'more client')} not shown
          </p>
        )}
      </PageTable>
    </>
  );
}

function vantageOf({ subject, firstAt, firstAfter }: Convergence, timeZone: string): string {
  const at = formatExactTime(Date.parse(firstAt), timeZone);
  const polled = firstAfter === undefined ? '' : ', by a poll: it may be older';
  return `${subject.server === null ? 'server not reported' : `from ${subject.server}`}; first seen ${at}${polled}`;
}

const stuckNamed = 8;

function Stuck({ reported: { clients, spread } }: { readonly reported: Convergence }) {
  const stuck = clients.filter(({ kind }) => (stuckKinds as readonly string[]).includes(kind));
  // `clients` may be cut, so the counts are used.
  const total = stuckKinds.reduce((sum, kind) => sum + spread.counts[kind], 0);
  if (total === 0) return null;
  return (
    <p className="mt-2 flex flex-wrap items-baseline gap-x-3 gap-y-1 text-medium">
      <span className="text-nacked">{formatCounted(total, 'client')} stuck</span>
      {stuck.slice(0, stuckNamed).map(({ clientId, nodeId }) => (
        <Link key={clientId} href={clientHref(clientId)} className="min-w-0 link-quiet">
          <NameText name={nodeId} maxChars={36} />
        </Link>
      ))}
      {total > stuckNamed && <span className="text-muted">and {formatCount(total - stuckNamed)} more</span>}
    </p>
  );
}

function Summary({ reported: { spread } }: { readonly reported: Convergence }) {
  const { accepted, total, percentiles } = spread;
  return (
    <div className="flex flex-wrap items-start gap-x-8 gap-y-2">
      <p className="text-[1.1429rem] font-semibold tabular-nums">
        {accepted} of {formatCounted(total, 'client')} accepted,{' '}
        {formatShare(total === 0 ? 0 : accepted / total)}
      </p>
      <table className="text-right tabular-nums">
        <thead className="note">
          <tr>
            <th className="pr-4 text-left font-normal max-md:pr-1">Time to accept</th>
            {percentiles.map(({ percent }) => (
              <th key={percent} className="px-3 font-normal max-md:px-1.5">
                p{percent}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          <tr>
            <th className="pr-4 text-left font-normal max-md:pr-1">of all</th>
            {percentiles.map(({ percent, ofAll }) => (
              <td key={percent} className="px-3 max-md:px-1.5 md:whitespace-nowrap">
                {formatSpan(ofAll)}
              </td>
            ))}
          </tr>
          <tr>
            <th className="pr-4 text-left font-normal max-md:pr-1">of those that accepted</th>
            {percentiles.map(({ percent, ofAccepted }) => (
              <td key={percent} className="px-3 max-md:px-1.5 md:whitespace-nowrap">
                {ofAccepted === null ? '–' : formatSpan(ofAccepted)}
              </td>
            ))}
          </tr>
        </tbody>
      </table>
    </div>
  );
}

function Curve({ reported: { spread } }: { readonly reported: Convergence }) {
  const box = useRef<HTMLDivElement>(null);
  const { widthPx } = useElementSize(box);
  const hasPolled = JSON.stringify(spread.sure) !== JSON.stringify(spread.possible);
  return (
    <figure className="mt-3">
      <div ref={box} style={{ height: drawingHeightPx }}>
        {widthPx > 0 && (
          <ConvergenceDrawing
            layout={layoutConvergence(spread, { widthPx, heightPx: drawingHeightPx })}
            label={`Share of clients that accepted over time: ${spread.accepted} of ${spread.total}`}
          />
        )}
      </div>
      <figcaption className="flex flex-wrap gap-x-5 gap-y-1 note">
        <span>
          <span className="text-acked">━━</span> accepted
        </span>
        {hasPolled && (
          <span>
            <span className="text-acked">╍╍</span> may have accepted (seen by polls only)
          </span>
        )}
        <span>○ percentiles of all counted clients</span>
      </figcaption>
    </figure>
  );
}

function Around({ reported, extent }: ReportedProps) {
  const { subject, spread, names, nameCount, contents, otherServers, notes } = reported;
  const { counts } = spread;
  const uncounted = [
    [counts['passed-over'], 'moved on to a newer version'],
    [counts.already, 'already had the content'],
    [counts['joined-later'], 'joined later'],
    [counts.left, 'unsubscribed'],
  ] as const;
  const reported_ = uncounted.filter(([count]) => count > 0).map(([count, text]) => `${count} ${text}`);
  return (
    <div className="mt-3 flex flex-col gap-1.5 text-medium">
      {reported_.length > 0 && <p className="text-muted">Not counted: {reported_.join(', ')}.</p>}
      {subject.name === null && nameCount === 0 && (
        <p>No-op push: the content is unchanged, only the version is new.</p>
      )}
      {subject.name === null && names.length > 0 && (
        <div className="flex flex-wrap items-baseline gap-x-3 gap-y-1">
          <span className="text-muted">Resources</span>
          {names.slice(0, 12).map((name) => (
            <Link
              key={name}
              href={pushHref({ ...subject, name, hash: null }, extent)}
              className="min-w-0 link-hover"
            >
              <NameText name={name} maxChars={40} />
            </Link>
          ))}
          {nameCount > 12 && <span className="text-muted">and {nameCount - 12} more</span>}
        </div>
      )}
      {contents.length > 1 && (
        <div className="flex flex-wrap items-baseline gap-x-3 gap-y-1">
          <span className="text-muted">Content versions, newest first</span>
          {contents.slice(0, 12).map(({ hash, version, firstAt, isThis }) => (
            <Link
              key={firstAt}
              href={pushHref({ ...subject, hash }, extent)}
              aria-current={isThis ? 'true' : undefined}
              title={`${hash}, first seen ${firstAt}`}
              className={isThis ? 'font-semibold' : 'text-accent hover:underline'}
            >
              <NameText name={version === '' ? hash.slice(0, 8) : version} maxChars={24} />
            </Link>
          ))}
        </div>
      )}
      {otherServers.length > 0 && (
        <div className="flex flex-wrap items-baseline gap-x-3">
          <span className="text-muted">Other servers that use the same version:</span>
          {otherServers.map((server) => (
            <Link key={server} href={pushHref({ ...subject, server }, extent)} className="link-quiet">
              <NameText name={server} maxChars={40} />
            </Link>
          ))}
        </div>
      )}
      {notes.map((note) => (
        <p key={note} className="text-timeout">
          {note}
        </p>
      ))}
    </div>
  );
}
