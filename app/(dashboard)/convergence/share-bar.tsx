import type { ConvergencePush } from '@/lib/api/convergence';
import { formatCount } from '@/lib/format/count';
import { StatusMark } from '../../_components/status-mark';

/** Accepted of all that are counted, as a bar and in numbers; NACKs are reported by shape and word. */
export function ShareBar({ spread }: { readonly spread: ConvergencePush['spread'] }) {
  const { accepted, total, counts } = spread;
  const part = total === 0 ? 0 : (accepted / total) * 100;
  const rejected = total === 0 ? 0 : (counts.rejected / total) * 100;
  return (
    <div className="flex min-w-0 items-center gap-2 tabular-nums">
      <span
        aria-hidden="true"
        className="flex h-2 min-w-10 flex-1 overflow-hidden rounded-full border border-line-strong bg-sunken"
      >
        <span className="bg-acked" style={{ width: `${part}%` }} />
        <span className="bg-nacked" style={{ width: `${rejected}%` }} />
      </span>
      <span className="whitespace-nowrap">
        {formatCount(accepted)} of {formatCount(total)}
      </span>
      {counts.rejected > 0 && (
        <StatusMark status="NACKED" word={String(counts.rejected)} sizePx={10} className="text-[0.8571rem]" />
      )}
    </div>
  );
}
