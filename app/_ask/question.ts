import { keepPreviousData, type QueryKey, type UseQueryOptions } from '@tanstack/react-query';
import type { PathParams } from '@/lib/questions/command';
import type { AnswerOf, QueryInput } from '@/lib/questions/question';
import type { OtherQuestions } from '@/lib/views/questions';
import { requestJson } from '../_hooks/api-client';
import { isLiveExtent, loadRange, type RequestedExtent, resolveTimes } from '../_hooks/extent';
import { searchOf } from './query-text';

export type QuestionPath = keyof OtherQuestions;
export type Answer<Path extends QuestionPath> = AnswerOf<OtherQuestions[Path]>;

/**
 * The parameters of the path, with the fields of the query. `from` and `to` are times as in an Extent, which are resolved
 * at each request.
 */
export type QuestionInput<Path extends QuestionPath> = object & PathParams<Path> & QueryFields<Path>;

/** A question without a query has no fields, beside which those of the path may stand. */
type QueryFields<Path extends QuestionPath> = string extends keyof QueryInput<OtherQuestions[Path]>
  ? unknown
  : QueryInput<OtherQuestions[Path]>;

interface Traits {
  /** The interval of requests while the time range of the question, if any, does not end in the past. */
  readonly liveMs?: number;
  /** The answer never changes. */
  readonly isFinal?: true;
  /** Absent: the client of the API decides. */
  readonly timeoutMs?: number;
  /** A request without an answer is not repeated, because its answer takes long. */
  readonly isExpensive?: true;
}

const traits: Partial<Record<QuestionPath, Traits>> = {
  // Certificates change rarely, and Envoys are polled once a minute.
  certificates: { liveMs: 30_000 },
  churn: { liveMs: 15_000, isExpensive: true },
  convergence: { liveMs: 3_000, isExpensive: true },
  'convergence/recent': { liveMs: 3_000, isExpensive: true },
  // The config file is read at the start only.
  credentials: { isFinal: true },
  // Comparing two large configs without common resources takes long.
  diff: { timeoutMs: 120_000, isExpensive: true },
  // The stream has no topic for the growth of the recorder.
  health: { liveMs: 10_000 },
  holders: { liveMs: 5_000 },
  explain: { isExpensive: true },
  // A check takes seconds, and the stream does not announce its end.
  'interop/fleet': { liveMs: 10_000 },
  'interop/control-planes': { liveMs: 5_000, isExpensive: true },
  'interop/matrix': { liveMs: 2_000 },
  'interop/runs': { liveMs: 1_000 },
  'interop/runs/{id}': { liveMs: 500 },
  'interop/server-checks': { liveMs: 1_000 },
  // Some issues count only after a time without an observation, and effective configs change.
  issues: { liveMs: 5_000 },
  'issues/strip': { liveMs: 5_000 },
  'load/series': { isExpensive: true },
  'load/split': { isExpensive: true },
  'load/totals': { isExpensive: true },
  'resources/{hash}': { isFinal: true },
  search: { liveMs: 5_000 },
  sizes: { liveMs: 10_000 },
};

/**
 * The URL, the cache key and the validity of the answer to a question that is not about one client. The previous answer
 * is shown while the answer to another query is fetched, unless the question is about one item.
 */
export function questionOptions<Path extends QuestionPath>(
  path: Path,
  input: QuestionInput<Path>,
): UseQueryOptions<Answer<Path>> {
  const { liveMs, isFinal, isExpensive }: Traits = traits[path] ?? {};
  const extent = extentOf(input);
  return {
    queryKey: questionKey(path, input),
    queryFn: ({ signal }) => fetchAnswer(path, input, signal),
    ...(liveMs !== undefined && { refetchInterval: () => isLive(extent) && liveMs }),
    ...(isFinal && { staleTime: Number.POSITIVE_INFINITY }),
    ...(isExpensive && { retry: false }),
    ...(!path.includes('{') && { placeholderData: keepPreviousData }),
    // A load report announces that load has changed, but not the load of a past time range, which is requested once.
    ...(path.startsWith('load/') && {
      enabled: ({ state }: { readonly state: { readonly data: unknown } }) =>
        isLive(extent) || state.data === undefined,
    }),
  };
}

/** The words of the path, then the query, so that a prefix of the path is a prefix of its keys. */
export function questionKey<Path extends QuestionPath>(path: Path, input: QuestionInput<Path>): QueryKey {
  const { words, query } = partsOf(path, input);
  return [...words, query];
}

export function fetchAnswer<Path extends QuestionPath>(
  path: Path,
  input: QuestionInput<Path>,
  signal?: AbortSignal,
): Promise<Answer<Path>> {
  const { timeoutMs }: Traits = traits[path] ?? {};
  return requestJson<Answer<Path>>(requestPath(path, input), {
    ...(signal && { signal }),
    ...(timeoutMs !== undefined && { timeoutMs }),
  });
}

/** The URL of a question below /api/v1, for the time range at the time of the call. */
export function requestPath<Path extends QuestionPath>(path: Path, input: QuestionInput<Path>): string {
  const { words, query } = partsOf(path, input);
  const search = String(searchOf(resolveRange(path, query)));
  const filled = words.map(encodeURIComponent).join('/');
  return search === '' ? filled : `${filled}?${search}`;
}

/** The parameters of the path, and the query for the time range at the time of the call. */
export function askedParts<Path extends QuestionPath>(path: Path, input: QuestionInput<Path>) {
  const { params, query } = partsOf(path, input);
  return {
    params: params as PathParams<Path>,
    query: resolveRange(path, query) as QueryInput<OtherQuestions[Path]>,
  };
}

function resolveRange(path: QuestionPath, query: object): object {
  const extent = extentOf(query);
  if (extent === undefined) return query;
  const { from: _from, to: _to, ...rest } = query as Partial<RequestedExtent>;
  return { ...rest, ...(path.startsWith('load/') ? loadRange(extent) : resolveTimes(extent)) };
}

function partsOf(path: string, input: object) {
  const query: Record<string, unknown> = { ...input };
  const params: Record<string, string> = {};
  const words = path.split('/').map((word) => {
    const name = /^\{(\w+)\}$/.exec(word)?.[1];
    if (name === undefined) return word;
    const value = String(query[name]);
    delete query[name];
    params[name] = value;
    return value;
  });
  return { words, params, query };
}

/** undefined: the question has no time range. */
function extentOf(query: object): RequestedExtent | undefined {
  if (!('from' in query || 'to' in query)) return undefined;
  const { from = '', to = '' } = query as Partial<RequestedExtent>;
  return { from, to };
}

function isLive(extent: RequestedExtent | undefined): boolean {
  return extent === undefined || isLiveExtent(extent);
}
