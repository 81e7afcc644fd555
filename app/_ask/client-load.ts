import type { UseQueryOptions } from '@tanstack/react-query';
import type { LoadSort } from '@/lib/load/load-question';
import type { LoadSeriesAnswer, LoadSplit } from '@/lib/views/load/schema';
import { requestJson } from '../_hooks/api-client';
import { type Extent, isLiveExtent, loadRange } from '../_hooks/extent';
import { atMoment } from './client-question';
import { type ClientSubject, cacheTimesOf, isNow, keepPreviousOf, subjectKey } from './client-subject';
import { fetchLoadSeries, grows, silenceOf } from './load-series';
import { omitEmpty, searchOf } from './query-text';

/** The query of GET load/series for one client; empty values are left out. */
interface ClientLoadParams {
  readonly by?: string;
  readonly cluster: string;
  readonly measure?: string;
  readonly rules?: string;
  readonly limit?: number;
  readonly sort?: LoadSort;
  /** The time range, as in useTimeRange(). A moment ends the range, so that only its length counts. */
  readonly extent: Extent;
}

type LoadSeriesOptions = UseQueryOptions<LoadSeriesAnswer>;

export function clientLoadSeriesOptions(subject: ClientSubject, params: ClientLoadParams): LoadSeriesOptions {
  const options = askLoad<LoadSeriesAnswer>(subject, 'series', params, (at) =>
    clientLoadSeriesOptions(atMoment(subject, at), params),
  );
  if (!isNow(subject)) return options;
  return {
    ...options,
    queryFn: fetchLoadSeries(() => loadPath(subject, 'series', params)),
    refetchInterval: isLiveExtent(params.extent) ? silenceOf : false,
    enabled: grows(isLiveExtent(params.extent)),
    // The time of an answer is kept by its identity.
    structuralSharing: false,
  };
}

export function clientLoadSplitOptions(
  subject: ClientSubject,
  params: ClientLoadParams,
): UseQueryOptions<LoadSplit> {
  return {
    ...askLoad<LoadSplit>(subject, 'split', params, (at) =>
      clientLoadSplitOptions(atMoment(subject, at), params),
    ),
    enabled: (query) => params.cluster !== '' && grows<LoadSplit>(isLiveExtent(params.extent))(query),
  };
}

function askLoad<T>(
  subject: ClientSubject,
  what: 'series' | 'split',
  params: ClientLoadParams,
  optionsAt: (at: string) => UseQueryOptions<T>,
): UseQueryOptions<T> {
  return {
    queryKey: [...subjectKey(subject), 'load', what, params],
    queryFn: ({ signal }) => requestJson<T>(loadPath(subject, what, params), { signal }),
    placeholderData: keepPreviousOf(subject),
    retry: false,
    ...cacheTimesOf(subject),
    meta: { prefetchAt: (cache, at) => cache.prefetchQuery(optionsAt(at)) },
  };
}

/** A permalink stores the time range. */
function loadPath(subject: ClientSubject, what: string, { extent, ...params }: ClientLoadParams): string {
  if ('permalinkId' in subject)
    return `permalinks/${encodeURIComponent(subject.permalinkId)}/load/${what}?${searchOf(omitEmpty(params))}`;
  const { clientId: client, at = '' } = subject;
  return `load/${what}?${searchOf(omitEmpty({ client, ...loadRange(extent, at !== ''), ...params, at }))}`;
}
