'use client';

import { useLayoutEffect, useMemo, useRef, useState } from 'react';
import { useTimeZone } from '@/app/_hooks/use-time-zone';
import { formatShortTime } from '@/lib/format/exact-time';
import { layoutTears, type TearBar } from '@/lib/views/resolved/layout-tears';
import type { Tears } from '@/lib/views/resolved/tears-schema';

const labelPx = 78;
const rowPx = 9;
const barPx = 7;
const laneGapPx = 8;
const axisRoomPx = 22;

/** Each config tear as a bar in two lanes: its impact before gRFC A74, and with gRFC A74. */
export function TearsAxis({ tears }: { readonly tears: Tears }) {
  const box = useRef<HTMLDivElement>(null);
  const [widthPx, setWidthPx] = useState(0);
  useLayoutEffect(() => {
    const element = box.current;
    if (element === null) return;
    const observer = new ResizeObserver(() => setWidthPx(element.clientWidth));
    observer.observe(element);
    setWidthPx(element.clientWidth);
    return () => observer.disconnect();
  }, []);
  const layout = useMemo(() => layoutTears(tears, Math.max(80, widthPx - labelPx - 12)), [tears, widthPx]);
  const lanePx = Math.max(14, layout.rows * rowPx);
  const a74Y = lanePx + laneGapPx;
  const axisY = a74Y + lanePx + 4;
  const heightPx = axisY + axisRoomPx;
  const zone = useTimeZone();
  const now = tears.to;
  return (
    <div ref={box} className="mx-4 mb-2" style={{ minHeight: heightPx }}>
      {widthPx > 0 && (
        <svg
          width={widthPx}
          height={heightPx}
          role="img"
          aria-label="Config tears over time; the table below has the same data"
        >
          <text x={0} y={lanePx / 2 + 4} className="fill-muted text-[11px]">
            before A74
          </text>
          <text x={0} y={a74Y + lanePx / 2 + 4} className="fill-muted text-[11px]">
            A74
          </text>
          <g transform={`translate(${labelPx} 0)`}>
            <path d={`M0 ${axisY}H${layout.width}`} className="stroke-line-strong" />
            {layout.ticks.map(({ x, at }) => (
              <g key={at} transform={`translate(${x} ${axisY})`}>
                <path d="M0 0V4" className="stroke-line-strong" />
                <text
                  y={15}
                  textAnchor={x > layout.width - 40 ? 'end' : x < 40 ? 'start' : 'middle'}
                  className="fill-muted text-[10.5px] tabular-nums"
                >
                  {formatShortTime(at, now, zone)}
                </text>
              </g>
            ))}
            {layout.bars.map((bar) => (
              <g key={bar.index}>
                <Lane bar={bar} outcome={bar.preA74} y={bar.row * rowPx} />
                <Lane bar={bar} outcome={bar.a74} y={a74Y + bar.row * rowPx} />
              </g>
            ))}
          </g>
        </svg>
      )}
    </div>
  );
}

/** fails: filled; waits: an outline; nothing: a thin line. The shape distinguishes them without colour. */
function Lane({
  bar,
  outcome,
  y,
}: {
  readonly bar: TearBar;
  readonly outcome: TearBar['a74'];
  readonly y: number;
}) {
  const { x, width } = bar;
  switch (outcome) {
    case 'fails':
      return <rect x={x} y={y} width={width} height={barPx} className="fill-nacked" />;
    case 'waits':
      return (
        <rect
          x={x + 0.5}
          y={y + 0.5}
          width={Math.max(1, width - 1)}
          height={barPx - 1}
          className="fill-none stroke-timeout"
        />
      );
    case 'nothing':
      return <rect x={x} y={y + barPx / 2 - 1} width={width} height={2} className="fill-acked" />;
  }
}
