'use client';

import Link from 'next/link';
import { useRef, useState } from 'react';
import { useQuestion } from '@/app/_ask/use-question';
import { Button } from '@/app/_components/button';
import { clientHref } from '@/app/_components/client-href';
import { Panel } from '@/app/_components/panel';
import { useTimeRange } from '@/app/_hooks/use-time-range';
import { useTimeZone } from '@/app/_hooks/use-time-zone';
import { formatCount, formatCounted } from '@/lib/format/count';
import { formatShortTime } from '@/lib/format/exact-time';
import { formatName } from '@/lib/format/names/format-name';
import { endedText, type IssueEnd } from '@/lib/issues/issue-record';
import type { TimeEdge } from '@/lib/time/time-expression';
import { describeChecks } from '@/lib/views/issues/describe-checks';
import type { FleetStrip, StripKind } from '@/lib/views/issues/schema';
import type { EpochMs } from '@/lib/xds/units';

/** Solid: a source reports it of a resource. Striped: it is concluded from the config, from connections or from requests. */
const striped = 'bg-[repeating-linear-gradient(135deg,currentColor_0_4px,transparent_4px_7px)]';
/** Kinds with equal words are one entry of the legend. */
const looks: Readonly<Record<StripKind, { readonly color: string; readonly word: string }>> = {
  nack: { color: 'bg-nacked', word: 'NACKED' },
  absent: { color: 'bg-does-not-exist', word: 'DOES_NOT_EXIST' },
  'received-error': { color: 'bg-received-error', word: 'RECEIVED_ERROR' },
  unanswered: { color: 'bg-requested', word: 'STALE' },
  unreached: { color: 'bg-unknown', word: 'No response' },
  certificate: { color: 'bg-timeout', word: 'Certificate' },
  unserved: { color: `text-nacked ${striped}`, word: 'Requests or connections fail' },
  'load-errors': { color: `text-nacked ${striped}`, word: 'Requests or connections fail' },
  unreachable: { color: `text-unknown ${striped}`, word: 'Management server unreachable' },
  tear: { color: `text-timeout ${striped}`, word: 'Config tear' },
  finding: { color: `text-received-error ${striped}`, word: 'Rule broken' },
  notice: { color: `text-requested ${striped}`, word: 'Known bug' },
};
/** How an issue ended, as a line at its end. */
const ends = {
  resolved: { line: 'border-l-2 border-acked', word: 'Resolved' },
  gone: { line: 'border-l-2 border-dashed border-unknown', word: 'Ended: the client is gone' },
} as const;
/** A shorter drag is a click. */
const leastShare = 0.01;

/** Clients over time, coloured by what was wrong with them. Dragging over it sets the time range. */
export function FleetStripPanel() {
  const { extent, urlRange, setRange } = useTimeRange();
  const oldestAt = useQuestion('health', {}).data?.recorder.oldestAt;
  const { data: strip } = useQuestion('issues/strip', {
    ...extent,
    ...(extent.from === 'oldest' && { from: oldestAt ?? '' }),
  });
  const isChosen = urlRange.from !== '' || urlRange.to !== '';
  if (strip === undefined || (strip.rows.length === 0 && !isChosen)) return null;
  return (
    <Panel
      title="Clients with issues over time"
      vantage={`${isChosen ? 'in the chosen time range' : 'in the last hour'}; ${describeCounts(strip.counts, isChosen)}`}
      age={strip.to}
      partial={describeChecks(strip.checks, strip.to)}
      actions={
        isChosen && (
          <Button tone="quiet" onPress={() => setRange(null)}>
            Show the last hour
          </Button>
        )
      }
    >
      <Strip strip={strip} onRange={(from, to) => setRange({ from: absolute(from), to: absolute(to) })} />
    </Panel>
  );
}

/** As in "4 open issues and 1 muted, 1 of them without clients". */
function describeCounts({ open, muted, withoutClients }: FleetStrip['counts'], isAtEnd: boolean): string {
  const counted = `${formatCounted(open, 'open issue')}${muted === 0 ? '' : ` and ${formatCount(muted)} muted`}`;
  const others = withoutClients === 0 ? '' : `, ${formatCount(withoutClients)} of them without clients`;
  return `${counted}${others}${isAtEnd ? ' at its end' : ''}`;
}

/** A resource that was removed takes its issue away with it. */
function endOf(end: IssueEnd | undefined): keyof typeof ends | undefined {
  return end === undefined ? undefined : end === 'gone' ? 'gone' : 'resolved';
}

function describeEnd(ending: keyof typeof ends): string {
  return ending === 'gone' ? `Ended. ${endedText}.` : 'Resolved.';
}

function absolute(at: EpochMs): TimeEdge {
  return { kind: 'absolute', at: Math.round(at) };
}

interface StripProps {
  readonly strip: FleetStrip;
  readonly onRange: (from: EpochMs, to: EpochMs) => void;
}

function Strip({ strip, onRange }: StripProps) {
  const timeZone = useTimeZone();
  const area = useRef<HTMLDivElement>(null);
  const [drag, setDrag] = useState<{ readonly from: number; readonly to: number }>();
  /** The share of the width at which the pointer is. */
  const [hover, setHover] = useState<number>();
  const [begin, end] = [strip.from, strip.to];
  const occurring = new Set(strip.rows.flatMap(({ spans }) => spans.map(({ kind }) => kind)));
  const endings = new Set(strip.rows.flatMap(({ spans }) => spans.flatMap(({ end }) => endOf(end) ?? [])));
  const legend = new Map([...occurring].map((kind) => [looks[kind].word, looks[kind].color]));
  const shareOf = (at: EpochMs) => (at - begin) / (end - begin);
  const pointer = (clientX: number): number => {
    const { left, width } = area.current?.getBoundingClientRect() ?? { left: 0, width: 1 };
    return Math.min(1, Math.max(0, (clientX - left) / width));
  };
  const finish = () => {
    if (drag === undefined) return;
    setDrag(undefined);
    const [from, to] = [Math.min(drag.from, drag.to), Math.max(drag.from, drag.to)];
    if (to - from < leastShare) return;
    onRange(begin + from * (end - begin), begin + to * (end - begin));
  };
  return (
    <div className="grid grid-cols-[fit-content(40%)_minmax(0,1fr)] gap-x-3 text-small">
      <ul className="min-w-0">
        {strip.rows.map(({ clientId, nodeId }) => (
          <li key={clientId} className="flex h-7 min-w-0 items-center">
            <Link
              href={clientHref(clientId)}
              title={nodeId}
              className="min-w-0 truncate leading-7 link-hover"
            >
              {formatName(nodeId)}
            </Link>
          </li>
        ))}
      </ul>
      <div
        ref={area}
        role="img"
        aria-label={`${formatCounted(strip.rows.length, 'client')} with issues; the list of issues has each with its times`}
        className="relative cursor-crosshair touch-none select-none"
        onPointerDown={({ clientX, currentTarget, pointerId }) => {
          currentTarget.setPointerCapture(pointerId);
          setDrag({ from: pointer(clientX), to: pointer(clientX) });
        }}
        onPointerMove={({ clientX }) => {
          setHover(pointer(clientX));
          setDrag((known) => known && { ...known, to: pointer(clientX) });
        }}
        onPointerLeave={() => setHover(undefined)}
        onPointerUp={finish}
        onPointerCancel={() => setDrag(undefined)}
      >
        {strip.rows.map(({ clientId, spans }) => (
          <div key={clientId} className="relative h-7 border-b border-line">
            {spans.map(({ from, to, kind, text, issueId, end: how }) => {
              const ending = endOf(how);
              const until = ending && ` until ${formatShortTime(to, end, timeZone)}. ${describeEnd(ending)}`;
              return (
                <span
                  key={`${issueId} ${from}`}
                  title={`${text}, since ${formatShortTime(from, end, timeZone)}${until ?? ''}`}
                  className={`absolute top-1.5 h-3.5 min-w-0.5 ${looks[kind].color}`}
                  style={{
                    left: `${shareOf(from) * 100}%`,
                    width: `${(shareOf(to) - shareOf(from)) * 100}%`,
                  }}
                >
                  {ending && <span className={`absolute -inset-y-1 left-full ${ends[ending].line}`} />}
                </span>
              );
            })}
          </div>
        ))}
        {hover !== undefined && (
          <>
            <span
              aria-hidden="true"
              className="pointer-events-none absolute inset-y-0 w-px bg-text/60"
              style={{ left: `${hover * 100}%` }}
            />
            <span
              aria-hidden="true"
              className={`pointer-events-none absolute -top-4 rounded bg-text px-1 text-tiny whitespace-nowrap text-surface tabular-nums ${hover > 0.5 ? '-translate-x-full' : ''}`}
              style={{ left: `${hover * 100}%` }}
            >
              {formatShortTime(begin + hover * (end - begin), end, timeZone)}
            </span>
          </>
        )}
        {drag !== undefined && (
          <span
            className="absolute inset-y-0 border-x border-accent bg-accent/15"
            style={{
              left: `${Math.min(drag.from, drag.to) * 100}%`,
              width: `${Math.abs(drag.to - drag.from) * 100}%`,
            }}
          />
        )}
      </div>
      <span
        className="note"
        title={
          strip.notJudged > 0
            ? 'Not judged: no issue is known, and the config was not checked, or not all of it.'
            : undefined
        }
      >
        {strip.othersWithIssues > 0 &&
          `${formatCounted(strip.othersWithIssues, 'more client')} with issues; `}
        {formatCounted(strip.withoutIssues, 'client')} without issues
        {strip.notJudged > 0 && `, ${formatCount(strip.notJudged)} not judged`}
      </span>
      <span className="flex justify-between note tabular-nums" suppressHydrationWarning>
        {[0, 0.25, 0.5, 0.75, 1].map((share) => (
          <span
            key={share}
            className={share === 0 || share === 1 ? '' : 'hidden md:inline'}
            suppressHydrationWarning
          >
            {formatShortTime(begin + share * (end - begin), end, timeZone)}
          </span>
        ))}
      </span>
      <ul aria-label="Legend" className="col-start-2 flex flex-wrap gap-x-4 pt-1 note">
        {[...legend].map(([word, color]) => (
          <li key={word} className="inline-flex items-center gap-1.5">
            <span aria-hidden="true" className={`inline-block h-2.5 w-3 ${color}`} />
            {word}
          </li>
        ))}
        {[...endings].map((ending) => (
          <li key={ending} className="inline-flex items-center gap-1.5">
            <span aria-hidden="true" className={`inline-block h-3.5 ${ends[ending].line}`} />
            {ends[ending].word}
          </li>
        ))}
        <li>drag to set the time range</li>
      </ul>
    </div>
  );
}
