export interface ViewTransform {
  readonly x: number;
  readonly y: number;
  readonly k: number;
}

interface Size {
  readonly width: number;
  readonly height: number;
}

/** Below this nobody can read names. */
const readableScale = 0.62;
const largestScale = 1.15;

/** The whole picture, in the middle. */
export function fitAll(picture: Size, frame: Size): ViewTransform {
  return placeAt(picture, frame, scaleToFit(picture, frame));
}

/** What a reader sees first: the whole picture where it can be read; else its whole width, or at least its beginning, large enough to read. */
export function fitReadable(picture: Size, frame: Size): ViewTransform {
  const toWidth = Math.min(1, frame.width / Math.max(1, picture.width));
  return placeAt(picture, frame, Math.max(readableScale, toWidth, scaleToFit(picture, frame)));
}

/** The same scale, moved as little as needed to have the box inside the frame. */
export function fitBox(
  box: Size & { readonly x: number; readonly y: number },
  frame: Size,
  { x, y, k }: ViewTransform,
): ViewTransform {
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
