'use client';

import { isImportedClient } from '@/lib/views/client/is-imported-client';
import type { ClientSummary } from '@/lib/views/client/schema';
import { useConnection } from '../_stream/use-live-stream';
import { Icon } from './icon';

interface FreshnessMarkProps {
  readonly client: Pick<ClientSummary, 'freshness' | 'reason' | 'reports'>;
}

/** The freshness of a client; the tooltip states the reason. */
export function FreshnessMark({ client }: FreshnessMarkProps) {
  const { freshness, reason } = client;
  const isCut = useConnection().kind === 'disconnected';
  if (isImportedClient(client)) {
    return (
      <span className="text-muted" title={reason}>
        file
      </span>
    );
  }
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
