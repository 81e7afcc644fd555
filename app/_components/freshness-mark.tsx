import type { ClientSummary } from '@/lib/api/schema';
import { Icon } from './icon';

/** Is the word on this client of now? Live is quiet, stale and gone say why on hover. */
export function FreshnessMark({ client }: { readonly client: Pick<ClientSummary, 'freshness' | 'reason'> }) {
  const { freshness, reason } = client;
  if (freshness === 'live') return <span className="text-muted">live</span>;
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
