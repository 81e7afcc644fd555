import Link from 'next/link';
import type { HistoryEvent } from '@/lib/api/history';

const views = [
  { path: 'resolved', label: 'Resolved' },
  { path: 'graph', label: 'Graph' },
  { path: 'resources', label: 'Resources' },
] as const;

/** The client's views as of the event's moment, by its time: what the log got before it may have been observed later. */
export function ThenLinks({ event: { clientId, seq, at } }: { readonly event: HistoryEvent }) {
  if (clientId === null) return null;
  const base = `/clients/${encodeURIComponent(clientId)}`;
  return (
    <p className="flex flex-wrap items-center gap-x-3 text-[0.8571rem]">
      <span className="text-muted">What the client had in use then:</span>
      {views.map(({ path, label }) => (
        <Link
          key={path}
          prefetch={false}
          href={`${base}/${path}?${new URLSearchParams({ at })}`}
          className="text-accent hover:underline"
        >
          {label}
        </Link>
      ))}
      <Link
        prefetch={false}
        href={`${base}/history?${new URLSearchParams({ at, event: String(seq) })}`}
        className="text-accent hover:underline"
      >
        History
      </Link>
    </p>
  );
}
