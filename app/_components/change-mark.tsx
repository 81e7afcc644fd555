import type { ChangeKind } from '@/lib/diff/change-kind';
import { changeShape } from '@/lib/view-model/changes/change-shape';
import { StrokeShape } from './stroke-shape';

/** Added, removed or changed, as shape and word. */
export function ChangeMark({ kind }: { readonly kind: ChangeKind }) {
  const { path, word, variable } = changeShape(kind);
  return (
    <span
      className="inline-flex items-center gap-1.5 whitespace-nowrap"
      style={{ color: `var(${variable})` }}
    >
      <StrokeShape path={path} />
      {word}
    </span>
  );
}
