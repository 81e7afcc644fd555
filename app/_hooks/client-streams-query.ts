import { queryOptions } from '@tanstack/react-query';
import { fetchHistoryPage } from './history-queries';
import { queryKeys } from './query-keys';

/** The newest streams of a client that the log tells of, as the events of their opening, newest first. */
export function clientStreamsQuery(clientId: string) {
  const none = { type: [], stream: '', resource: '', version: '', error: '', from: '', to: '' };
  return queryOptions({
    queryKey: queryKeys.clientStreams(clientId),
    queryFn: async ({ signal }) => {
      const page = await fetchHistoryPage(
        { ...none, client: clientId, kind: ['stream-opened'] },
        null,
        signal,
      );
      return { items: page.items, hasMore: page.older !== null };
    },
    enabled: clientId !== '',
  });
}
