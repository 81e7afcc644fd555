import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { HistoryDetail, HistoryPage, HistoryTimeline } from '@/lib/api/history';
import { formatIsoTime } from '@/lib/format/iso-time';
import { parseTypeKey } from '@/lib/view-model/client-resources/resource-ref';
import type { EpochMs } from '@/lib/xds/units';
import { answerOf } from './answer-of';
import { requestJson } from './api-client';
import { resolveExtent } from './extent';
import { type HistoryParams, queryKeys } from './query-keys';

export function historySearch(params: HistoryParams): URLSearchParams {
  const { type, kind, from, to, ...single } = params;
  const reported = Object.entries({ ...single, ...resolveExtent({ from, to }) }).filter(
    ([, value]) => value !== '',
  );
  return new URLSearchParams([
    ...reported,
    ...type.map((value) => ['type', parseTypeKey(value) ?? value]),
    ...kind.map((value) => ['kind', value]),
  ]);
}

export const historyPageSize = 200;
export const historyResourcesPage = 200;

/** `cursor` null: the newest page. */
export function fetchHistoryPage(
  params: HistoryParams,
  cursor: string | null,
  signal?: AbortSignal,
): Promise<HistoryPage> {
  const search = historySearch(params);
  search.set('limit', String(historyPageSize));
  if (cursor !== null) search.set('cursor', cursor);
  return requestJson<HistoryPage>(`history?${search}`, { signal });
}

/** All matching events: marks, or counts if there are too many. */
export function historyTimelineQuery(params: HistoryParams) {
  return queryOptions({
    ...answerOf<HistoryTimeline>(
      queryKeys.historyTimeline(params),
      `history/timeline?${historySearch(params)}`,
    ),
    placeholderData: keepPreviousData,
  });
}

export function historyPartQuery(params: HistoryParams, part: { from: EpochMs; to: EpochMs } | null) {
  return queryOptions({
    queryKey: [...queryKeys.historyTimeline(params), part],
    queryFn: ({ signal }) => {
      const { from = 0, to = 0 } = part ?? {};
      const asked = { ...params, from: formatIsoTime(Math.floor(from)), to: formatIsoTime(Math.ceil(to)) };
      return requestJson<HistoryTimeline>(`history/timeline?${historySearch(asked)}`, { signal });
    },
    enabled: part !== null,
    placeholderData: keepPreviousData,
  });
}

/** The newest position in the log, of a client or of all (""). The stream keeps it up to date. */
export function historyNewestQuery(clientId: string) {
  return queryOptions({
    queryKey: queryKeys.historyNewest(clientId),
    queryFn: async ({ signal }) => {
      const { newestSeq } = await requestJson<HistoryPage>('history?limit=1', { signal });
      return newestSeq;
    },
  });
}

/** One event in full. It may be requested before its ACK or NACK is recorded. */
export function historyDetailQuery(seq: number, offset: number) {
  return queryOptions(
    answerOf<HistoryDetail>(
      queryKeys.historyDetail(seq, offset),
      `history/${seq}?offset=${offset}&limit=${historyResourcesPage}`,
    ),
  );
}
