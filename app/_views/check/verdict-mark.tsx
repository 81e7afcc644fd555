import { StrokeShape } from '@/app/_components/stroke-shape';
import { cellShape } from '@/lib/views/check/cell-shape';
import type { CellVerdict } from '@/lib/views/check/schema';

export function VerdictMark({ verdict }: { readonly verdict: CellVerdict }) {
  const { path, word, variable } = cellShape(verdict);
  return (
    <span
      className="inline-flex items-center gap-1.5 whitespace-nowrap"
      style={{ color: `var(${variable})` }}
    >
      <StrokeShape path={path} strokeWidth={2} />
      {word}
    </span>
  );
}
