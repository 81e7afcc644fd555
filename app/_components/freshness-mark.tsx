'use client';

import type { ClientSummary } from '@/lib/api/schema';
import { useConnection } from '../_hooks/use-live-stream';
import { Icon } from './icon';

/** Is the word on this client of now? Live is quiet, stale and gone say why on hover. */
export function FreshnessMark({ client }: { readonly client: Pick<ClientSummary, 'freshness' | 'reason'> }) {
  const { freshness, reason } = client;
  const isCut = useConnection().kind === 'disconnected';
  if (freshness === 'live') {
    return isCut ? (
      <span className="whitespace-nowrap text-timeout" title="The page is not connected to xdscope">
        was live
      </span>
    ) : (
      <span className="text-muted">live</span>
    );
  }
  return (
    <span
      className={`inline-flex items-center gap-1 whitespace-nowrap ${freshness === 'stale' ? 'text-timeout' : 'text-muted'}`}
      title={reason}
    >
      <Icon name={freshness === 'stale' ? 'warning' : 'close'} sizePx={12} />
      {freshness}
    </span>
  );
}
