import type { UseQueryOptions } from '@tanstack/react-query';
import type { ClientDetail } from '@/lib/api/schema';
import { requestJson } from '../_hooks/api-client';
import { cacheTimesOf, type RecordedSubject, subjectKey } from './client-subject';

/** One client with its node. */
export function clientDetailOptions(subject: RecordedSubject): UseQueryOptions<ClientDetail> {
  const { clientId, at = '' } = subject;
  const path = `clients/${encodeURIComponent(clientId)}`;
  return {
    queryKey: [...subjectKey(subject), 'detail'],
    queryFn: ({ signal }) =>
      requestJson<ClientDetail>(at === '' ? path : `${path}?${new URLSearchParams({ at })}`, { signal }),
    ...cacheTimesOf(subject),
    meta: { prefetchAt: (cache, to) => cache.prefetchQuery(clientDetailOptions({ clientId, at: to })) },
  };
}
