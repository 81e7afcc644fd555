/** "46 %", "3.5 %", "< 0.1 %": 0..1 as somebody would say it. */
export function formatShare(share: number): string {
  const percent = share * 100;
  if (percent > 0 && percent < 0.1) return '< 0.1 %';
  const rounded = percent < 10 ? Math.round(percent * 10) / 10 : Math.round(percent);
  return `${rounded} %`;
}
