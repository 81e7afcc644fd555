'use client';

import { separator } from '@/app/_components/separator';
import type { EpochMs } from '@/lib/xds/units';
import { useConnection } from '../_stream/use-live-stream';
import { Icon } from './icon';
import { TimeAgo } from './time-ago';

interface FreshnessProps {
  readonly vantage: string;
  /** null: nothing reported yet; absent: unknown or not shown. */
  readonly age?: EpochMs | null | undefined;
  readonly partial?: string;
}

export function Freshness({ vantage, age, partial }: FreshnessProps) {
  const connection = useConnection();
  const isCut = connection.kind === 'disconnected';
  return (
    <p className="flex min-w-0 flex-wrap items-center gap-x-1.5 note">
      <span className="min-w-0 md:flex">
        <span className="md:truncate">{vantage}</span>
        {age !== undefined && separator}
      </span>
      {age !== undefined && (
        <span className="whitespace-nowrap">
          {age === null ? (
            'nothing reported yet'
          ) : (
            <>
              newest <TimeAgo at={age} />
            </>
          )}
        </span>
      )}
      {partial !== undefined && partial !== '' && (
        <span className="inline-flex items-center gap-1 text-timeout">
          <Icon name="warning" sizePx={12} />
          {partial}
        </span>
      )}
      {isCut && (
        <span className="inline-flex items-center gap-1 text-timeout">
          <Icon name="warning" sizePx={12} />
          stale: not connected
        </span>
      )}
    </p>
  );
}
