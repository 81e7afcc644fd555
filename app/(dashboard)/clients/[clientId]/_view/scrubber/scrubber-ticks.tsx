'use client';

import { type PointerEvent, useState } from 'react';
import { HistoryAxis } from '@/app/_drawings/history/history-axis';
import type { CollapsedAxis, TimeScale } from '@/lib/view-model/history/collapsed-axis';
import { layoutAxis } from '@/lib/view-model/history/layout-axis';
import type { EpochMs } from '@/lib/xds/units';

interface ScrubberTicksProps {
  readonly axis: CollapsedAxis;
  readonly scale: TimeScale;
  readonly timeZone: string;
  /** Height of the strip above, which the chosen range also covers. */
  readonly stripPx: number;
  readonly onRange: (from: EpochMs, to: EpochMs) => void;
  readonly onZoomOut: () => void;
}

/** A shorter drag is a click. */
const leastDragPx = 4;

/** The times of the axis. A drag over them zooms in. */
export function ScrubberTicks({ axis, scale, timeZone, stripPx, onRange, onZoomOut }: ScrubberTicksProps) {
  const [drag, setDrag] = useState<{ readonly from: number; readonly to: number } | null>(null);
  const xOf = ({ clientX, currentTarget }: PointerEvent): number =>
    Math.min(scale.widthPx, Math.max(0, clientX - currentTarget.getBoundingClientRect().left));
  const left = drag === null ? 0 : Math.min(drag.from, drag.to);
  const width = drag === null ? 0 : Math.abs(drag.to - drag.from);
  return (
    <div
      role="img"
      aria-label="The times of the axis"
      title="Drag to zoom in, double-click to zoom out"
      className="relative cursor-crosshair touch-none select-none"
      onPointerDown={(event) => {
        if (event.button !== 0) return;
        event.currentTarget.setPointerCapture(event.pointerId);
        setDrag({ from: xOf(event), to: xOf(event) });
      }}
      onPointerMove={(event) => {
        const to = xOf(event);
        setDrag((known) => known && { ...known, to });
      }}
      onPointerUp={() => {
        setDrag(null);
        if (width >= leastDragPx) onRange(scale.toAt(left), scale.toAt(left + width));
      }}
      onPointerCancel={() => setDrag(null)}
      onDoubleClick={onZoomOut}
    >
      <HistoryAxis
        layout={layoutAxis(axis, scale)}
        widthPx={scale.widthPx}
        timeZone={timeZone}
        heightPx={18}
      />
      {drag !== null && (
        <span
          aria-hidden="true"
          className="pointer-events-none absolute bottom-0 border-x border-accent bg-accent/15"
          style={{ left, width, top: -stripPx }}
        />
      )}
    </div>
  );
}
