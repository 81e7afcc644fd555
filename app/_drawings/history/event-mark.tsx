import { GlyphMark } from '@/app/_components/shape-mark';
import { eventShape } from '@/lib/views/history/event-shape';
import type { HistoryKind } from '@/lib/views/history/history-kinds';

interface EventMarkProps {
  readonly kind: HistoryKind;
  /** `false` hides the word visually. */
  readonly word?: false;
  readonly sizePx?: number;
}

export function EventMark({ kind, ...props }: EventMarkProps) {
  return <GlyphMark shape={eventShape(kind)} {...props} />;
}
