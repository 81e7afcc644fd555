export interface ViewTransform {
  readonly x: number;
  readonly y: number;
  readonly k: number;
}

interface Size {
  readonly width: number;
  readonly height: number;
}

interface Box extends Size {
  readonly x: number;
  readonly y: number;
}

/** Names of 12 px are 11 px on the screen. */
const comfortableScale = 0.92;
/** A picture that is whole at this scale is worth more than larger letters. */
const wholeScale = 0.86;
/** The same for its whole width. */
const wholeWidthScale = 0.78;
const largestScale = 1.15;
const narrowPx = 480;
/** From the frame's top to the first box, with the columns' heads between. */
const besideHeadsPx = 64;

/** The whole picture, in the middle. */
export function fitAll(picture: Size, frame: Size): ViewTransform {
  return placeAt(picture, frame, scaleToFit(picture, frame));
}

/**
 * What a reader sees first: the whole picture where it can be read; else its whole width, or at least its left side,
 * large enough to read. Where the config begins, at `start`, is in sight; of a narrow frame at its top.
 */
export function fitReadable(picture: Size, frame: Size, start: Box | undefined): ViewTransform {
  const whole = scaleToFit(picture, frame);
  if (whole >= wholeScale) return placeAt(picture, frame, whole);
  const toWidth = Math.min(1, frame.width / Math.max(1, picture.width));
  const placed = placeAt(picture, frame, toWidth >= wholeWidthScale ? toWidth : comfortableScale);
  if (start === undefined) return placed;
  // Of a phone's frame only the upper part is in sight: what is above it on the page takes the rest.
  if (frame.width < narrowPx) return { ...placed, y: Math.min(placed.y, besideHeadsPx - start.y * placed.k) };
  const beyond = picture.height * placed.k - frame.height;
  if (beyond <= 0) return placed;
  const middle = (start.y + start.height / 2) * placed.k;
  const isInSight = (start.y + start.height) * placed.k < frame.height;
  return isInSight ? placed : { ...placed, y: -Math.min(beyond, middle - frame.height / 2) };
}

/** The same scale, moved as little as needed to have the box inside the frame. */
export function fitBox(box: Box, frame: Size, { x, y, k }: ViewTransform): ViewTransform {
  return {
    x: x + shift(box.x * k + x, box.width * k, frame.width),
    y: y + shift(box.y * k + y, box.height * k, frame.height),
    k,
  };
}

function scaleToFit(picture: Size, frame: Size): number {
  if (picture.width <= 0 || picture.height <= 0 || frame.width <= 0 || frame.height <= 0) return 1;
  return Math.min(largestScale, frame.width / picture.width, frame.height / picture.height);
}

/** In the middle where there is room; from the left upper corner where there is none. */
function placeAt(picture: Size, frame: Size, k: number): ViewTransform {
  return {
    x: Math.max(0, (frame.width - picture.width * k) / 2),
    y: Math.max(0, (frame.height - picture.height * k) / 2),
    k,
  };
}

function shift(start: number, length: number, room: number): number {
  const margin = 24;
  if (start < margin) return margin - start;
  const beyond = start + length - (room - margin);
  return beyond > 0 ? -Math.min(beyond, start - margin) : 0;
}
