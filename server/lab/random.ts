/** Returns uniform numbers in [0, 1); the same seed yields the same sequence (mulberry32). */
export type Random = () => number;

export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Returns undefined only if there are no choices. */
export function pickOne<T>(random: Random, choices: readonly T[]): T | undefined {
  return choices[Math.floor(random() * choices.length)];
}
