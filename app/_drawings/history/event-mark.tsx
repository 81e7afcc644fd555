import { GlyphMark } from '@/app/_components/shape-mark';
import type { HistoryKind } from '@/lib/api/history-kinds';
import { eventShape } from '@/lib/view-model/history/event-shape';

interface EventMarkProps {
  readonly kind: HistoryKind;
  /** `false` hides the word visually. */
  readonly word?: false;
  readonly sizePx?: number;
}

export function EventMark({ kind, ...props }: EventMarkProps) {
  return <GlyphMark shape={eventShape(kind)} {...props} />;
}
