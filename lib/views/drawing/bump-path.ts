/** The SVG path through the points: curves that begin and end horizontally, as d3's curveBumpX draws them. */
export function bumpPath(points: readonly (readonly [x: number, y: number])[]): string {
  let path = '';
  let before: readonly [number, number] | undefined;
  for (const point of points) {
    const [x, y] = point;
    if (before === undefined) path += `M${round(x)},${round(y)}`;
    else {
      const middle = round((before[0] + x) / 2);
      path += `C${middle},${round(before[1])},${middle},${round(y)},${round(x)},${round(y)}`;
    }
    before = point;
  }
  return path;
}

function round(value: number): number {
  return Math.round(value * 1_000) / 1_000;
}
