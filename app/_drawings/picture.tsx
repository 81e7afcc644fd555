import type { ReactNode } from 'react';

interface PictureProps {
  readonly size: { readonly widthPx: number; readonly heightPx: number };
  /** A sentence for screen readers. */
  readonly label: string;
  readonly fontSize?: number;
  /** The colour of text. */
  readonly fill?: string;
  /** Parts of the drawing are links, which the role of an image would hide from screen readers. */
  readonly hasLinks?: boolean;
  readonly children: ReactNode;
}

/** A drawing in CSS pixels. */
export function Picture({
  size: { widthPx, heightPx },
  label,
  fontSize = 11,
  fill = 'var(--text)',
  hasLinks = false,
  children,
}: PictureProps) {
  return (
    <svg
      role={hasLinks ? 'group' : 'img'}
      aria-label={label}
      width={widthPx}
      height={heightPx}
      viewBox={`0 0 ${widthPx} ${heightPx}`}
      fontSize={fontSize}
      fill={fill}
    >
      <title>{label}</title>
      {children}
    </svg>
  );
}
