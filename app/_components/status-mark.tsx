import type { GraphNodeStatus } from '@/lib/api/schema';
import { statusShape, statusStrokeWidth } from '@/lib/view-model/status-shape';

interface StatusMarkProps {
  readonly status: GraphNodeStatus;
  /** Another word than the status's own; `false` leaves the word to a screen reader. */
  readonly word?: string | false;
  readonly sizePx?: number;
  readonly className?: string;
}

/** A status as shape, word and colour: never colour alone. */
export function StatusMark({ status, word, sizePx = 12, className = '' }: StatusMarkProps) {
  const shape = statusShape(status);
  const text = word === undefined || word === false ? shape.word : word;
  if (text === '') return null;
  const color = `var(${shape.variable})`;
  return (
    <span className={`inline-flex items-center gap-1.5 whitespace-nowrap ${className}`} style={{ color }}>
      <svg viewBox="0 0 16 16" width={sizePx} height={sizePx} aria-hidden="true" className="shrink-0">
        <path
          d={shape.path}
          fill={shape.filled ? 'currentColor' : 'none'}
          stroke={shape.filled ? 'none' : 'currentColor'}
          strokeWidth={statusStrokeWidth + 0.5}
          strokeLinecap="round"
          strokeLinejoin="round"
        />
      </svg>
      <span className={word === false ? 'sr-only' : undefined}>{text}</span>
    </span>
  );
}
