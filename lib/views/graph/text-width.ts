/** Advance widths of Inter in em, with tabular digits; rounded up. Other characters count as wide ones. */
const groups: readonly (readonly [chars: string, em: number])[] = [
  ["ijlI'|", 0.28],
  [' .,:;!·', 0.3],
  ['ftr()[]/', 0.39],
  ['-_*"', 0.48],
  ['cksvxyzJ', 0.57],
  ['abdeghnopqu0123456789EFLT?', 0.63],
  ['ABCDGHKNOPQRSUVXYZ=+<>~', 0.77],
  ['mwMW%@…', 0.99],
];
const widths = new Map(groups.flatMap(([chars, em]) => [...chars].map((char) => [char, em] as const)));
const widest = 1;

/** The width of a text in Inter, in CSS pixels. */
export function textWidth(text: string, fontPx: number): number {
  let em = 0;
  for (const char of text) em += widths.get(char) ?? widest;
  return em * fontPx;
}

/** The number of UTF-16 code units at the beginning of the text that have room. */
export function countFitting(text: string, fontPx: number, roomPx: number): number {
  let px = 0;
  let count = 0;
  for (const char of text) {
    px += (widths.get(char) ?? widest) * fontPx;
    if (px > roomPx) break;
    count += char.length;
  }
  return count;
}
