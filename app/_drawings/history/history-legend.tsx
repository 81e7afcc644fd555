import { memo, useMemo } from 'react';
import { type HistoryKind, type HistoryTimeline, historyKinds } from '@/lib/api/history';
import type { HistoryLevel } from '@/lib/view-model/history/layout-history';
import { EventMark } from './event-mark';

interface HistoryLegendProps {
  readonly timeline: HistoryTimeline;
  readonly level: HistoryLevel;
}

const levelTexts: Readonly<Record<HistoryLevel, string>> = {
  density: 'bars count events (logarithmic, full at 1 000); a triangle marks trouble among them',
  bursts: 'a number in a pill: so many events that touch each other',
  events: 'each event is drawn; a bar before an ACK or NACK is the time since its response',
};

/** Every kind that occurs, as shape and word, and what the present zoom draws. */
export const HistoryLegend = memo(function HistoryLegend({ timeline, level }: HistoryLegendProps) {
  const kinds = useMemo(() => findKinds(timeline), [timeline]);
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-0.5 px-3 py-1.5 text-[0.7857rem] text-muted">
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

function findKinds(timeline: HistoryTimeline): HistoryKind[] {
  const seen =
    timeline.kind === 'marks'
      ? new Set(timeline.kinds.map((kind) => historyKinds[kind]))
      : new Set<string | undefined>(timeline.buckets.flatMap(({ counts }) => Object.keys(counts)));
  return historyKinds.filter((kind) => seen.has(kind));
}
