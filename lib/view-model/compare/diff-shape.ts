import type { DiffItemKind } from '../../diff/diff-item-kind';
import type { DiffLineKind } from '../../diff/diff-lines';
import { type ChangeShape, changeShape } from '../changes/change-shape';

const others = {
  // Two arrows past each other, a tilde over a line, a ring, a tick, a question mark.
  moved: {
    path: 'M2.5 5.5H12M9.5 3L12.5 5.5M13.5 10.5H4M6.5 13L3.5 10.5',
    word: 'moved',
    variable: '--status-requested',
  },
  order: {
    path: 'M5 13V3M2.5 5.5L5 3L7.5 5.5M11 3V13M8.5 10.5L11 13L13.5 10.5',
    word: 'same but for order',
    variable: '--text-muted',
  },
  notation: {
    path: 'M2.5 6.5C4.5 4 6.5 4 8 6.5S11.5 9 13.5 6.5M2.5 12H13.5',
    word: 'same, written otherwise',
    variable: '--text-muted',
  },
  status: {
    path: 'M8 2.5a5.5 5.5 0 1 1 0 11a5.5 5.5 0 0 1 0-11Z',
    word: 'other status',
    variable: '--status-timeout',
  },
  version: { path: 'M3 8.5L6.5 12L13 4.5', word: 'version alone', variable: '--text-muted' },
  unread: {
    path: 'M5.5 6a2.5 2.5 0 1 1 3.5 2.3c-.7.3-1 .8-1 1.7M8 12.75v.01',
    word: 'body not stored',
    variable: '--status-timeout',
  },
} as const satisfies Record<string, ChangeShape>;

/** What a resource, or a line of one, is in a comparison, as shape, word and colour. */
export function diffShape(kind: DiffItemKind | DiffLineKind): ChangeShape {
  return kind === 'added' || kind === 'removed' || kind === 'changed' ? changeShape(kind) : others[kind];
}
