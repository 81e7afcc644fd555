import type { QueryKey } from '@tanstack/react-query';
import { getRuntime } from '@/server';
import { type Answer, askedParts, type QuestionInput, type QuestionPath, questionKey } from './question';

/** The answer to a question with its key, for Prefetched; undefined: it is missing, or not available now. */
export async function prefetchAnswer<Path extends QuestionPath>(
  path: Path,
  input: QuestionInput<Path>,
): Promise<readonly [QueryKey, Answer<Path> | undefined]> {
  const { params, query } = askedParts(path, input);
  const asked = getRuntime().api.ask(path, query, { params });
  return [questionKey(path, input), await undefinedIfUnanswered(asked)];
}

/** undefined instead of a 404 or 503: the browser then asks, and shows what is missing or why nothing is available. */
async function undefinedIfUnanswered<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof Error && 'status' in error && [404, 503].includes(Number(error.status)))
      return undefined;
    throw error;
  }
}
