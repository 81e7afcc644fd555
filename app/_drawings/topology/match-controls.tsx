import { Button } from '@/app/_components/button';
import { formatCount, formatCounted } from '@/lib/format/count';
import type { Found } from './use-matches';

interface MatchControlsProps {
  /** undefined: not counted yet. */
  readonly found: Found | undefined;
  readonly selected: string | null;
  readonly onWalk: (step: 1 | -1) => void;
  /** undefined: nothing can be hidden. */
  readonly onHide: (() => void) | undefined;
}

/** "3 of 102", with buttons for the previous and the next match, and for hiding all. */
export function MatchControls({ found, selected, onWalk, onHide }: MatchControlsProps) {
  const isNone = found === undefined || found.total === 0;
  return (
    <div className="mr-auto flex items-center gap-0.5">
      <p role="status" className="mx-1.5 note whitespace-nowrap tabular-nums">
        {formatPosition(found, selected)}
      </p>
      <Button
        tone="quiet"
        icon="chevron-up"
        label="Previous match (Shift+Enter)"
        onPress={() => onWalk(-1)}
        isDisabled={isNone}
      >
        {null}
      </Button>
      <Button
        tone="quiet"
        icon="chevron-down"
        label="Next match (Enter)"
        onPress={() => onWalk(1)}
        isDisabled={isNone}
      >
        {null}
      </Button>
      {onHide !== undefined && (
        <Button tone="quiet" onPress={onHide} isDisabled={isNone}>
          Hide
        </Button>
      )}
    </div>
  );
}

function formatPosition(found: Found | undefined, selected: string | null): string {
  if (found === undefined) return 'searching';
  if (found.total === 0) return 'no match';
  const at = found.ids.indexOf(selected ?? '');
  if (at < 0) return formatCounted(found.total, 'match', 'matches');
  return `${formatCount(found.first + at + 1)} of ${formatCount(found.total)}`;
}
