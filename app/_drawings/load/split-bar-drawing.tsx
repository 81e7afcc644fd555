import type { SplitBarLayout } from '@/lib/views/load/layout-split-bar';
import { Picture } from '../picture';

/** The actual share of a locality over the range of random variation around the expected one. */
export function SplitBarDrawing({
  layout,
  label,
}: {
  readonly layout: SplitBarLayout;
  readonly label: string;
}) {
  const { widthPx, heightPx, bar, band, expectedX } = layout;
  return (
    <Picture size={layout} label={label}>
      <rect width={widthPx} height={heightPx} fill="var(--surface-sunken)" />
      {band !== null && <rect {...band} height={heightPx} fill="var(--accent-soft)" />}
      {bar !== null && (
        <rect
          y={heightPx / 3}
          width={bar.width}
          height={heightPx / 3}
          fill={bar.isOdd ? 'var(--status-nacked)' : 'var(--accent)'}
        />
      )}
      {expectedX !== null && (
        <line x1={expectedX} x2={expectedX} y1={0} y2={heightPx} stroke="var(--text)" strokeWidth={2} />
      )}
    </Picture>
  );
}
