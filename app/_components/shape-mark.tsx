import { statusStrokeWidth } from '@/lib/views/drawing/status-shape';
import { StrokeShape } from './stroke-shape';

interface ShapeMarkProps {
  readonly shape: {
    /** SVG path data in a box of 16 x 16; empty: no shape. */
    readonly path: string;
    readonly word: string;
    readonly variable: string;
  };
  /** Hides the word visually. */
  readonly isMute?: boolean;
}

/** A shape and a word in one colour, so that colour is never the only sign. */
export function ShapeMark({ shape: { path, word, variable }, isMute = false }: ShapeMarkProps) {
  return (
    <span
      className="inline-flex items-center gap-1.5 whitespace-nowrap"
      style={{ color: `var(${variable})` }}
      title={isMute ? word : undefined}
    >
      {path !== '' && <StrokeShape path={path} />}
      <span className={isMute ? 'sr-only' : undefined}>{word}</span>
    </span>
  );
}

interface GlyphMarkProps {
  readonly shape: ShapeMarkProps['shape'] & { readonly filled: boolean };
  /** Replaces the word of the shape; `false` hides it visually. */
  readonly word?: string | false;
  readonly sizePx?: number;
  readonly className?: string;
}

/** The same for shapes that may be filled: statuses and kinds of events. */
export function GlyphMark({ shape, word, sizePx = 12, className = '' }: GlyphMarkProps) {
  const text = word === undefined || word === false ? shape.word : word;
  if (text === '') return null;
  return (
    <span
      className={`inline-flex items-center gap-1.5 whitespace-nowrap ${className}`}
      style={{ color: `var(${shape.variable})` }}
    >
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
