import Link from 'next/link';
import type { ReactNode } from 'react';
import { NotReported } from '@/app/_components/bytes-text';
import { TimeAgo } from '@/app/_components/time-ago';
import { formatBytes } from '@/lib/format/bytes';
import { formatCount, formatCounted } from '@/lib/format/count';
import type { Health } from '@/lib/views/health/schema';
import type { Overview } from '@/lib/views/overview/build-overview';

interface OverviewTilesProps {
  readonly overview: Overview;
  readonly health: Health | undefined;
}

/** One line of figures, each with a link to its page. */
export function OverviewTiles({ overview, health }: OverviewTilesProps) {
  const { clients, nacked, sources, events } = overview;
  // If there are no clients, a count would read as healthy.
  const isSeen = clients.total > 0;
  const [newest] = events;
  const stopped = health?.recorder.state === 'stopped';
  return (
    <ul className="flex flex-wrap gap-x-6 gap-y-1">
      <Tile href="/clients" label={clients.total === 1 ? 'client' : 'clients'} note={clientsNote(clients)}>
        {formatCount(clients.total)}
      </Tile>
      <Tile
        href={`/clients?q=${encodeURIComponent('status=NACKED fresh!=gone')}`}
        label={nacked.resources === 1 ? 'NACKED resource' : 'NACKED resources'}
        note={nacked.clients > 0 ? `of ${formatCounted(nacked.clients, 'client')}` : ''}
        isBad={nacked.resources > 0}
      >
        {isSeen ? formatCount(nacked.resources) : <NotReported why="no clients yet" />}
      </Tile>
      <Tile
        href="/sources"
        label={`of ${formatCounted(sources.total, 'source')} up`}
        note={sources.down > 0 ? `${formatCount(sources.down)} down` : ''}
        isBad={sources.down > 0}
      >
        {formatCount(sources.up)}
      </Tile>
      <Tile href="#happened" label="newest event" note="">
        {newest === undefined ? <NotReported why="no events yet" /> : <TimeAgo at={newest.at} />}
      </Tile>
      <Tile
        href="/sources#recorder"
        label="recorded"
        note={stopped ? `stopped: ${health.recorder.reason}` : ''}
        isBad={stopped}
      >
        {health === undefined ? <NotReported /> : formatBytes(health.recorder.sizeBytes)}
      </Tile>
    </ul>
  );
}

function clientsNote({ total, live, ofFiles }: Overview['clients']): string {
  if (total === 0) return '';
  const stale = total - live - ofFiles;
  return stale > 0 ? `${formatCount(stale)} not live` : ofFiles === total ? 'of files' : 'all live';
}

interface TileProps {
  readonly href: string;
  readonly label: string;
  readonly note: string;
  readonly isBad?: boolean;
  readonly children: ReactNode;
}

function Tile({ href, label, note, isBad = false, children }: TileProps) {
  return (
    <li className="min-w-0">
      <Link href={href} className="inline-flex min-h-6 flex-wrap items-baseline gap-x-1.5 hover:underline">
        <span className={`font-semibold tabular-nums ${isBad ? 'text-nacked' : ''}`}>{children}</span>
        <span>{label}</span>
        {note !== '' && <span className="note">{note}</span>}
      </Link>
    </li>
  );
}
