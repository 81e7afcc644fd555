'use client';

import { useQuestion } from '@/app/_ask/use-question';
import { StaleBanner } from '@/app/_components/stale-banner';
import { useIsHydrated } from '@/app/_hooks/use-is-hydrated';
import { describeStorage } from '@/lib/views/sources/describe-storage';
import { useConnection } from '../../_stream/use-live-stream';
import { TimeAgo } from '../time-ago';

export function ConnectionBanner() {
  const connection = useConnection();
  if (connection.kind !== 'disconnected') return null;
  return (
    <div className="px-3 pt-3 md:px-5">
      <StaleBanner>
        <strong className="font-semibold">Not connected to xdscope.</strong> Connection lost{' '}
        <TimeAgo at={connection.since} />. The page shows what was received before; a page that you choose now
        opens when the server answers. Reconnecting …
      </StaleBanner>
    </div>
  );
}

/** States on every page that nothing is recorded, or that a part of the recording is unreadable. */
export function StorageBanner() {
  return useIsHydrated() ? <StorageRemarks /> : null;
}

function StorageRemarks() {
  const { data: health } = useQuestion('health', {});
  const remarks = health === undefined ? [] : describeStorage(health);
  return remarks.map(({ title, text, tone }) => (
    <div key={title + text} className="px-3 pt-3 md:px-5">
      <StaleBanner tone={tone}>
        <strong className="font-semibold">{title}:</strong> {text}
      </StaleBanner>
    </div>
  ));
}
