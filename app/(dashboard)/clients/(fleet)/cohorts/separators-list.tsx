import Link from 'next/link';
import type { SeparatorRow } from '@/lib/api/fleet';
import { describeSeparator, separatorFilter } from '@/lib/view-model/fleet/separator';

/** What the odd ones share, the least accidental first. */
export function SeparatorsList({ separators }: { readonly separators: readonly SeparatorRow[] }) {
  if (separators.length === 0) {
    return <p className="text-muted">Nothing that their nodes report distinguishes them from the others.</p>;
  }
  return (
    <ul className="flex flex-col gap-1">
      {separators.map((separator) => (
        <li key={separatorFilter(separator)} className="flex min-w-0 flex-wrap gap-x-2">
          <Link
            href={`/clients?q=${encodeURIComponent(separatorFilter(separator))}`}
            className="min-w-0 break-words text-accent underline-offset-2 hover:underline"
          >
            {describeSeparator(separator)}
          </Link>
          {separator.isWeak && (
            <span
              className="text-muted"
              title={`Drawn by lot, so many would have it in ${(separator.chance * 100).toPrecision(2)} % of all cases (Fisher's exact test)`}
            >
              may be an accident
            </span>
          )}
        </li>
      ))}
    </ul>
  );
}
