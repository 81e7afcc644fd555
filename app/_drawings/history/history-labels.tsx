import { memo } from 'react';
import { formatMiddleCut } from '@/lib/format/middle-cut';
import type { PlacedLanes } from '@/lib/view-model/history/place-lanes';

interface HistoryLabelsProps {
  readonly placed: PlacedLanes;
  readonly widthPx: number;
  readonly top: number;
  readonly bottom: number;
}

const charPx = 7;

/** The names of the rows in sight, at the left of the lanes. */
export const HistoryLabels = memo(function HistoryLabels({
  placed,
  widthPx,
  top,
  bottom,
}: HistoryLabelsProps) {
  return (
    <div className="relative shrink-0 border-r border-line" style={{ width: widthPx }}>
      {placed.rows
        .filter(({ y, heightPx }) => y + heightPx >= top && y <= bottom)
        .map((row) =>
          row.kind === 'client' ? (
            <p
              key={row.id}
              title={row.label}
              className="absolute left-0 flex items-center overflow-visible bg-surface px-2 font-mono text-[0.7857rem] font-medium whitespace-nowrap"
              style={{ top: row.y, height: row.heightPx, width: widthPx - 1, zIndex: 1 }}
            >
              {formatMiddleCut(row.label, Math.floor((widthPx - 16) / charPx))}
            </p>
          ) : (
            <p
              key={row.id}
              title={row.title}
              className="absolute right-0 left-0 flex items-center justify-end px-2 text-[0.7857rem] whitespace-nowrap text-muted"
              style={{ top: row.y, height: row.heightPx }}
            >
              {formatMiddleCut(row.label, Math.floor((widthPx - 12) / 6))}
            </p>
          ),
        )}
    </div>
  );
});
