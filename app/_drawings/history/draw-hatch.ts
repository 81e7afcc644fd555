const tilePx = 6;

/** Strokes from the lower left to the upper right: something is missing here. The colour alone where it cannot be made. */
export function drawHatch(colour: string, pixelRatio: number): CanvasPattern | string {
  const tile = document.createElement('canvas');
  tile.width = Math.round(tilePx * pixelRatio);
  tile.height = tile.width;
  const context = tile.getContext('2d');
  if (context === null) return colour;
  context.scale(pixelRatio, pixelRatio);
  context.strokeStyle = colour;
  context.lineWidth = 1.25;
  for (const shift of [-tilePx, 0, tilePx]) {
    context.beginPath();
    context.moveTo(shift, tilePx);
    context.lineTo(shift + tilePx, 0);
    context.stroke();
  }
  const pattern = context.createPattern(tile, 'repeat');
  pattern?.setTransform(new DOMMatrix().scale(1 / pixelRatio));
  return pattern ?? colour;
}
