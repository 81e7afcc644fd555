'use client';

import type { Source } from '@/lib/views/sources/schema';
import { useConnection } from '../_stream/use-live-stream';
import { Icon } from './icon';
import { StatusMark } from './status-mark';

const statuses = { up: 'HEALTHY', down: 'UNHEALTHY', connecting: 'REQUESTED' } as const;

/** The state of a source; the last known state while the page is disconnected. */
export function SourceMark({ state }: { readonly state: Source['state'] }) {
  const isCut = useConnection().kind === 'disconnected';
  if (isCut) return <StatusMark status="UNKNOWN" word={`was ${state}`} />;
  if (state !== 'paused') return <StatusMark status={statuses[state]} word={state} />;
  return (
    <span className="inline-flex items-center gap-1.5 text-muted">
      <Icon name="pause" sizePx={12} />
      paused
    </span>
  );
}
