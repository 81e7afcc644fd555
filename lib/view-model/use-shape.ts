import type { NodeMark } from '../api/node-mark';

export type NodeUse = NodeMark['use'];

/** What a resolved config makes of a part, as a shape and a word: greying is never the only sign. */
export interface UseShape {
  /** SVG path data in a box of 16 x 16 with its centre at (8, 8), stroked; empty for what is used. */
  readonly path: string;
  readonly word: string;
  /** The CSS variable with its colour. */
  readonly variable: string;
}

/** A circle, struck through. */
export const struckThrough = 'M8 2.75a5.25 5.25 0 1 1 0 10.5a5.25 5.25 0 0 1 0-10.5ZM4.3 11.7L11.7 4.3';

const shapes: Readonly<Record<NodeUse, UseShape>> = {
  used: { path: '', word: 'used', variable: '--text-muted' },
  ignored: {
    path: struckThrough,
    word: 'ignored',
    variable: '--status-timeout',
  },
  // A link that is torn.
  dangling: {
    path: 'M1.5 8H6M10 8H14.5M6 4.5V11.5M10 4.5V11.5',
    word: 'dangling',
    variable: '--status-missing',
  },
  // A dash.
  unused: { path: 'M3.5 8H12.5', word: 'not used', variable: '--text-muted' },
};

export function shapeOfUse(use: NodeUse): UseShape {
  return shapes[use];
}
