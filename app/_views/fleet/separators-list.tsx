import Link from 'next/link';
import type { SeparatorRow } from '@/lib/views/fleet/schema';
import { describeSeparator, separatorFilter } from '@/lib/views/fleet/separator';

/** Node attributes that distinguish the minority, most significant first. */
export function SeparatorsList({ separators }: { readonly separators: readonly SeparatorRow[] }) {
  if (separators.length === 0) {
    return <p className="text-muted">No node attribute distinguishes them significantly from the others.</p>;
  }
  return (
    <ul className="flex flex-col gap-1">
      {separators.map((separator) => (
        <li key={separatorFilter(separator)} className="flex min-w-0 flex-wrap gap-x-2">
          <Link
            href={`/clients?q=${encodeURIComponent(separatorFilter(separator))}`}
            className="min-w-0 break-words link-quiet"
            title={`p = ${separator.chance.toPrecision(2)} (Fisher’s exact test)`}
          >
            {describeSeparator(separator)}
          </Link>
        </li>
      ))}
    </ul>
  );
}
