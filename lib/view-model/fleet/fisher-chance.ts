import type { Steps } from '../../steps/steps';

/** Returns the logarithms of the factorials of 0 to `most`. */
export function* logFactorials(most: number): Steps<Float64Array> {
  const logs = new Float64Array(most + 1);
  for (let n = 2; n <= most; n++) {
    logs[n] = (logs[n - 1] ?? 0) + Math.log(n);
    if (n % 4096 === 0) yield;
  }
  return logs;
}

export interface Counts {
  readonly inside: number;
  readonly insideOf: number;
  readonly outside: number;
  readonly outsideOf: number;
}

/** Fisher's exact test, one-sided: the chance that at least `inside` of the odd clients have the value. */
export function chanceOf({ inside, insideOf, outside, outsideOf }: Counts, logs: Float64Array): number {
  const all = insideOf + outsideOf;
  const having = inside + outside;
  const choose = (n: number, k: number): number => (logs[n] ?? 0) - (logs[k] ?? 0) - (logs[n - k] ?? 0);
  const total = choose(all, insideOf);
  let chance = 0;
  for (let k = inside; k <= Math.min(insideOf, having); k++) {
    if (insideOf - k > all - having) continue;
    chance += Math.exp(choose(having, k) + choose(all - having, insideOf - k) - total);
  }
  return Math.min(1, chance);
}
