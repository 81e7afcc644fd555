'use client';

import { formatIsoTime } from '@/lib/format/iso-time';
import { useConnection } from '../../_stream/use-live-stream';
import { StaleBanner } from '../stale-banner';
import { TimeAgo } from '../time-ago';

/** Shown on every page while the server does not respond. */
export function ConnectionBanner() {
  const connection = useConnection();
  if (connection.kind !== 'disconnected') return null;
  return (
    <div className="px-3 pt-3 md:px-5">
      <StaleBanner>
        <strong className="font-semibold">Not connected to xdscope.</strong> Connection lost{' '}
        <TimeAgo iso={formatIsoTime(connection.since)} />. Reconnecting …
      </StaleBanner>
    </div>
  );
}
