/**
 * Format of a row: the milliseconds of the observation's `at` since the vocabulary's `baseAt`
 * (zigzag), then the values of its JSON, each as a varint of 8 * number + tag. The tag states the meaning of the
 * number.
 */
export const rowTags = {
  /** Position in the texts of the vocabulary. */
  text: 0,
  /** An integer that is not negative. */
  whole: 1,
  /** An integer as the difference from the row's time (zigzag). */
  moment: 2,
  /** A number times 1000 (zigzag). */
  thousandths: 3,
  /** Number of values that follow. */
  list: 4,
  /** Position in the shapes of the vocabulary; the values of its keys follow. */
  object: 5,
  /** Position in the texts of the vocabulary, where the text is JSON-encoded because it contains lone surrogates. */
  escaped: 6,
  /** One of rowConstants. */
  constant: 7,
} as const;

export const rowConstants = {
  null: 0,
  true: 1,
  false: 2,
  /** A double of 8 bytes follows, little-endian. */
  double: 3,
} as const;

/** Integers near 0 are short varints. */
export function unzigzag(value: number): number {
  return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
}
