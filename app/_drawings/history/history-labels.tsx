import { memo } from 'react';
import { formatMiddleCut } from '@/lib/format/middle-cut';
import type { PlacedLanes } from '@/lib/views/history/place-lanes';

interface HistoryLabelsProps {
  readonly placed: PlacedLanes;
  readonly widthPx: number;
  /** Headings span the lanes as well. */
  readonly headingPx: number;
  readonly top: number;
  readonly bottom: number;
}

const charPx = 7;
const smallCharPx = 6.3;
const paddingPx = 16;

/** The names of the visible lanes, and of the clients above their lanes. */
export const HistoryLabels = memo(function HistoryLabels({
  placed,
  widthPx,
  headingPx,
  top,
  bottom,
}: HistoryLabelsProps) {
  const smallChars = Math.floor((widthPx - paddingPx) / smallCharPx);
  return (
    <div className="relative shrink-0 border-r border-line" style={{ width: widthPx }}>
      {placed.rows
        .filter(({ y, heightPx }) => y + heightPx >= top && y <= bottom)
        .map((row) =>
          row.kind === 'client' ? (
            <p
              key={row.id}
              title={row.label}
              className="pointer-events-none absolute left-0 flex items-center bg-surface px-2 font-mono text-tiny font-medium whitespace-nowrap"
              style={{ top: row.y, height: row.heightPx, minWidth: widthPx - 1, zIndex: 1 }}
            >
              {formatMiddleCut(row.label, Math.floor((headingPx - paddingPx) / charPx))}
            </p>
          ) : (
            <p
              key={row.id}
              title={row.title}
              className="absolute right-0 left-0 flex items-center justify-end px-2 text-tiny whitespace-nowrap text-muted"
              style={{ top: row.y, height: row.heightPx }}
            >
              <SourceText source={row.source} chars={smallChars - row.label.length - 3} />
              {formatMiddleCut(row.label, smallChars)}
            </p>
          ),
        )}
    </div>
  );
});

/** Shorter names are useless. */
const fewestChars = 7;

function SourceText({ source, chars }: { readonly source: string; readonly chars: number }) {
  if (source === '' || chars < fewestChars) return null;
  return <span className="mr-auto">{formatMiddleCut(source, chars)}</span>;
}
