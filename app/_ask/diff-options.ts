import { infiniteQueryOptions, keepPreviousData } from '@tanstack/react-query';
import { parseDiffAddress } from '@/lib/views/compare/diff-address';
import { fetchAnswer, type QuestionInput, questionOptions } from './question';

/** The interval of reloads if a side is a client now. */
const liveMs = 5_000;

/** Nothing is fetched until both sides are chosen. */
export function diffOptions(input: QuestionInput<'diff'>) {
  return { ...questionOptions('diff', input), ...timesOf(input), placeholderData: undefined };
}

const rowsPerPage = 500;

export function diffPagesOptions(input: QuestionInput<'diff'>) {
  return infiniteQueryOptions({
    queryKey: ['diff', 'pages', input],
    queryFn: ({ signal, pageParam }) =>
      fetchAnswer('diff', { ...input, offset: pageParam, limit: rowsPerPage }, signal),
    initialPageParam: 0,
    getNextPageParam: ({ offset, items, total }) =>
      offset + items.length < total && items.length > 0 ? offset + items.length : undefined,
    placeholderData: keepPreviousData,
    retry: false,
    ...timesOf(input),
  });
}

/** The changes that a graph highlights. The limit exceeds the number of nodes that a graph draws. */
export function diffMarksOptions(left: string, right: string) {
  return diffOptions({ left, right, limit: 1_000 });
}

function timesOf({ left, right }: QuestionInput<'diff'>) {
  const isLive = isNow(left) || isNow(right);
  return {
    enabled: left !== '' && right !== '',
    refetchInterval: isLive ? liveMs : (false as const),
    staleTime: isLive ? 0 : Number.POSITIVE_INFINITY,
  };
}

function isNow(address: string): boolean {
  const parsed = parseDiffAddress(address);
  return parsed?.what === 'client' && parsed.at === null;
}
