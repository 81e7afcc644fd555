import type { GraphNodeStatus } from '@/lib/api/schema';
import { statusShape } from '@/lib/view-model/status-shape';
import { GlyphMark } from './shape-mark';

interface StatusMarkProps {
  readonly status: GraphNodeStatus;
  /** Another word than the status's own; `false` leaves the word to a screen reader. */
  readonly word?: string | false;
  readonly sizePx?: number;
  readonly className?: string;
}

/** A status as shape, word and colour. */
export function StatusMark({ status, ...props }: StatusMarkProps) {
  return <GlyphMark shape={statusShape(status)} {...props} />;
}
