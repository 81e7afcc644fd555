'use client';

import { Button } from '@/app/_components/button';
import { StaleBanner } from '@/app/_components/stale-banner';
import { useClientViewQuery } from '../use-client-view-query';

/** Nobody must take the past for the present. Nothing when no moment was chosen. */
export function PastBanner() {
  const { query, setQuery } = useClientViewQuery();
  if (query.at === '') return null;
  return (
    <div className="px-4 pt-3">
      <StaleBanner>
        <strong className="font-semibold">This is the past:</strong> what the client made of its resources at{' '}
        <time dateTime={query.at} className="font-mono text-[0.9286em]">
          {query.at}
        </time>
        .{' '}
        <Button tone="quiet" onPress={() => setQuery({ at: '' }, 'push')}>
          Back to now
        </Button>
      </StaleBanner>
    </div>
  );
}
