import { StrokeShape } from '@/app/_components/stroke-shape';
import type { Reaction } from '@/lib/validate/profile';
import { reactionShape } from '@/lib/view-model/findings/reaction-shape';

interface ReactionMarkProps {
  readonly reaction: Reaction;
  /** Who reacts so, in words. */
  readonly who: string;
}

/** What clients do about a finding: shape, word and colour. */
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
