import { queryOptions } from '@tanstack/react-query';
import type { HistoryKind } from '@/lib/views/history/history-kinds';
import type { HistoryPage } from '@/lib/views/history/schema';
import { parseTypeKey } from '@/lib/views/resources/resource-ref';
import type { EpochMs } from '@/lib/xds/units';
import { omitEmpty } from './query-text';
import { fetchAnswer, type QuestionInput, questionOptions } from './question';

/** The filter of the log as the page has it; an empty text or list means everything. */
export interface HistoryParams {
  readonly client: string;
  readonly stream: string;
  readonly type: readonly string[];
  readonly kind: readonly HistoryKind[];
  readonly resource: string;
  readonly version: string;
  readonly error: string;
  /** 'true': only NACKs; empty: every event. */
  readonly rejected: '' | 'true';
  readonly from: string | EpochMs;
  readonly to: string | EpochMs;
}

export const historyPageSize = 200;
export const historyKey = ['history'];

export function historyQuestion(params: HistoryParams): QuestionInput<'history/timeline'> {
  const { type, kind, ...texts } = params;
  return {
    ...omitEmpty(texts),
    type: type.map((value) => parseTypeKey(value) ?? value),
    kind: [...kind],
  };
}

/** `cursor` null: the newest page. */
export function fetchHistoryPage(
  params: HistoryParams,
  cursor: string | null,
  signal?: AbortSignal,
): Promise<HistoryPage> {
  const page = { limit: historyPageSize, ...(cursor !== null && { cursor }) };
  return fetchAnswer('history', { ...historyQuestion(params), ...page }, signal);
}

/** The key of the pages of the list, which begins at a cursor; null: at the newest event. */
export function historyPagesKey(params: HistoryParams, anchor: string | null) {
  return [...historyKey, 'pages', params, anchor];
}

/** The newest position in the log, of a client or of all (""). The stream keeps it up to date. */
export function historyNewestOptions(clientId: string) {
  return queryOptions({
    queryKey: [...historyKey, 'newest', clientId],
    queryFn: async ({ signal }) => (await fetchAnswer('history', { limit: 1 }, signal)).newestSeq,
  });
}

/** All matching events: marks, or counts if there are too many. */
export function historyTimelineOptions(params: HistoryParams) {
  return questionOptions('history/timeline', historyQuestion(params));
}
