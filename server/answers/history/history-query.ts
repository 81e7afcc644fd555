import type { HistoryFilterQuery, HistoryQuery } from '@/lib/questions/history-query';
import { badRequest } from '../../api-error';
import type { HistoryFilter } from '../../recorder/reader/history-query';

export interface HistoryPageQuery {
  readonly filter: HistoryFilter;
  readonly order: 'asc' | 'desc';
  readonly limit: number;
  /** Exclusive. */
  readonly afterSeq?: number;
  readonly beforeSeq?: number;
}

export function pageOf({ order, limit, cursor, ...asked }: HistoryQuery): HistoryPageQuery {
  const base = { filter: filterOf(asked), limit };
  if (cursor === undefined) return { ...base, order };
  return cursor.direction === 'older'
    ? { ...base, order: 'desc', beforeSeq: cursor.seq }
    : { ...base, order: 'asc', afterSeq: cursor.seq };
}

export function filterOf(asked: HistoryFilterQuery): HistoryFilter {
  if (asked.from !== undefined && asked.to !== undefined && asked.from > asked.to) {
    throw badRequest('from: expected a time that is not after to', 'from');
  }
  return {
    clientId: asked.client,
    streamId: asked.stream,
    sourceId: asked.source,
    typeUrls: anyOf(asked.type),
    kinds: anyOf(asked.kind),
    vantages: anyOf(asked.vantage),
    resourceName: asked.resource,
    version: asked.version,
    errorText: asked.error,
    isRejection: asked.rejected && true,
    from: asked.from,
    to: asked.to,
  };
}

/** An empty list is no filter. */
function anyOf<T>(values: readonly T[]): readonly T[] | undefined {
  return values.length === 0 ? undefined : values;
}
