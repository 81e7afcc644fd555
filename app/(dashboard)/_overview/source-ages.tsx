import Link from 'next/link';
import type { Source } from '@/lib/api/schema';
import { formatCount, formatCounted } from '@/lib/format/count';
import { EmptyState } from '../../_components/empty-state';
import { NameText } from '../../_components/name-text';
import { SourceMark } from '../../_components/source-mark';
import { TimeAgo } from '../../_components/time-ago';

const shownMost = 12;
const severity: readonly Source['state'][] = ['down', 'connecting', 'paused', 'up'];

/** Sources by state, worst first. */
export function SourceAges({ sources }: { readonly sources: readonly Source[] }) {
  if (sources.length === 0) {
    return (
      <EmptyState title="No sources configured">
        <Link href="/sources" className="link">
          Add a source
        </Link>
      </EmptyState>
    );
  }
  return (
    <>
      <ul className="grid gap-x-6 py-1.5 sm:grid-cols-2">
        {[...sources]
          .sort(compareStaleness)
          .slice(0, shownMost)
          .map(({ id, label, state, lastSuccessAt, members }) => (
            <li key={id} className="flex min-w-0 items-center gap-3 px-4 py-1">
              <span className="w-20 shrink-0">
                <SourceMark state={state} />
              </span>
              <span className="min-w-0 flex-1">
                <NameText name={label} />
              </span>
              {members === undefined ? (
                <TimeAgo at={lastSuccessAt} className="note" />
              ) : (
                <span className="note">
                  {formatCount(members.up)} of {formatCounted(members.total, 'target')} up
                </span>
              )}
            </li>
          ))}
      </ul>
      {sources.length > shownMost && (
        <p className="border-t border-line px-4 py-2">
          <Link href="/sources" className="link">
            All {formatCount(sources.length)} sources
          </Link>
        </p>
      )}
    </>
  );
}

/** Connected sources are sorted by name, because their ages change every second. */
function compareStaleness(a: Source, b: Source): number {
  return (
    severity.indexOf(a.state) - severity.indexOf(b.state) ||
    (a.label < b.label ? -1 : a.label > b.label ? 1 : 0)
  );
}
