import Link from 'next/link';
import type { ReactNode } from 'react';
import type { Health } from '@/lib/api/schema';
import { formatBytes } from '@/lib/format/bytes';
import { formatCount, formatCounted } from '@/lib/format/count';
import type { Overview } from '@/lib/view-model/overview/build-overview';
import { NotReported } from '../../_components/bytes-text';
import { StatusMark } from '../../_components/status-mark';
import { TimeAgo } from '../../_components/time-ago';
import { troubledFilter } from '../../_hooks/query-keys';

interface OverviewTilesProps {
  readonly overview: Overview;
  readonly health: Health | undefined;
}

export function OverviewTiles({ overview, health }: OverviewTilesProps) {
  const { clients, nacked, sources, events } = overview;
  // Without clients a count would read as healthy.
  const isSeen = clients.total > 0;
  const [newest] = events;
  return (
    <ul className="grid grid-cols-2 gap-3 md:grid-cols-3 xl:grid-cols-6">
      <Tile
        href="/clients"
        label="Clients"
        value={formatCount(clients.total)}
        note={clientsNote(overview.clients)}
      />
      <Tile
        href={`/clients?q=${encodeURIComponent(troubledFilter)}`}
        label="In trouble"
        value={isSeen ? formatCount(clients.inTrouble) : <NotReported why="no clients yet" />}
        tone={clients.inTrouble > 0 ? 'text-nacked' : undefined}
        note={
          isSeen ? `of ${formatCounted(clients.total, 'client')}${qualifyCount(clients)}` : 'no clients yet'
        }
      />
      <Tile
        href={`/clients?q=${encodeURIComponent('status=NACKED fresh!=gone')}`}
        label={
          nacked.resources > 0 ? (
            <StatusMark status="NACKED" word="NACKed resources" sizePx={10} />
          ) : (
            'NACKed resources'
          )
        }
        value={isSeen ? formatCount(nacked.resources) : <NotReported why="no clients yet" />}
        tone={nacked.resources > 0 ? 'text-nacked' : undefined}
        note={nackedNote(overview)}
      />
      <Tile
        href="/sources"
        label="Sources down"
        value={formatCount(sources.down)}
        tone={sources.down > 0 ? 'text-nacked' : undefined}
        note={
          sources.total === 0 ? 'no source' : `${formatCount(sources.up)} of ${formatCount(sources.total)} up`
        }
      />
      <Tile
        href="#happened"
        label="Newest event"
        value={newest === undefined ? <NotReported why="no events yet" /> : <TimeAgo iso={newest.at} />}
        note={newest?.text ?? 'no events yet'}
      />
      <Tile
        href="/sources/recorder"
        label="Recorder"
        value={health === undefined ? <NotReported /> : formatBytes(health.recorder.sizeBytes)}
        tone={health?.recorder.state === 'stopped' ? 'text-nacked' : undefined}
        note={recorderNote(health)}
      />
    </ul>
  );
}

function clientsNote({ total, live }: Overview['clients']): string {
  if (total === 0) return 'none yet';
  return live === total ? 'all live' : `${formatCount(live)} live`;
}

function nackedNote({ clients, nacked }: Overview): string {
  if (clients.total === 0) return 'no clients yet';
  const by =
    nacked.clients === 0 ? 'no client rejects a resource' : `by ${formatCounted(nacked.clients, 'client')}`;
  return `${by}${qualifyCount(clients)}`;
}

function qualifyCount({ live }: Overview['clients']): string {
  return live === 0 ? '; as last reported' : '';
}

function recorderNote(health: Health | undefined): string {
  if (health === undefined) return 'not loaded yet';
  const { state, reason, observations } = health.recorder;
  return state === 'stopped' ? `stopped: ${reason}` : formatCounted(observations, 'observation');
}

interface TileProps {
  readonly href: string;
  readonly label: ReactNode;
  readonly value: ReactNode;
  readonly note: string;
  /** A text colour, set only for problems. */
  readonly tone?: string;
}

function Tile({ href, label, value, note, tone = '' }: TileProps) {
  return (
    <li className="min-w-0">
      <Link
        href={href}
        className="flex h-full flex-col gap-0.5 card px-4 py-3 transition hover:border-line-strong hover:bg-hover"
      >
        <span className="note">{label}</span>
        <span className={`text-[1.5714rem] leading-tight font-semibold tracking-tight ${tone}`}>{value}</span>
        <span className="truncate note" title={note}>
          {note}
        </span>
      </Link>
    </li>
  );
}
