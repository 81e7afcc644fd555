import type { DiffItemKind } from '@/lib/diff/diff-item-kind';
import type { DiffLineKind } from '@/lib/diff/diff-lines';
import { changeShape } from '@/lib/view-model/changes/change-shape';
import { StrokeShape } from './stroke-shape';

interface DiffMarkProps {
  readonly kind: DiffItemKind | DiffLineKind;
  /** Leaves the word to a screen reader. */
  readonly isMute?: boolean;
}

/** What something is in a comparison, as shape and word. */
export function DiffMark({ kind, isMute = false }: DiffMarkProps) {
  const { path, word, variable } = changeShape(kind);
  return (
    <span
      className="inline-flex items-center gap-1.5 whitespace-nowrap"
      style={{ color: `var(${variable})` }}
      title={isMute ? word : undefined}
    >
      <StrokeShape path={path} />
      <span className={isMute ? 'sr-only' : undefined}>{word}</span>
    </span>
  );
}
