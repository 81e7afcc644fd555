'use client';

import type { ReactNode } from 'react';
import type { AxisScale } from '@/lib/views/drawing/axis-scale';

interface CrosshairProps {
  readonly plot: { readonly x: number; readonly width: number };
  readonly heightPx: number;
  /** Places values of the horizontal axis. */
  readonly scale: AxisScale;
  /** The value under the pointer, possibly in another picture with the same axis; null: none. */
  readonly pointed: number | null;
  readonly onPoint: (value: number | null) => void;
  readonly format: (value: number) => string;
  readonly children: ReactNode;
}

/** A picture with a line at the value under the pointer, and what it has there. */
export function Crosshair(props: CrosshairProps) {
  const { plot, heightPx, scale, pointed, onPoint, format, children } = props;
  const x = pointed === null ? null : scale(pointed);
  return (
    <div
      className="relative w-max"
      onPointerMove={({ currentTarget, clientX }) => {
        const at = clientX - currentTarget.getBoundingClientRect().left;
        onPoint(at < plot.x || at > plot.x + plot.width ? null : scale.invert(at));
      }}
      onPointerLeave={() => onPoint(null)}
    >
      {children}
      {x !== null && pointed !== null && (
        <div
          aria-hidden="true"
          className="pointer-events-none absolute top-0"
          style={{ left: x, height: heightPx }}
        >
          <div className="h-full border-l border-line-strong" />
          <span
            data-readout=""
            className={`absolute top-0 rounded bg-text px-1 text-tiny whitespace-nowrap text-surface tabular-nums ${x > plot.x + plot.width / 2 ? '-translate-x-full' : ''}`}
          >
            {format(pointed)}
          </span>
        </div>
      )}
    </div>
  );
}
