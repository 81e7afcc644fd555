'use client';

import { StaleBanner } from '@/app/_components/stale-banner';
import { TimeAgo } from '@/app/_components/time-ago';
import type { ClientDetail } from '@/lib/views/client/schema';

interface StalenessBannerProps {
  readonly client: ClientDetail;
  /** The error because of which the client could not be reloaded; null: its source does not report it now. */
  readonly error: Error | null;
}

export function StalenessBanner({ client, error }: StalenessBannerProps) {
  if (error !== null) {
    return (
      <StaleBanner>
        <strong className="font-semibold">Couldn’t reload the client:</strong> {error.message}
      </StaleBanner>
    );
  }
  return (
    <StaleBanner>
      <strong className="font-semibold">{client.freshness === 'gone' ? 'Disconnected:' : 'Stale:'}</strong>{' '}
      {client.reason === '' ? 'no source reports this client' : client.reason}
      {'. '}
      Last reported <TimeAgo at={client.lastSeenAt ?? client.lastChangedAt} />.
    </StaleBanner>
  );
}
