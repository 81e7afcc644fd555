'use client';

import { formatCount, formatCounted } from '@/lib/format/count';
import type { Overview } from '@/lib/view-model/overview/build-overview';
import { StatusMark } from '../../_components/status-mark';
import { useConnection } from '../../_stream/use-live-stream';

const marks = { trouble: 'NACKED', partial: 'TIMEOUT', fine: 'ACKED', unknown: 'UNKNOWN' } as const;

export function VerdictText({ overview }: { readonly overview: Overview }) {
  const isCut = useConnection().kind === 'disconnected';
  const text = describe(overview);
  return (
    <p role="status" className="text-[1.0714rem] font-medium">
      <StatusMark
        status={marks[overview.verdict]}
        word={isCut ? `Before the connection was lost: ${text}` : text}
        sizePx={16}
        className="!whitespace-normal"
      />
    </p>
  );
}

function describe({ verdict, clients, sources, troubles }: Overview): string {
  switch (verdict) {
    case 'fine':
      if (clients.waiting > 0) {
        return `No problems found; ${formatCounted(clients.waiting, 'client')} ${clients.waiting === 1 ? 'has' : 'have'} resources that are not in use yet`;
      }
      return clients.ofFiles === clients.total
        ? `Nothing is wrong with ${formatCounted(clients.total, 'client')} of files`
        : `All ${formatCounted(clients.total, 'client')} run what they were sent`;
    case 'partial':
      return `No problems found, but coverage is partial: ${describeMissing(clients, sources)}`;
    case 'unknown':
      return clients.total === 0
        ? 'No clients connected yet'
        : `None of ${formatCounted(clients.total, 'client')} is live; the data below may be out of date`;
    case 'trouble': {
      const isStopped = troubles.some(({ kind }) => kind === 'recorder');
      const diverging = troubles.filter(({ kind }) => kind === 'divergence').length;
      const parts = [
        isStopped ? 'the recorder has stopped' : '',
        sources.down > 0 ? `${formatCounted(sources.down, 'source')} down` : '',
        diverging > 0
          ? `${formatCounted(diverging, 'server')} sending different resources over delta and state of the world`
          : '',
        clients.inTrouble > 0 ? `${formatCounted(clients.inTrouble, 'client')} in trouble` : '',
      ].filter((part) => part !== '');
      const text = parts.join(', ');
      return text.charAt(0).toUpperCase() + text.slice(1);
    }
  }
}

function describeMissing(clients: Overview['clients'], { connecting, total }: Overview['sources']): string {
  const parts = [
    connecting > 0 ? `${formatCount(connecting)} of ${formatCounted(total, 'source')} not connected yet` : '',
    clients.live + clients.ofFiles < clients.total
      ? `only ${formatCount(clients.live)} of ${formatCounted(clients.total - clients.ofFiles, 'client')} live`
      : '',
  ];
  return parts.filter((part) => part !== '').join(', and ');
}
