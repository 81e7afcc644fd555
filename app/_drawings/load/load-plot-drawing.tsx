import type { LoadPlot } from '@/lib/views/load/layout-load-grid';
import { isTroubleMeasure } from '@/lib/views/load/load-choices';
import { Picture } from '../picture';

interface LoadPlotDrawingProps {
  readonly plot: LoadPlot;
  readonly size: { readonly widthPx: number; readonly heightPx: number };
  readonly label: string;
  /** The position of the step under the pointer; null: none. */
  readonly pointerX: number | null;
}

/** One curve of the small multiples, with gaps without reports. */
export function LoadPlotDrawing({ plot, size, label, pointerX }: LoadPlotDrawingProps) {
  const color = isTroubleMeasure(plot.measure) ? 'var(--status-nacked)' : 'var(--accent)';
  return (
    <Picture size={size} label={label}>
      <line x1={0} x2={size.widthPx} y1={size.heightPx - 3} y2={size.heightPx - 3} stroke="var(--border)" />
      <path d={plot.areaPath} fill={color} fillOpacity={0.14} />
      <path d={plot.linePath} fill="none" stroke={color} strokeWidth={1.5} strokeLinejoin="round" />
      {plot.dots.map(({ x, y }) => (
        <circle key={x} cx={x} cy={y} r={1.5} fill={color} />
      ))}
      {pointerX !== null && (
        <line x1={pointerX} x2={pointerX} y1={0} y2={size.heightPx} stroke="var(--border-strong)" />
      )}
    </Picture>
  );
}
