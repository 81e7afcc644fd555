import type { ReactNode } from 'react';

interface PictureProps {
  readonly size: { readonly widthPx: number; readonly heightPx: number };
  /** A sentence for screen readers. */
  readonly label: string;
  readonly fontSize?: number;
  /** The colour of text. */
  readonly fill?: string;
  readonly children: ReactNode;
}

/** A drawing as one image, in CSS pixels. */
export function Picture({
  size: { widthPx, heightPx },
  label,
  fontSize = 11,
  fill = 'var(--text)',
  children,
}: PictureProps) {
  return (
    <svg
      role="img"
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
