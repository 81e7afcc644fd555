import type { ReactNode } from 'react';
import { formatDuration } from '@/lib/format/duration';
import type { LoadMeasure } from '@/lib/load/load-question';
import { isTroubleMeasure } from '@/lib/view-model/load/load-choices';

interface LoadLegendProps {
  readonly measures: readonly LoadMeasure[];
  /** The length of a step. */
  readonly stepMs: number;
}

export function LoadLegend({ measures, stepMs }: LoadLegendProps) {
  const hasTrouble = measures.some(isTroubleMeasure);
  const hasOther = !measures.every(isTroubleMeasure);
  return (
    <ul aria-label="Legend" className="flex flex-wrap gap-x-4 gap-y-1 pt-2 note">
      {hasOther && <Item color="var(--accent)">value in each {formatDuration(stepMs)}</Item>}
      {hasTrouble && <Item color="var(--status-nacked)">errors and drops</Item>}
      <li className="inline-flex items-center gap-1.5">
        <svg width={20} height={10} aria-hidden="true">
          <path d="M0 5H6M14 5H20" stroke="var(--text-muted)" strokeWidth={1.5} />
        </svg>
        gap: no report
      </li>
      <li className="inline-flex items-center gap-1.5">
        <svg width={8} height={10} aria-hidden="true">
          <circle cx={4} cy={5} r={2} fill="var(--text-muted)" />
        </svg>
        single value between gaps
      </li>
    </ul>
  );
}

function Item({ color, children }: { readonly color: string; readonly children: ReactNode }) {
  return (
    <li className="inline-flex items-center gap-1.5">
      <svg width={20} height={10} aria-hidden="true">
        <rect y={5} width={20} height={5} fill={color} fillOpacity={0.14} />
        <path d="M0 5H20" stroke={color} strokeWidth={1.5} />
      </svg>
      {children}
    </li>
  );
}
