import type { ChangeKind } from '../../diff/change-kind';

/** What became of something between two moments, as shape, word and colour. */
export interface ChangeShape {
  /** SVG path data in a box of 16 x 16 with its centre at (8, 8), stroked. */
  readonly path: string;
  readonly word: string;
  /** The CSS variable with its colour. */
  readonly variable: string;
}

const shapes: Readonly<Record<ChangeKind, ChangeShape>> = {
  // A plus, a minus, and a wave.
  added: { path: 'M8 2.5V13.5M2.5 8H13.5', word: 'added', variable: '--status-acked' },
  removed: { path: 'M2.5 8H13.5', word: 'removed', variable: '--status-does-not-exist' },
  changed: {
    path: 'M2 9.5C4 4.5 6.5 4.5 8 8S12 11.5 14 6.5',
    word: 'changed',
    variable: '--status-requested',
  },
};

export function changeShape(kind: ChangeKind): ChangeShape {
  return shapes[kind];
}
