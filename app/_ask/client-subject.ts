import type { QueryClient, QueryKey } from '@tanstack/react-query';
import type { ClientQuestionName } from '@/lib/questions/client-questions';

declare module '@tanstack/react-query' {
  interface Register {
    queryMeta: {
      /** Asks the same about the same client at another moment. Absent: no moment is part of the subject. */
      readonly prefetchAt?: (cache: QueryClient, at: string) => Promise<void>;
    };
  }
}

/** The client that a question is about: now, at a moment, or as a permalink stored it. */
export type ClientSubject = RecordedSubject | StoredSubject;

export interface RecordedSubject {
  readonly clientId: string;
  /** The moment as the URL states it: an ISO 8601 time or "seq:4711". Empty or absent: now. */
  readonly at?: string;
}

export interface StoredSubject {
  readonly permalinkId: string;
}

/** What the query cache holds about one client. */
export type ClientPart = ClientQuestionName | 'detail' | 'load' | 'simulation';

export function isNow(subject: ClientSubject): boolean {
  return 'clientId' in subject && (subject.at ?? '') === '';
}

/**
 * The first parts of every key about a subject. What is about a client now begins with ['client', id], so that a change of
 * the client reaches all of it.
 */
export function subjectKey(subject: ClientSubject): readonly string[] {
  if ('permalinkId' in subject) return ['permalink', subject.permalinkId];
  const { clientId, at = '' } = subject;
  return at === '' ? ['client', clientId] : ['past', clientId, at];
}

/** The prefix of all keys of one part of what is known about a client now. */
export function clientKey(clientId: string, part: ClientPart): QueryKey {
  return [...subjectKey({ clientId }), part];
}

/** Answers about the past and about permalinks do not change. Stepping through time passes many moments. */
export function cacheTimesOf(subject: ClientSubject): {
  readonly staleTime?: number;
  readonly gcTime?: number;
} {
  if (isNow(subject)) return {};
  const staleTime = Number.POSITIVE_INFINITY;
  return 'permalinkId' in subject ? { staleTime } : { staleTime, gcTime: 30_000 };
}

/** A placeholder while the answer to another query is fetched; the answer about another subject is none. */
export function keepPreviousOf(subject: ClientSubject) {
  const wanted = subjectKey(subject);
  return <T>(previous: T | undefined, query: { readonly queryKey: QueryKey } | undefined): T | undefined =>
    wanted.every((part, index) => query?.queryKey[index] === part) ? previous : undefined;
}
