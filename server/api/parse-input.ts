import type { z } from 'zod';
import { badRequest } from './api-error';

/** A request body as the schema wants it, or 400 with the first field that is wrong: what was expected, what came. */
export function parseInput<T extends z.ZodType>(schema: T, input: unknown): z.infer<T> {
  const parsed = schema.safeParse(input);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  const where = issue === undefined || issue.path.length === 0 ? 'body' : issue.path.join('.');
  throw badRequest(`${where}: ${issue?.message ?? 'not understood'}`, where);
}
