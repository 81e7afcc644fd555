/**
 * How an observation is kept in the log: a row is the whole milliseconds of its `at` since the vocabulary's `baseAt`
 * (signed), and then its JSON value by value, each a varint of 8 times a number and one of these tags. Part of the
 * file's format: append only.
 */
export const rowTags = {
  /** The place of the text in the vocabulary. */
  text: 0,
  /** The number itself: whole, from 0 on. */
  whole: 1,
  /** A whole number, reported from the row's time on; signed. */
  moment: 2,
  /** A number times 1000; signed. */
  thousandths: 3,
  /** How many values follow. */
  list: 4,
  /** The place of its keys in the vocabulary; their values follow. */
  object: 5,
  /** As text, but what is in the vocabulary is the JSON of it: UTF-8 has no lone surrogates. */
  escaped: 6,
  /** One of rowConstants. */
  constant: 7,
} as const;

export const rowConstants = {
  null: 0,
  true: 1,
  false: 2,
  /** 8 bytes follow: a double, least significant first. */
  double: 3,
} as const;

/** Signed numbers as varints: small whatever the sign. */
export function zigzag(value: number): number {
  return value < 0 ? -2 * value - 1 : 2 * value;
}

export function unzigzag(value: number): number {
  return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
}
