import { memo, useMemo } from 'react';
import { type HistoryLevel, levelTexts } from '@/lib/views/history/layout-history';
import type { HistoryTimeline } from '@/lib/views/history/schema';
import { EventMark } from './event-mark';
import { findKinds } from './find-kinds';

interface HistoryLegendProps {
  readonly timeline: HistoryTimeline;
  readonly level: HistoryLevel;
}

/** Explains the marks that the timeline contains. */
export const HistoryLegend = memo(function HistoryLegend({ timeline, level }: HistoryLegendProps) {
  const kinds = useMemo(() => findKinds(timeline), [timeline]);
  return (
    <div className="flex min-w-0 flex-1 flex-wrap items-center gap-x-3 gap-y-0.5 px-3 py-1.5 text-tiny text-muted">
      {kinds.map((kind) => (
        <EventMark key={kind} kind={kind} sizePx={11} />
      ))}
      <span className="inline-flex items-center gap-1.5">
        <span aria-hidden="true" className="h-2.5 w-4 border-x border-muted bg-accent-soft" />
        open stream
      </span>
      {timeline.gaps.length > 0 && (
        <span className="inline-flex items-center gap-1.5">
          <span
            aria-hidden="true"
            className="h-2.5 w-4 bg-[repeating-linear-gradient(135deg,var(--status-missing)_0_1px,transparent_1px_4px)]"
          />
          not recorded
        </span>
      )}
      <span className="ml-auto">{levelTexts[level]}</span>
    </div>
  );
});
