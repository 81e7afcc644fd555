import { queryOptions } from '@tanstack/react-query';
import type { HistoryTimeline } from '@/lib/api/history';
import { requestJson } from './api-client';
import { fetchHistoryPage } from './history-queries';
import { queryKeys } from './query-keys';

/**
 * The newest streams of a client in the log, as their opening events. `answered`: the ids of streams with a response;
 * null: not known.
 */
export function clientStreamsQuery(clientId: string) {
  const none = { type: [], stream: '', resource: '', version: '', error: '', rejected: '', from: '', to: '' };
  return queryOptions({
    queryKey: queryKeys.clientStreams(clientId),
    queryFn: async ({ signal }) => {
      const page = await fetchHistoryPage(
        { ...none, client: clientId, kind: ['stream-opened'] },
        null,
        signal,
      );
      const oldest = page.items.at(-1)?.at;
      const answered = new URLSearchParams({ client: clientId, kind: 'response-received' });
      if (oldest !== undefined) answered.set('from', oldest);
      const timeline = await requestJson<HistoryTimeline>(`history/timeline?${answered}`, { signal });
      return {
        items: page.items,
        hasMore: page.older !== null,
        // With too many responses the timeline has counts instead of marks.
        answered: timeline.kind === 'marks' ? new Set(timeline.lanes.map(({ streamId }) => streamId)) : null,
      };
    },
    enabled: clientId !== '',
  });
}
