import type { Source } from '@/lib/api/schema';
import { Icon } from './icon';
import { StatusMark } from './status-mark';

const statuses = { up: 'HEALTHY', down: 'UNHEALTHY', connecting: 'REQUESTED' } as const;

export function SourceMark({ state }: { readonly state: Source['state'] }) {
  if (state !== 'paused') return <StatusMark status={statuses[state]} word={state} />;
  return (
    <span className="inline-flex items-center gap-1.5 text-muted">
      <Icon name="pause" sizePx={12} />
      paused
    </span>
  );
}
