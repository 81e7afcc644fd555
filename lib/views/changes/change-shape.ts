import type { ChangeKind } from '../../diff/change-kind';
import type { DiffItemKind } from '../../diff/diff-item-kind';
import type { DiffLineKind } from '../../diff/diff-lines';
import { plus, questionMark, type Shape, strokedShape } from '../drawing/shape';

const wave = 'M2 9.5C4 4.5 6.5 4.5 8 8S12 11.5 14 6.5';
const crossingArrows = 'M2.5 5.5H12M9.5 3L12.5 5.5M13.5 10.5H4M6.5 13L3.5 10.5';
const swappingArrows = 'M5 13V3M2.5 5.5L5 3L7.5 5.5M11 3V13M8.5 10.5L11 13L13.5 10.5';
const tildeOverLine = 'M2.5 6.5C4.5 4 6.5 4 8 6.5S11.5 9 13.5 6.5M2.5 12H13.5';
const ring = 'M8 2.5a5.5 5.5 0 1 1 0 11a5.5 5.5 0 0 1 0-11Z';

/** The differences between two sides, neither of which is the earlier one, by the kinds of changes from A to B. */
const sideKinds = { added: 'only-in-b', removed: 'only-in-a', changed: 'differs' } as const;
export type SideKind = (typeof sideKinds)[keyof typeof sideKinds];
export const shownChangeKinds = ['added', 'only-in-b', 'removed', 'only-in-a', 'changed', 'differs'] as const;
export type ShownChangeKind = (typeof shownChangeKinds)[number];

type Kind = ShownChangeKind | DiffItemKind | DiffLineKind;

const shapes: Readonly<Record<Kind, Shape>> = {
  added: strokedShape(plus, 'added', '--status-acked'),
  removed: strokedShape('M2.5 8H13.5', 'removed', '--status-does-not-exist'),
  changed: strokedShape(wave, 'changed', '--status-requested'),
  'only-in-b': strokedShape(plus, 'only in B', '--status-acked'),
  'only-in-a': strokedShape('M2.5 8H13.5', 'only in A', '--status-does-not-exist'),
  differs: strokedShape(wave, 'differs', '--status-requested'),
  moved: strokedShape(crossingArrows, 'moved', '--status-requested'),
  order: strokedShape(swappingArrows, 'only order differs', '--text-muted'),
  notation: strokedShape(tildeOverLine, 'only notation differs', '--text-muted'),
  status: strokedShape(ring, 'status differs', '--status-timeout'),
  version: strokedShape('M3 8.5L6.5 12L13 4.5', 'only version differs', '--text-muted'),
  unread: strokedShape(questionMark, 'body not stored', '--status-timeout'),
};

/** Returns the shape of a change between two moments, of a resource or of one line of it. */
export function changeShape(kind: Kind): Shape {
  return shapes[kind];
}

export function sideKindOf(kind: ChangeKind): SideKind {
  return sideKinds[kind];
}

/** Returns the shape of a difference between two sides. */
export function sideShape(kind: DiffItemKind | DiffLineKind): Shape {
  return shapes[kind === 'added' || kind === 'removed' || kind === 'changed' ? sideKinds[kind] : kind];
}
