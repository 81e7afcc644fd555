interface StrokeShapeProps {
  /** SVG path data in a box of 16 x 16. */
  readonly path: string;
  readonly strokeWidth?: number;
}

export function StrokeShape({ path, strokeWidth = 1.75 }: StrokeShapeProps) {
  return (
    <svg
      viewBox="0 0 16 16"
      width={12}
      height={12}
      fill="none"
      stroke="currentColor"
      strokeWidth={strokeWidth}
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
      className="shrink-0"
    >
      <path d={path} />
    </svg>
  );
}
