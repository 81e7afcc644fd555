import type { QueryClient, QueryKey } from '@tanstack/react-query';
import type { ClientQuestionName } from '@/lib/views/client-questions';

declare module '@tanstack/react-query' {
  interface Register {
    queryMeta: {
      /** Fetches the answer for the same client at another moment. Absent: the subject has no moment. */
      readonly prefetchAt?: (cache: QueryClient, at: string) => Promise<void>;
    };
  }
}

/** The client of a question: now, at a moment, or as a permalink stored it. */
export type ClientSubject = RecordedSubject | StoredSubject;

export interface RecordedSubject {
  readonly clientId: string;
  /** The moment as the URL states it: an ISO 8601 time or "seq:4711". Empty or absent: now. */
  readonly at?: string;
}

interface StoredSubject {
  readonly permalinkId: string;
}

export type ClientPart = ClientQuestionName | 'detail' | 'load' | 'simulation';

export function isNow(subject: ClientSubject): boolean {
  return 'clientId' in subject && (subject.at ?? '') === '';
}

/**
 * The prefix of every key for a subject. Keys for a client now begin with ['client', id], so that a change of the client
 * invalidates all of them.
 */
export function subjectKey(subject: ClientSubject): readonly string[] {
  if ('permalinkId' in subject) return ['permalink', subject.permalinkId];
  const { clientId, at = '' } = subject;
  return at === '' ? ['client', clientId] : ['past', clientId, at];
}

export function clientKey(clientId: string, part: ClientPart): QueryKey {
  return [...subjectKey({ clientId }), part];
}

/**
 * Answers about the past and about permalinks do not change. Answers about the past are dropped soon, because stepping
 * through time fetches many.
 */
export function cacheTimesOf(subject: ClientSubject): {
  readonly staleTime?: number;
  readonly gcTime?: number;
} {
  if (isNow(subject)) return {};
  const staleTime = Number.POSITIVE_INFINITY;
  return 'permalinkId' in subject ? { staleTime } : { staleTime, gcTime: 30_000 };
}

/** The previous answer for the same subject is a placeholder while another query is fetched. */
export function keepPreviousOf(subject: ClientSubject) {
  const wanted = subjectKey(subject);
  return <T>(previous: T | undefined, query: { readonly queryKey: QueryKey } | undefined): T | undefined =>
    wanted.every((part, index) => query?.queryKey[index] === part) ? previous : undefined;
}

/**
 * Fetches all visible answers for another moment. Resolves when each is there or has failed, so that the view changes in
 * one step and never shows two moments at once.
 */
export async function prefetchMoment(
  cache: QueryClient,
  clientId: string,
  from: string,
  to: string,
): Promise<void> {
  const queryKey = subjectKey({ clientId, at: from });
  const visible = cache.getQueryCache().findAll({ queryKey, type: 'active' });
  await Promise.all(visible.map(({ meta }) => meta?.prefetchAt?.(cache, to)));
}
