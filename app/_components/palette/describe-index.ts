import { formatFilterProblem } from '@/lib/filter/parse-filter';
import { formatCounted } from '@/lib/format/count';
import type { SearchAnswer } from '@/lib/views/search/schema';

/** Describes what may be missing among the results; empty: nothing. */
export function describeIndex(
  { index, problems }: Pick<SearchAnswer, 'index' | 'problems'>,
  text: string,
): string {
  const { clientsBehind, rowsLeftOut, payloadsWaiting, payloadsLeftOut } = index;
  return [
    ...problems.map((problem) => formatFilterProblem(text.trim(), problem)),
    ...(clientsBehind === 0 ? [] : [`${formatCounted(clientsBehind, 'client')} not indexed yet`]),
    ...(rowsLeftOut === 0
      ? []
      : [`${formatCounted(rowsLeftOut, 'resource')} not indexed: the index is full`]),
    ...(payloadsWaiting === 0
      ? []
      : [`addresses of ${formatCounted(payloadsWaiting, 'payload')} not indexed yet`]),
    ...(payloadsLeftOut === 0
      ? []
      : [`addresses of ${formatCounted(payloadsLeftOut, 'payload')} not indexed`]),
  ].join('; ');
}
