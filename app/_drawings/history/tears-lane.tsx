'use client';

import { useMemo } from 'react';
import { formatCounted } from '@/lib/format/count';
import { formatDuration } from '@/lib/format/duration';
import type { TimeScale } from '@/lib/views/history/collapsed-axis';
import { layoutSpan } from '@/lib/views/history/layout-axis';
import { mergeTargets } from '@/lib/views/history/merge-targets';
import { tearTexts } from '@/lib/views/resolved/tear-texts';
import type { Tears } from '@/lib/views/resolved/tears-schema';

type Tear = Tears['items'][number];

interface TearsLaneProps {
  readonly tears: Tears;
  readonly scale: TimeScale;
  /** Called with the config tears of one target. */
  readonly onOpen: (tears: readonly DescribedTear[]) => void;
}

export interface DescribedTear {
  readonly key: string;
  readonly text: string;
}

const heightPx = 24;

/** Config tears as bars. Bars that are too close to be pressed separately are one button, which states their number. */
export function TearsLane({ tears, scale, onOpen }: TearsLaneProps) {
  const end = tears.to;
  const targets = useMemo(() => {
    const bars = tears.items.flatMap((tear) => {
      const to = tear.toAt ?? end;
      const span = layoutSpan(scale, tear.fromAt, to);
      return span === undefined ? [] : [{ ...describeTear(tear), ...span }];
    });
    return mergeTargets(bars, scale.widthPx);
  }, [tears, end, scale]);
  const unreadPx =
    tears.hasOlder && tears.beginsAt !== undefined ? Math.min(scale.widthPx, scale.toX(tears.beginsAt)) : 0;
  return (
    <fieldset
      aria-label="Config tears"
      className="relative overflow-hidden"
      style={{ height: heightPx, width: scale.widthPx }}
    >
      {unreadPx > 1 && (
        <p
          className="absolute inset-y-0 left-0 truncate border-r border-dashed border-line-strong px-2 text-right text-tiny leading-5 text-muted"
          style={{ width: unreadPx }}
          title="The newest part of the log is searched for config tears at once, older parts when you zoom in"
        >
          {unreadPx > 150 && 'searched when you zoom in'}
        </p>
      )}
      {targets.map(({ x, width, marks }) => {
        const isOne = marks.length === 1;
        const name = `${isOne ? '' : `${formatCounted(marks.length, 'config tear')}, first: `}${marks[0]?.text}`;
        return (
          <button
            key={marks[0]?.key}
            type="button"
            onClick={() => onOpen(marks)}
            title={name}
            aria-label={name}
            className="absolute inset-y-0 overflow-hidden rounded-[2px] hover:bg-hover"
            style={{ left: x, width }}
          >
            {marks.map(({ key, fails, ...bar }) => (
              <span
                key={key}
                className={`absolute min-w-1 rounded-[2px] border-timeout ${isOne ? 'top-1.5 h-3' : 'bottom-0.5 h-2'} ${
                  fails ? 'bg-nacked' : 'border bg-timeout/25'
                }`}
                style={{ left: bar.x - x, width: bar.width }}
              />
            ))}
            {!isOne && (
              <span className="absolute inset-x-0 top-0 text-center text-tiny leading-3.5 tabular-nums">
                {marks.length}
              </span>
            )}
          </button>
        );
      })}
    </fieldset>
  );
}

function describeTear({ kind, fromAt, durationMs, toAt, resources, preA74, a74 }: Tear) {
  const [missing] = resources;
  const what = missing === undefined ? '' : ` (${missing.service} ${missing.name})`;
  const long = `${formatDuration(durationMs)}${toAt === undefined ? ', lasts' : ''}`;
  return {
    key: `${kind} ${fromAt} ${resources.map(({ name }) => name).join(' ')}`,
    text: `${tearTexts[kind]}${what}, ${long}. Before A74: ${preA74.text} A74: ${a74.text}`,
    fails: a74.outcome === 'fails' || preA74.outcome === 'fails',
  };
}
