import { UseMark } from '@/app/_components/use-mark';
import type { NodeMark } from '@/lib/api/node-mark';
import type { Graph } from '@/lib/api/schema';
import { formatMiddleCut } from '@/lib/format/middle-cut';
import { formatKind } from '@/lib/view-model/topology/node-kind';

interface MarkLineProps {
  readonly node: Graph['nodes'][number];
  readonly mark: NodeMark;
}

/** What the resolved config makes of the chosen node, and why. It lies over the picture, which does not move for it. */
export function MarkLine({ node, mark }: MarkLineProps) {
  return (
    <p
      role="status"
      className="absolute inset-x-0 bottom-0 flex flex-wrap items-baseline gap-x-2 border-t border-line bg-raised px-4 py-1.5 text-[0.9286rem]"
    >
      <span className="min-w-0 break-words text-muted">
        {formatKind(node.kind)}{' '}
        <span className="font-mono text-[0.9286em] text-text" title={node.name}>
          {formatMiddleCut(node.name, 64)}
        </span>
      </span>
      <UseMark use={mark.use} />
      {mark.reason !== '' && <span className="min-w-0 break-words">{mark.reason}</span>}
    </p>
  );
}
