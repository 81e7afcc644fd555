import { formatCount } from '../../format/count';
import type { LoadMeasure } from '../../load/load-question';

/** "12.3 /s", "4.5%", "7". */
export function formatLoadValue(measure: LoadMeasure, value: number): string {
  switch (measure) {
    case 'requests':
    case 'errors':
    case 'drops':
      return `${formatNumber(value)} /s`;
    case 'error-ratio':
      return formatRatio(value);
    case 'in-flight':
    case 'metric':
      return formatNumber(value);
  }
}

/** Ratios above 0 are not rounded to 0. */
function formatRatio(value: number): string {
  if (value > 0 && value < 0.001) return '< 0.1%';
  return `${(value * 100).toFixed(1).replace('.0', '')}%`;
}

/** Formats at least three digits. */
function formatNumber(value: number): string {
  const size = Math.abs(value);
  if (Number.isInteger(value) || size >= 100) return formatCount(Math.round(value));
  if (size >= 10) return value.toFixed(1);
  return size >= 0.01 ? value.toFixed(2) : value.toPrecision(2);
}
