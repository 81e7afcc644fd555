import { z } from 'zod';
import { badRequest } from '../api-error';
import { parseInput } from './parse-input';

/**
 * Parses the query of a URL. Throws 400 with the first invalid parameter. A strict schema rejects unknown parameters,
 * because the answer without an unknown filter would look complete.
 */
export function parseQuery<T extends z.ZodType>(schema: T, input: unknown): z.infer<T> {
  if (schema instanceof z.ZodObject && schema.def.catchall instanceof z.ZodNever) {
    const names = Object.keys(schema.shape);
    const unknown = Object.keys(Object(input)).find((name) => !names.includes(name));
    if (unknown !== undefined) {
      const expected = names.length === 0 ? 'no parameters' : `one of ${names.join(', ')}`;
      throw badRequest(`${unknown}: expected ${expected}`, unknown);
    }
  }
  return parseInput(schema, input);
}
