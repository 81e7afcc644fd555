import { z } from 'zod';
import { parseInput } from '../../api/parse-input';

const momentQuery = z.object({ at: z.string().max(100).optional() });

/** The moment that a question is about, as the URL says it; undefined: now. */
export function readAt(input: unknown): string | undefined {
  return parseInput(momentQuery, input).at;
}
