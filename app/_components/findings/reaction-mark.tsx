import { StrokeShape } from '@/app/_components/stroke-shape';
import type { Reaction } from '@/lib/validate/profile';
import { reactionShape } from '@/lib/view-model/findings/reaction-shape';

interface ReactionMarkProps {
  readonly reaction: Reaction;
  /** The clients with this reaction. */
  readonly who: string;
}

export function ReactionMark({ reaction, who }: ReactionMarkProps) {
  const { path, word, variable } = reactionShape(reaction);
  return (
    <span className="inline-flex min-w-0 items-center gap-1.5" style={{ color: `var(${variable})` }}>
      <StrokeShape path={path} strokeWidth={2} />
      <span className="min-w-0">
        <span className={reaction === 'NACK' ? 'font-medium' : undefined}>{word}:</span> {who}
      </span>
    </span>
  );
}
