import type { GraphNodeStatus } from '@/lib/views/drawing/node-status';
import { statusShape } from '@/lib/views/drawing/status-shape';
import type { State } from '@/lib/xds/status';
import { NotReported } from './bytes-text';
import { GlyphMark } from './shape-mark';

/** The state of a resource; absent for a document that a process reports about itself. */
export function StateMark({ state }: { readonly state?: State | null | undefined }) {
  return state == null ? (
    <NotReported why="a document that the process reports about itself; only resources have a state" />
  ) : (
    <StatusMark status={state} />
  );
}

interface StatusMarkProps {
  readonly status: GraphNodeStatus;
  /** Replaces the word of the status; `false` hides it visually. */
  readonly word?: string | false;
  readonly sizePx?: number;
  readonly className?: string;
}

export function StatusMark({ status, ...props }: StatusMarkProps) {
  return <GlyphMark shape={statusShape(status)} {...props} />;
}
