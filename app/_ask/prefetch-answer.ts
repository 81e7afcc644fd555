import type { QueryKey } from '@tanstack/react-query';
import { getRuntime } from '@/server';
import { type Answer, askedParts, type QuestionInput, type QuestionPath, questionKey } from './question';

/** The answer to a question with its key, for Prefetched; undefined: the item of the path is missing. */
export async function prefetchAnswer<Path extends QuestionPath>(
  path: Path,
  input: QuestionInput<Path>,
): Promise<readonly [QueryKey, Answer<Path> | undefined]> {
  const { params, query } = askedParts(path, input);
  const asked = getRuntime().api.ask(path, query, { params });
  return [questionKey(path, input), await undefinedIfMissing(asked)];
}

/** undefined instead of a 404, for pages that show a missing item themselves. */
async function undefinedIfMissing<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof Error && 'status' in error && error.status === 404) return undefined;
    throw error;
  }
}
