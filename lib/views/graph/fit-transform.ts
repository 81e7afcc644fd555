export interface ViewTransform {
  readonly x: number;
  readonly y: number;
  readonly k: number;
}

/** "120,-40,0.92". */
export function formatTransform({ x, y, k }: ViewTransform): string {
  return [Math.round(x), Math.round(y), Number(k.toFixed(4))].join(',');
}

/** null: no valid transform. */
export function parseTransform(text: string): ViewTransform | null {
  const [, x, y, k] = /^(-?\d{1,7}),(-?\d{1,7}),(\d(?:\.\d{1,4})?)$/.exec(text) ?? [];
  const scale = Number(k);
  return k === undefined || scale < scales[0] || scale > scales[1]
    ? null
    : { x: Number(x), y: Number(y), k: scale };
}

interface Size {
  readonly width: number;
  readonly height: number;
}

interface Box extends Size {
  readonly x: number;
  readonly y: number;
}

/** The smallest and the largest scale. */
export const scales: readonly [number, number] = [0.04, 4];
/** At this scale names of 12 px are 11 px high on the screen. */
const comfortableScale = 0.92;
/** The smallest scale at which the whole picture is shown rather than larger letters. */
const wholeScale = 0.86;
const wholeWidthScale = 0.78;
const largestScale = 1.15;
const narrowPx = 480;
/** The distance from the frame's top to the first box, with the columns' headings in between. */
const besideHeadsPx = 64;

export function fitAll(picture: Size, frame: Size): ViewTransform {
  return placeAt(picture, frame, scaleToFit(picture, frame));
}

/**
 * The initial transform: the whole picture if it is readable; else its whole width, or at least its left side, at a
 * readable scale. The box `start`, at which the config begins, is visible; in a narrow frame it is at the top.
 */
export function fitReadable(picture: Size, frame: Size, start: Box | undefined): ViewTransform {
  const whole = scaleToFit(picture, frame);
  if (whole >= wholeScale) return placeAt(picture, frame, whole);
  const toWidth = Math.min(1, frame.width / Math.max(1, picture.width));
  const placed = placeAt(picture, frame, toWidth >= wholeWidthScale ? toWidth : comfortableScale);
  if (start === undefined) return placed;
  // On a phone only the upper part of the frame is visible.
  if (frame.width < narrowPx) return { ...placed, y: Math.min(placed.y, besideHeadsPx - start.y * placed.k) };
  const beyond = picture.height * placed.k - frame.height;
  if (beyond <= 0) return placed;
  const middle = (start.y + start.height / 2) * placed.k;
  const isVisible = (start.y + start.height) * placed.k < frame.height;
  return isVisible ? placed : { ...placed, y: -Math.min(beyond, middle - frame.height / 2) };
}

/** Keeps the scale, and moves as little as needed to have the box inside the frame, below the columns' headings. */
export function fitBox(box: Box, frame: Size, { x, y, k }: ViewTransform): ViewTransform {
  return {
    x: x + shift(box.x * k + x, box.width * k, frame.width),
    y: y + shift(box.y * k + y, box.height * k, frame.height, besideHeadsPx * k),
    k,
  };
}

const margin = 24;

function scaleToFit(picture: Size, frame: Size): number {
  if (picture.width <= 0 || picture.height <= 0 || frame.width <= 0 || frame.height <= 0) return 1;
  return Math.min(largestScale, frame.width / picture.width, frame.height / picture.height);
}

/** Centres the picture, or aligns it at the upper left corner if there is no room. */
function placeAt(picture: Size, frame: Size, k: number): ViewTransform {
  return {
    x: Math.max(0, (frame.width - picture.width * k) / 2),
    y: Math.max(0, (frame.height - picture.height * k) / 2),
    k,
  };
}

function shift(start: number, length: number, room: number, before = margin): number {
  if (start < before) return before - start;
  const beyond = start + length - (room - margin);
  return beyond > 0 ? -Math.min(beyond, start - before) : 0;
}
