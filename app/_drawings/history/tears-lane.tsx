'use client';

import { useMemo } from 'react';
import type { Tears } from '@/lib/api/resolved';
import { formatDuration } from '@/lib/format/duration';
import type { TimeScale } from '@/lib/view-model/history/collapsed-axis';
import { layoutSpan } from '@/lib/view-model/history/layout-axis';
import { tearTexts } from '@/lib/view-model/resolved/tear-texts';

type Tear = Tears['items'][number];

interface TearsLaneProps {
  readonly tears: Tears;
  readonly scale: TimeScale;
  /** Called with the description of the tear. */
  readonly onOpen: (text: string) => void;
}

const heightPx = 20;

export function TearsLane({ tears, scale, onOpen }: TearsLaneProps) {
  const end = Date.parse(tears.to);
  const spans = useMemo(
    () =>
      tears.items.flatMap((tear) => {
        const to = tear.toAt === null ? end : Date.parse(tear.toAt);
        const span = layoutSpan(scale, Date.parse(tear.fromAt), to);
        return span === undefined ? [] : [{ tear, ...span }];
      }),
    [tears, end, scale],
  );
  const unreadPx =
    tears.hasOlder && tears.beginsAt !== null
      ? Math.min(scale.widthPx, scale.toX(Date.parse(tears.beginsAt)))
      : 0;
  return (
    <div className="relative overflow-hidden" style={{ height: heightPx, width: scale.widthPx }}>
      {unreadPx > 1 && (
        <p
          className="absolute inset-y-0 left-0 truncate border-r border-dashed border-line-strong px-2 text-right text-tiny leading-5 text-muted"
          style={{ width: unreadPx }}
          title="The newest part of the log is searched for config tears at once, older parts when you zoom in"
        >
          {unreadPx > 150 && 'searched when you zoom in'}
        </p>
      )}
      {spans.map(({ tear, x, width }) => (
        <button
          key={`${tear.kind} ${tear.fromAt} ${tear.resources[0]?.name ?? ''}`}
          type="button"
          onClick={() => onOpen(describeTear(tear))}
          title={describeTear(tear)}
          aria-label={describeTear(tear)}
          className={`absolute top-1 h-3 min-w-1 rounded-[2px] border-timeout ${
            tear.a74.outcome === 'fails' || tear.preA74.outcome === 'fails'
              ? 'bg-nacked'
              : 'border bg-timeout/25'
          }`}
          style={{ left: x, width }}
        />
      ))}
    </div>
  );
}

function describeTear({ kind, durationMs, toAt, resources: [missing], preA74, a74 }: Tear): string {
  const what = missing === undefined ? '' : ` (${missing.service} ${missing.name})`;
  const long = `${formatDuration(durationMs)}${toAt === null ? ', lasts' : ''}`;
  return `${tearTexts[kind]}${what}, ${long}. Before A74: ${preA74.text} A74: ${a74.text}`;
}
