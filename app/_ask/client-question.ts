import { keepPreviousData, type QueryKey, type UseQueryOptions } from '@tanstack/react-query';
import type {
  AllClientQuestions,
  ClientQuestionName,
  RecordedQuestions,
  StoredHistoryQuestions,
} from '@/lib/questions/client-questions';
import type { AnswerOf, QueryInput } from '@/lib/questions/question';
import { requestJson } from '../_hooks/api-client';
import {
  type ClientSubject,
  cacheTimesOf,
  isNow,
  keepPreviousOf,
  type RecordedSubject,
  subjectKey,
} from './client-subject';
export type ClientQuery<Name extends ClientQuestionName> = QueryInput<AllClientQuestions[Name]>;
export type ClientAnswer<Name extends ClientQuestionName> = AnswerOf<AllClientQuestions[Name]>;
/** Permalinks store no answers to them. */
export type LogQuestionName = keyof RecordedQuestions;
export type SubjectOf<Name extends ClientQuestionName> = Name extends LogQuestionName
  ? RecordedSubject
  : ClientSubject;

const isOfWholeLog: Readonly<Record<keyof (StoredHistoryQuestions & RecordedQuestions), true>> = {
  changes: true,
  tears: true,
  failovers: true,
};
/** Questions about the whole log of a client: their subject has no moment, and `to` in their query is the end. */
const ofWholeLog: ReadonlySet<string> = new Set(Object.keys(isOfWholeLog));

/** The stream of a client does not carry what probes and control planes report. */
const pollMs: Partial<Record<ClientQuestionName, number>> = { propagation: 3_000 };

/** How the browser asks a question about a client: URL, key in the query cache, and how long the answer is valid. */
export function clientQuestionOptions<Name extends ClientQuestionName>(
  subject: SubjectOf<Name>,
  name: Name,
  query: ClientQuery<Name>,
): UseQueryOptions<ClientAnswer<Name>> {
  const asked = askedSubject(subject, name, query);
  const refetchInterval = pollMs[name];
  return {
    queryKey: answerKey(subject, name, query),
    queryFn: ({ signal }) => requestAnswer(subject, name, query, signal),
    placeholderData: placeholderOf(asked, name, query),
    ...(isNow(asked) && refetchInterval !== undefined && { refetchInterval }),
    ...cacheTimesOf(asked),
    ...(!ofWholeLog.has(name) && {
      meta: {
        prefetchAt: (cache, at) =>
          cache.prefetchQuery(clientQuestionOptions<Name>(atMoment(subject, at), name, query)),
      },
    }),
  };
}

/** The key of the answer to one question. */
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

/** The same client at another moment; a permalink is of one moment alone. */
export function atMoment<Subject extends ClientSubject>(subject: Subject, at: string): Subject {
  return 'clientId' in subject ? { ...subject, at } : subject;
}

/** An answer from the log up to a moment in the past is about that moment. */
function askedSubject<Name extends ClientQuestionName>(
  subject: ClientSubject,
  name: Name,
  query: ClientQuery<Name>,
): ClientSubject {
  if (!ofWholeLog.has(name) || 'permalinkId' in subject) return subject;
  const { to = '' } = query as { readonly to?: string };
  return { clientId: subject.clientId, at: to };
}

/** The answer about one resource, or before one moment in time, is no placeholder for the answer about another. */
function placeholderOf<Name extends ClientQuestionName>(
  subject: ClientSubject,
  name: Name,
  query: ClientQuery<Name>,
) {
  if ((query as { readonly name?: string }).name !== undefined) return undefined;
  return ofWholeLog.has(name) ? keepPreviousData : keepPreviousOf(subject);
}

/** A parameter for each value of a list. */
function searchOf(query: object): URLSearchParams {
  return new URLSearchParams(
    Object.entries(query).flatMap(([name, value]) =>
      (Array.isArray(value) ? value : value === undefined ? [] : [value]).map((each) => [name, String(each)]),
    ),
  );
}
