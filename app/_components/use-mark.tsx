import { type NodeUse, shapeOfUse } from '@/lib/view-model/use-shape';
import { StrokeShape } from './stroke-shape';

interface UseMarkProps {
  readonly use: NodeUse;
  /** Leaves the word to a screen reader. */
  readonly isMute?: boolean;
}

/** What a resolved config makes of a part, as shape and word; what is used needs no sign. */
export function UseMark({ use, isMute = false }: UseMarkProps) {
  const { path, word, variable } = shapeOfUse(use);
  return (
    <span
      className="inline-flex items-center gap-1.5 whitespace-nowrap"
      style={{ color: `var(${variable})` }}
    >
      {path !== '' && <StrokeShape path={path} />}
      <span className={isMute ? 'sr-only' : undefined}>{word}</span>
    </span>
  );
}
