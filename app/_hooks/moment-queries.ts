import type { QueryClient, QueryKey } from '@tanstack/react-query';
import { requestJson } from './api-client';

declare module '@tanstack/react-query' {
  interface Register {
    queryMeta: {
      /** Of a question about a client as it is now: below /api/v1, with its query. Asked with `at=` it is about the past. */
      readonly path?: string;
      /** Pages by `cursor`. */
      readonly isPaged?: boolean;
    };
  }
}

interface MomentQuery {
  readonly queryKey: QueryKey;
  readonly meta?: { readonly path?: string; readonly isPaged?: boolean };
  readonly placeholderData?: unknown;
}

/** The past does not change; one who scrubs passes many moments, and comes back to few. */
const past = { staleTime: Number.POSITIVE_INFINITY, gcTime: 30_000, refetchInterval: false } as const;
const unlessNow = 'past';

/** The same question about a client at a moment, as `at` in the URL says it; "" is now. */
export function ofMoment<Options extends MomentQuery>(
  options: Options,
  clientId: string,
  at: string,
): Options {
  if (at === '') return options;
  const { path = '' } = options.meta ?? {};
  const queryKey = [unlessNow, clientId, at, ...options.queryKey];
  const placeholderData = options.placeholderData === undefined ? undefined : keepSameMoment;
  return { ...options, ...past, queryKey, queryFn: askerOf(path, at), placeholderData };

  /** Other filters keep what was there in sight; another moment must not. */
  function keepSameMoment<T>(before: T, query: { readonly queryKey: QueryKey } | undefined): T | undefined {
    return query?.queryKey[2] === at ? before : undefined;
  }
}

/**
 * Asks at another moment all that is in sight now. Resolves when all of it is there, or could not be read: then the view
 * goes there in one step, and never shows two moments at once.
 */
export async function prefetchMoment(
  cache: QueryClient,
  clientId: string,
  from: string,
  to: string,
): Promise<void> {
  const prefix = from === '' ? ['client', clientId] : [unlessNow, clientId, from];
  const inSight = cache.getQueryCache().findAll({ queryKey: prefix, type: 'active' });
  const asked = inSight.map(({ queryKey: key, meta }) => {
    const path = meta?.path;
    if (path === undefined) return undefined;
    const ownKey = from === '' ? key : key.slice(prefix.length);
    const queryKey = to === '' ? ownKey : [unlessNow, clientId, to, ...ownKey];
    const options = { queryKey, queryFn: askerOf(path, to), meta, ...(to === '' ? {} : past) };
    return meta?.isPaged === true
      ? cache.prefetchInfiniteQuery({ ...options, initialPageParam: null })
      : cache.prefetchQuery(options);
  });
  await Promise.all(asked);
}

function askerOf(path: string, at: string) {
  return <T>({ signal, pageParam }: { readonly signal: AbortSignal; readonly pageParam?: unknown }) => {
    const url = new URL(path, 'http://api');
    if (at !== '') url.searchParams.set('at', at);
    if (typeof pageParam === 'string') url.searchParams.set('cursor', pageParam);
    return requestJson<T>(`${url.pathname.slice(1)}${url.search}`, { signal });
  };
}
