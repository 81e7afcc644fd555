import type { PropagationRow } from '@/lib/views/propagation/schema';
import { TimeAgo } from '../time-ago';

interface MismatchTextProps {
  readonly mismatch: NonNullable<PropagationRow['firstMismatch']>;
  readonly className?: string;
}

/** What differs. A change that is newer than two polls may just not be reported by every source. */
export function MismatchText({ mismatch, className = '' }: MismatchTextProps) {
  const { text, since, isBehind, isOfOtherNode } = mismatch;
  if (isOfOtherNode) return <span className={`text-muted ${className}`}>{text}</span>;
  if (!isBehind) return <span className={`text-nacked ${className}`}>{text}</span>;
  return (
    <span className={`text-muted ${className}`} title={text}>
      Changed <TimeAgo at={since} />; not yet reported by every source
    </span>
  );
}
