import { brushX, type D3BrushEvent, select } from 'd3';

interface OverviewBrushOptions {
  readonly widthPx: number;
  readonly heightPx: number;
  /** Called while the reader moves the brush, with its ends in pixels; null: the reader removed it. */
  readonly onMove: (ends: readonly [from: number, to: number] | null) => void;
  readonly onEnd: () => void;
}

export interface OverviewBrush {
  readonly move: (from: number, to: number) => void;
}

/** Draws d3-brush in the group. */
export function attachOverviewBrush(
  group: SVGGElement,
  { widthPx, heightPx, onMove, onEnd }: OverviewBrushOptions,
): OverviewBrush {
  const brush = brushX<unknown>()
    .extent([
      [0, 0],
      [widthPx, heightPx],
    ])
    .on('brush', ({ sourceEvent, selection }: D3BrushEvent<unknown>) => {
      if (sourceEvent === undefined || sourceEvent === null || selection === null) return;
      const [from = 0, to = 0] = selection.map(Number);
      if (to - from > 1) onMove([from, to]);
    })
    .on('end', ({ sourceEvent, selection }: D3BrushEvent<unknown>) => {
      if (sourceEvent === undefined || sourceEvent === null) return;
      if (selection === null) onMove(null);
      onEnd();
    });
  const selected = select<SVGGElement, unknown>(group);
  selected.call(brush);
  return { move: (from, to) => selected.call(brush.move, [from, to]) };
}
