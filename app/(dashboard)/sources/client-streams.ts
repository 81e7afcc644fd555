import { queryOptions } from '@tanstack/react-query';
import { historyKey, historyPageSize } from '@/app/_ask/history';
import { fetchAnswer } from '@/app/_ask/question';
import { formatIsoTime } from '@/lib/format/iso-time';

/**
 * The newest streams of a client in the log, as their opening events. `answered`: the ids of streams with a response;
 * null: not known.
 */
export function clientStreamsOptions(client: string) {
  return queryOptions({
    queryKey: [...historyKey, 'streams', client],
    queryFn: async ({ signal }) => {
      const asked = { client, kind: ['stream-opened' as const], limit: historyPageSize };
      const page = await fetchAnswer('history', asked, signal);
      const oldest = page.items.at(-1)?.at;
      const responses = {
        client,
        kind: ['response-received' as const],
        ...(oldest && { from: formatIsoTime(oldest) }),
      };
      const timeline = await fetchAnswer('history/timeline', responses, signal);
      return {
        items: page.items,
        hasMore: page.older !== null,
        // With too many responses the timeline has counts instead of marks.
        answered: timeline.kind === 'marks' ? new Set(timeline.lanes.map(({ streamId }) => streamId)) : null,
      };
    },
    enabled: client !== '',
  });
}
