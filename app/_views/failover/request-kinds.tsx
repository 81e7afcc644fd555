'use client';

import { StatusMark } from '@/app/_components/status-mark';
import { formatSentence } from '@/lib/format/sentence';
import type { FailoverSimulation } from '@/lib/views/failover/schema';
import { useClientViewQuery } from '../client/use-client-view-query';
import { failoverParams, requestsOf } from './search-params';

const shapes = { ok: 'HEALTHY', error: 'NACKED', unknown: 'UNKNOWN' } as const;
const words = { ok: 'find a host', error: 'fail', unknown: 'may fail' } as const;

interface RequestKindsProps {
  readonly requests: NonNullable<FailoverSimulation['requests']>;
}

/** The kinds of requests to a cluster with subsets, each of which has shares of its own. */
export function RequestKinds({ requests: { items } }: RequestKindsProps) {
  const { setQuery } = useClientViewQuery(failoverParams);
  return (
    <section aria-label="Kinds of requests" className="flex flex-col gap-2 p-4">
      <p>
        The metadata of the route decides which hosts a request can reach, so that the shares differ. Choose
        the requests:
      </p>
      <ul className="flex flex-col gap-1.5">
        {items.map(({ id, text, status, reason }) => (
          <li key={id} className="break-words">
            <button
              type="button"
              className="min-h-6 text-left link"
              onClick={() => setQuery(requestsOf(id), 'push')}
            >
              {formatSentence(text).slice(0, -1)}
            </button>{' '}
            <StatusMark status={shapes[status]} word={words[status]} />{' '}
            <span className="text-muted">{reason}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}
