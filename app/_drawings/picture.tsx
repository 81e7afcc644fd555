import type { ReactNode } from 'react';

interface PictureProps {
  readonly size: { readonly widthPx: number; readonly heightPx: number };
  /** What it shows, in a sentence: what stands beside it has the rest. */
  readonly label: string;
  readonly fontSize?: number;
  /** Of text. */
  readonly fill?: string;
  readonly children: ReactNode;
}

/** A drawing that is looked at as one image, in CSS pixels. */
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
