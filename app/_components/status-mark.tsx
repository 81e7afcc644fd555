import type { GraphNodeStatus } from '@/lib/api/schema';
import { statusShape } from '@/lib/view-model/status-shape';
import { GlyphMark } from './shape-mark';

interface StatusMarkProps {
  readonly status: GraphNodeStatus;
  /** Replaces the word of the status; `false` hides it visually. */
  readonly word?: string | false;
  readonly sizePx?: number;
  readonly className?: string;
}

export function StatusMark({ status, ...props }: StatusMarkProps) {
  return <GlyphMark shape={statusShape(status)} {...props} />;
}
