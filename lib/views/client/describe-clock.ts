import { formatSpan } from '../../format/duration';

/** "clock 2 s to 2.4 s ahead"; empty if it may be equal to that of xdscope, or is not known. */
export function describeClock(skew: { readonly fromMs: number; readonly toMs: number } | undefined): string {
  if (skew === undefined || (skew.fromMs <= 0 && skew.toMs >= 0)) return '';
  if (skew.fromMs > 0) return `clock ${formatSpan(skew)} ahead`;
  return `clock ${formatSpan({ fromMs: -skew.toMs, toMs: -skew.fromMs })} behind`;
}
