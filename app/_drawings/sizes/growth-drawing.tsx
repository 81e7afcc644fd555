import type { GrowthLayout } from '@/lib/views/sizes/layout-growth';
import { Picture } from '../picture';
import { ValueLines } from '../value-lines';

interface GrowthDrawingProps {
  readonly layout: GrowthLayout;
  readonly label: string;
  readonly formatTick: (at: number) => string;
}

export function GrowthDrawing({ layout, label, formatTick }: GrowthDrawingProps) {
  const { heightPx, plot, bands, xTicks, yTicks } = layout;
  return (
    <>
      <Picture size={layout} label={label} fill="var(--text-muted)">
        <ValueLines plot={plot} ticks={yTicks} />
        {bands.map(({ service, path, text }, index) => (
          <path key={service} d={path} fill={shadeOf(index)} stroke="var(--accent)" strokeWidth={0.5}>
            <title>{text}</title>
          </path>
        ))}
        {xTicks.map(({ x, at }) => (
          <text key={at} x={x} y={heightPx - 6} textAnchor="middle">
            {formatTick(at)}
          </text>
        ))}
      </Picture>
      <ul className="flex flex-wrap gap-x-4 note">
        {bands.map(({ service, text }, index) => (
          <li key={service} className="inline-flex items-center gap-1.5">
            <span
              aria-hidden="true"
              className="inline-block size-2.5 rounded-sm border border-accent"
              style={{ background: shadeOf(index) }}
            />
            {text}
          </li>
        ))}
      </ul>
    </>
  );
}

function shadeOf(index: number): string {
  return `color-mix(in oklab, var(--accent) ${12 + 16 * (index % 6)}%, var(--surface-raised))`;
}
