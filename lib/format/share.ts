/** "46%", "3.5%", "< 0.1%", "> 99.9%": formats 0..1. Shares other than 0 and 1 are not rounded to 0 or 100%. */
export function formatShare(share: number): string {
  const percent = share * 100;
  if (percent > 0 && percent < 0.05) return '< 0.1%';
  if (percent < 100 && percent >= 99.95) return '> 99.9%';
  const isNearEnd = percent < 10 || (percent > 99 && percent < 100);
  return `${isNearEnd ? Math.round(percent * 10) / 10 : Math.round(percent)}%`;
}

/** "12.5%": the share of a configured weight. Returns null if the sum is 0. */
export function formatWeightShare(weight: number, sum: number): string | null {
  return sum <= 0 ? null : `${Number(((weight / sum) * 100).toFixed(1))}%`;
}
