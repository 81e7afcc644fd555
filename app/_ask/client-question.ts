import { keepPreviousData, type QueryKey, type UseQueryOptions } from '@tanstack/react-query';
import type { AnswerOf, QueryInput } from '@/lib/questions/question';
import type { ClientDetail } from '@/lib/views/client/schema';
import type {
  AllClientQuestions,
  ClientQuestionName,
  RecordedQuestions,
  StoredHistoryQuestions,
} from '@/lib/views/client-questions';
import type { Tears } from '@/lib/views/resolved/tears-schema';
import type { EpochMs } from '@/lib/xds/units';
import { requestJson } from '../_hooks/api-client';
import {
  type ClientSubject,
  cacheTimesOf,
  isNow,
  keepPreviousOf,
  type RecordedSubject,
  subjectKey,
} from './client-subject';
import { searchOf } from './query-text';

export type ClientQuery<Name extends ClientQuestionName> = QueryInput<AllClientQuestions[Name]>;
export type ClientAnswer<Name extends ClientQuestionName> = AnswerOf<AllClientQuestions[Name]>;
export type LogQuestionName = keyof RecordedQuestions;
type SubjectOf<Name extends ClientQuestionName> = Name extends LogQuestionName
  ? RecordedSubject
  : ClientSubject;

const isOfWholeLog: Readonly<Record<keyof (StoredHistoryQuestions & RecordedQuestions), true>> = {
  changes: true,
  tears: true,
  failovers: true,
};
/** Questions about the whole log of a client: their subject has no moment, and `to` in their query is the end. */
const ofWholeLog: ReadonlySet<string> = new Set(Object.keys(isOfWholeLog));

/** The stream does not carry the reports of probes and control planes, nor counts of calls and RPCs. */
const pollMs: Partial<Record<ClientQuestionName, number>> = {
  propagation: 3_000,
  connections: 2_000,
  'test-client': 1_000,
};

/** The URL, the cache key and the validity of the answer to a question about a client. */
export function clientQuestionOptions<Name extends ClientQuestionName>(
  subject: SubjectOf<Name>,
  name: Name,
  query: ClientQuery<Name>,
): UseQueryOptions<ClientAnswer<Name>> {
  const asked = askedSubject(subject, name, query);
  const intervalMs = isNow(asked) ? pollMs[name] : undefined;
  return {
    queryKey: answerKey(subject, name, query),
    queryFn: ({ signal }) => requestAnswer(subject, name, query, signal),
    placeholderData: placeholderOf(asked, name, query),
    ...cacheTimesOf(asked),
    // What the stream does not carry is also fetched when a page opens again within the time that other data is fresh.
    ...(intervalMs !== undefined && { refetchInterval: intervalMs, staleTime: intervalMs }),
    ...(!ofWholeLog.has(name) && {
      meta: {
        prefetchAt: (cache, at) =>
          cache.prefetchQuery(clientQuestionOptions<Name>(atMoment(subject, at), name, query)),
      },
    }),
  };
}

export function answerKey<Name extends ClientQuestionName>(
  subject: ClientSubject,
  name: Name,
  query: ClientQuery<Name>,
): QueryKey {
  return [...subjectKey(askedSubject(subject, name, query)), name, 'answer', query];
}

export function requestAnswer<Name extends ClientQuestionName>(
  subject: SubjectOf<Name>,
  name: Name,
  query: ClientQuery<Name>,
  signal: AbortSignal,
): Promise<ClientAnswer<Name>> {
  const search = searchOf(query);
  if ('clientId' in subject && !isNow(subject) && !ofWholeLog.has(name)) search.set('at', subject.at ?? '');
  const path =
    'permalinkId' in subject
      ? `permalinks/${encodeURIComponent(subject.permalinkId)}`
      : `clients/${encodeURIComponent(subject.clientId)}`;
  return requestJson<ClientAnswer<Name>>(`${path}/${name}?${search}`, { signal });
}

/** A permalink has only one moment. */
export function atMoment<Subject extends ClientSubject>(subject: Subject, at: string): Subject {
  return 'clientId' in subject ? { ...subject, at } : subject;
}

/** An answer from the log up to a past moment is an answer about that moment. */
function askedSubject<Name extends ClientQuestionName>(
  subject: ClientSubject,
  name: Name,
  query: ClientQuery<Name>,
): ClientSubject {
  if (!ofWholeLog.has(name) || 'permalinkId' in subject) return subject;
  const { to = '' } = query as { readonly to?: string };
  return { clientId: subject.clientId, at: to };
}

/** The answer about one resource, or up to one time, is not a placeholder for another one. */
function placeholderOf<Name extends ClientQuestionName>(
  subject: ClientSubject,
  name: Name,
  query: ClientQuery<Name>,
) {
  if ((query as { readonly name?: string }).name !== undefined) return undefined;
  return ofWholeLog.has(name) ? keepPreviousData : keepPreviousOf(subject);
}

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

/** `to`: the end of the history that is read; absent: the end of the view. */
export type AskTears = (part: { readonly to?: EpochMs }) => UseQueryOptions<Tears>;
