import Link from 'next/link';
import type { HistoryEvent } from '@/lib/api/history';

const views = [
  { path: 'resolved', label: 'Resolved' },
  { path: 'graph', label: 'Graph' },
  { path: 'resources', label: 'Resources' },
] as const;

/** The client's views as of right after the event. */
export function ThenLinks({ event: { clientId, seq } }: { readonly event: HistoryEvent }) {
  if (clientId === null) return null;
  const base = `/clients/${encodeURIComponent(clientId)}`;
  return (
    <p className="flex flex-wrap items-center gap-x-3 text-[0.8571rem]">
      <span className="text-muted">What the client had in use then:</span>
      {views.map(({ path, label }) => (
        <Link
          key={path}
          prefetch={false}
          href={`${base}/${path}?${new URLSearchParams({ at: `seq:${seq}` })}`}
          className="text-accent hover:underline"
        >
          {label}
        </Link>
      ))}
      <Link
        prefetch={false}
        href={`${base}/history?${new URLSearchParams({ at: `seq:${seq}`, event: String(seq) })}`}
        className="text-accent hover:underline"
      >
        History
      </Link>
    </p>
  );
}
