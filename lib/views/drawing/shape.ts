/** The appearance of a status, an event or a change: a shape and a word, so that color is never the only sign. */
export interface Shape {
  /** SVG path data in a box of 16 x 16 with its centre at (8, 8); empty if nothing is drawn. */
  readonly path: string;
  /** True if the path is filled. Otherwise it is stroked, with round caps and joins. */
  readonly filled: boolean;
  readonly word: string;
  /** The CSS variable of the color. */
  readonly variable: `--${string}`;
}

export function filledShape(path: string, word: string, variable: Shape['variable']): Shape {
  return { path, filled: true, word, variable };
}

export function strokedShape(path: string, word: string, variable: Shape['variable']): Shape {
  return { path, filled: false, word, variable };
}

export const cross = 'M3.5 3.5L12.5 12.5M12.5 3.5L3.5 12.5';
export const circle = 'M8 2.75a5.25 5.25 0 1 1 0 10.5a5.25 5.25 0 0 1 0-10.5Z';
export const diamond = 'M8 1.25L14.75 8L8 14.75L1.25 8Z';
export const arrowDown = 'M8 2.5V13.25M3.5 8.75L8 13.25L12.5 8.75';
/** Three dots. Each is a line without length, which round caps make visible. */
export const ellipsis = 'M2.5 8V8.01M8 8V8.01M13.5 8V8.01';
/** The question mark of the status UNKNOWN. */
export const unknownMark = 'M5 5.5a3 3 0 1 1 4.6 2.5C8.5 8.7 8 9.2 8 10.25M8 13.25V13.26';
export const checkMark = 'M2.75 8.5L6.5 12.25L13.25 4.25';
export const hourglass = 'M3.25 1.75H12.75L9 8L12.75 14.25H3.25L7 8Z';
export const questionMark = 'M5.5 6a2.5 2.5 0 1 1 3.5 2.3c-.7.3-1 .8-1 1.7M8 12.75v.01';
export const plus = 'M8 2.5V13.5M2.5 8H13.5';
/** A ring in four pieces, for what is missing. */
export const brokenRing =
  'M6.2 3.06A5.25 5.25 0 0 1 9.8 3.06M12.94 6.2A5.25 5.25 0 0 1 12.94 9.8M9.8 12.94A5.25 5.25 0 0 1 6.2 12.94M3.06 9.8A5.25 5.25 0 0 1 3.06 6.2';
export const struckThroughCircle = 'M8 2.75a5.25 5.25 0 1 1 0 10.5a5.25 5.25 0 0 1 0-10.5ZM4.3 11.7L11.7 4.3';
