import type { HistoryKind } from '@/lib/api/history-kinds';
import { eventShape } from '@/lib/view-model/history/event-shape';
import { statusStrokeWidth } from '@/lib/view-model/status-shape';

interface EventMarkProps {
  readonly kind: HistoryKind;
  /** `false` leaves the word to a screen reader. */
  readonly word?: false;
  readonly sizePx?: number;
}

/** A kind of event as shape, word and colour: never colour alone. */
export function EventMark({ kind, word, sizePx = 12 }: EventMarkProps) {
  const shape = eventShape(kind);
  const { path, filled, variable } = shape;
  return (
    <span
      className="inline-flex items-center gap-1.5 whitespace-nowrap"
      style={{ color: `var(${variable})` }}
    >
      <svg viewBox="0 0 16 16" width={sizePx} height={sizePx} aria-hidden="true" className="shrink-0">
        <path
          d={path}
          fill={filled ? 'currentColor' : 'none'}
          stroke={filled ? 'none' : 'currentColor'}
          strokeWidth={statusStrokeWidth + 0.5}
          strokeLinecap="round"
          strokeLinejoin="round"
        />
      </svg>
      <span className={word === false ? 'sr-only' : undefined}>{shape.word}</span>
    </span>
  );
}
