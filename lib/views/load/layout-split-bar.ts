import type { LoadSplit } from './schema';

/** The layout in CSS pixels. The width is 100%. */
export interface SplitBarLayout {
  readonly widthPx: number;
  readonly heightPx: number;
  readonly bar: { readonly width: number; readonly isOdd: boolean } | null;
  readonly band: { readonly x: number; readonly width: number } | null;
  readonly expectedX: number | null;
}

export function layoutSplitBar(
  { expected, share, chance, verdict }: LoadSplit['lines'][number],
  { widthPx, heightPx }: { readonly widthPx: number; readonly heightPx: number },
): SplitBarLayout {
  const x = (part: number): number => Math.round(part * widthPx * 10) / 10;
  return {
    ...{ widthPx, heightPx },
    bar: share === undefined ? null : { width: x(share), isOdd: verdict === 'more' || verdict === 'less' },
    band: chance === undefined ? null : { x: x(chance.from), width: Math.max(1, x(chance.to - chance.from)) },
    // A line at the edge would be half hidden.
    expectedX: expected === undefined ? null : Math.min(widthPx - 1, Math.max(1, x(expected))),
  };
}
